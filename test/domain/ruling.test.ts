import { describe, expect, test } from "bun:test"
import { read } from "../../src/domain/read.ts"
import { type Ruling, ruleFor } from "../../src/domain/ruling.ts"

const rule = (id: string, more: Partial<Ruling> = {}): Ruling => ({
  id,
  source_name: "s",
  host_pattern: "a.kr",
  path_pattern: "",
  target_type: "page",
  version: 1,
  enabled: true,
  priority: null,
  identity_pattern: null,
  zone: null,
  origin: "operator",
  selectors: {},
  ...more
})

describe("the rule of a URL", () => {
  const rules = [
    rule("all"),
    rule("news", { path_pattern: "/news/" }),
    rule("newer", { path_pattern: "/news/", version: 2 }),
    rule("off", { path_pattern: "/news/economy/", enabled: false }),
    rule("list", { path_pattern: "/news/list", target_type: "list" })
  ]
  const cases: ReadonlyArray<readonly [string, Parameters<typeof ruleFor>[2], string | null]> = [
    ["https://a.kr/x", "article", "all"],
    ["https://a.kr/news/1", "article", "newer"],
    ["https://a.kr/news/economy/1", "article", "newer"],
    ["https://a.kr/news/list/1", "list", "list"],
    ["https://a.kr/news/list/1", "auto", "list"],
    ["https://a.kr/other", "list", null],
    ["https://a.kr/rss", "feed", null],
    ["https://b.kr/news/1", "article", null],
    ["not a url", "article", null]
  ]
  test.each(cases.map((row) => [...row] as const))("%s as %s is %s", (url, expected, id) => {
    expect(ruleFor(rules, url, expected)?.id ?? null).toBe(id)
  })
})

const page = `<html><body><nav><a href="/menu/article/001/1">메뉴</a></nav>
<div class="section_latest"><a href="/article/001/0000000001"><img></a>
<a href="/article/001/0000000001">첫째 기사의 제목입니다</a>
<a href="/article/002/0000000002">둘째 기사의 제목입니다</a><a href="/topic/9">주제</a></div>
<div class="ranking"><a href="/article/003/0000000003">많이 본 기사</a></div></body></html>`

test("a list rule gives only its part's links, each once, in order", () => {
  const list = rule("l", {
    target_type: "list",
    selectors: { item_link: { css: '.section_latest a[href*="/article/"]' } }
  })
  const hints = {
    url: "https://a.kr/breakingnews/section/101/259",
    expected: "list",
    status: 200,
    content_type: "text/html; charset=utf-8",
    truncated: false,
    fetched_at: 0,
    html: false
  } as const
  const { links } = read(new TextEncoder().encode(page), hints, list)
  expect(links.map((it) => [it.url, it.title, it.looks])).toEqual([
    ["https://a.kr/article/001/0000000001", "첫째 기사의 제목입니다", "article"],
    ["https://a.kr/article/002/0000000002", "둘째 기사의 제목입니다", "article"]
  ])
  const without = read(new TextEncoder().encode(page), hints, { ...list, enabled: false })
  expect(without.links.length).toBeGreaterThan(2)
})
