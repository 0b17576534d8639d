import { describe, expect, test } from "bun:test"
import type { CrawlJob } from "../../src/domain/crawl.ts"
import { dayIn, firstPaging, nextPage, streakAfter } from "../../src/domain/paging.ts"
import { source } from "../support/conformance/sources.ts"

const section = source("a", {
  kind: "list",
  url: "https://a.kr/list",
  page_url: "https://a.kr/list?d={yyyyMMdd}&p={page}"
})
/** Half past eleven in the night of 30 November in Seoul. */
const slot = Date.UTC(2026, 10, 30, 14, 30)

describe("the first page of a poll", () => {
  test("knows how further ones are addressed, and on which day it is", () => {
    expect(firstPaging(section, slot, 3)).toEqual({
      page: 1,
      last: 3,
      url: "https://a.kr/list?d=20261130&p={page}",
      streak: 0
    })
    expect(dayIn(slot + 3_600_000, "Asia/Seoul")).toBe("20261201")
  })
  const cases: ReadonlyArray<readonly [string, Parameters<typeof source>[1], number, number | null]> = [
    ["the source's own bound", { max_pages: 5 }, 1, 5],
    ["one page by setting", {}, 1, null],
    ["one page by source", { max_pages: 1 }, 9, null],
    ["no address of further ones", { page_url: null }, 9, null],
    ["a feed", { kind: "feed" }, 9, null]
  ]
  for (const [name, more, pagesMax, last] of cases)
    test(`${name}: ${last ?? "no further page"}`, () =>
      expect(firstPaging({ ...section, ...more }, slot, pagesMax)?.last ?? null).toBe(last))
})

describe("known links in a row", () => {
  const cases: ReadonlyArray<readonly [ReadonlyArray<boolean>, number, number]> = [
    [[true, true], 0, 2],
    [[true, false, true], 0, 1],
    [[false], 7, 0],
    [[true], 7, 8],
    [[true, true, true, true, true, true, true, true, false], 0, 8],
    [[], 3, 3]
  ]
  for (const [known, before, after] of cases)
    test(`${before} before, then ${known.map((it) => (it ? "known" : "new")).join(" ")}: ${after}`, () =>
      expect(streakAfter(known, before, 8)).toBe(after))
})

describe("the next list page", () => {
  const job = (page: number, streak = 0): CrawlJob => ({
    id: page === 1 ? "s@1000" : `s@1000.${page}`,
    source_id: "s",
    target: { url: "https://a.kr/list", type: "list", section: "FINANCE" },
    host: "a.kr",
    priority: { value: "low", by: "default" },
    fetcher: "auto",
    follow: { hops: 1, within: "a.kr", lists: false, since: null },
    visit: 1,
    scheduled_at: 1000,
    retry_count: 2,
    paging: { page, last: 3, url: "https://a.kr/list?p={page}", streak }
  })
  const fresh = [false, false, false]
  test("is the same poll's, at its own address, with a count of its own", () => {
    const next = nextPage(job(1), [false, true], 8)
    expect(next).toMatchObject({
      id: "s@1000.2",
      target: { url: "https://a.kr/list?p=2", section: "FINANCE" },
      retry_count: 0
    })
    expect(next?.paging).toMatchObject({ page: 2, streak: 1 })
    expect(nextPage(job(2), fresh, 8)?.id).toBe("s@1000.3")
  })
  const none: ReadonlyArray<readonly [string, CrawlJob, ReadonlyArray<boolean>]> = [
    ["after the last one", job(3), fresh],
    ["after a page without links", job(1), []],
    ["after eight known in a row", job(1), Array.from({ length: 8 }, () => true)],
    ["after eight known in a row over two pages", job(2, 5), [true, true, true, false]]
  ]
  for (const [name, given, known] of none) test(`is none ${name}`, () => expect(nextPage(given, known, 8)).toBe(null))
  test("is none for a list that has one page", () => {
    const { paging: _, ...single } = job(1)
    expect(nextPage(single, fresh, 8)).toBe(null)
  })
})
