import { describe, expect, test } from "bun:test"
import { restedSlot } from "../../src/domain/slots.ts"
import type { Source } from "../../src/domain/source.ts"

const minute = 60_000
const source: Source = {
  id: "s1",
  name: "feed",
  url: "https://a.example/rss.xml",
  kind: "feed",
  every_ms: 5 * minute,
  cron: null,
  zone: "UTC",
  category: null,
  country: null,
  section: null,
  page_url: null,
  max_pages: null,
  priority: null,
  enabled: true,
  created_at: 0,
  next_poll_at: 60 * minute,
  polled_at: 55 * minute,
  last: null
}

describe("when an unchanged source is polled again", () => {
  const now = 60 * minute
  const cases = [
    ["changed: its own interval", source, false, 4, 65],
    ["unchanged: twice the last wait", source, true, 4, 70],
    ["unchanged again: twice that", { ...source, polled_at: 50 * minute }, true, 4, 80],
    ["never more than the bound", { ...source, polled_at: 0 }, true, 4, 80],
    ["bound 1: its own interval always", source, true, 1, 65],
    ["never polled before", { ...source, polled_at: null }, true, 4, 65],
    ["a cron keeps its times", { ...source, cron: "*/5 * * * *", every_ms: null }, true, 4, 65]
  ] as const
  for (const [name, given, unchanged, stretch, answer] of cases) {
    test(name, () => expect(restedSlot(given, now, unchanged, stretch) / minute).toBe(answer))
  }
})
