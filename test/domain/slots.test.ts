import { describe, expect, test } from "bun:test"
import { isSourceCron, nextSlot, pollJob, untilCron } from "../../src/domain/slots.ts"
import type { Source } from "../../src/domain/source.ts"

const source: Source = {
  id: "s1",
  name: "front",
  url: "https://news.example/latest",
  kind: "list",
  every_ms: null,
  cron: null,
  zone: "Asia/Seoul",
  category: "economy",
  country: null,
  section: null,
  priority: null,
  enabled: true,
  created_at: Date.UTC(2026, 10, 30),
  next_poll_at: 0,
  page_url: null,
  max_pages: null,
  polled_at: null,
  last: null
}
const noon = Date.UTC(2026, 10, 30, 12)

describe("slots are wall-clock instants", () => {
  test("an interval's slots do not depend on when one asks", () => {
    const every = { ...source, every_ms: 600_000 }
    expect([0, 1, 599_999].map((later) => nextSlot(every, noon + later) - noon)).toEqual([600_000, 600_000, 600_000])
  })
  test("an interval below ten seconds is ten seconds", () => {
    expect(nextSlot({ ...source, every_ms: 10 }, noon)).toBe(noon + 10_000)
  })
  test("a cron in a zone with daylight saving fires once on the day the hour repeats", () => {
    const daily = { ...source, cron: "30 2 * * *", zone: "Europe/Berlin" }
    const before = Date.UTC(2026, 9, 24, 20)
    const first = nextSlot(daily, before)
    expect(new Date(first).toISOString().slice(0, 10)).toBe("2026-10-25")
    expect(new Date(nextSlot(daily, first)).toISOString().slice(0, 10)).toBe("2026-10-26")
  })
  test("a cron that never comes is looked at again tomorrow, and stops nobody", () => {
    expect(nextSlot({ ...source, cron: "0 0 30 2 *" }, noon)).toBe(noon + 86_400_000)
    expect(untilCron("0 0 30 2 *", noon)).toBe(3_600_000)
  })
})

test.each([
  ["*/5 * * * *", true],
  ["30 9 * * 1-5", true],
  ["0 0 30 2 *", false],
  ["* * * * * *", false],
  ["61 * * * *", false],
  ["", false],
  ["every day", false]
])("a source's cron %p: %p", (text, right) => {
  expect(isSourceCron(text, "Asia/Seoul")).toBe(right)
})

test("a zone that is none is no cron", () => {
  expect(isSourceCron("* * * * *", "Asia/Nowhere")).toBe(false)
})

describe("a poll", () => {
  test("takes links inside its domain, no older than its source's backlog", () => {
    const { follow } = pollJob(source, noon, 172_800_000)
    expect(follow).toEqual({ hops: 1, within: "news.example", lists: false, since: source.created_at - 172_800_000 })
  })
  test("of a sitemap goes down to the articles of its children", () => {
    expect(pollJob({ ...source, kind: "sitemap" }, noon, 0).follow.hops).toBe(3)
  })
  test("is numbered by its slot, so that every poll is a visit of its own", () => {
    const [one, other] = [pollJob(source, noon, 0), pollJob(source, noon + 300_000, 0)]
    expect(one.id).not.toBe(other.id)
    expect(other.visit - one.visit).toBe(300)
  })
})
