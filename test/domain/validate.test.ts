import { describe, expect, test } from "bun:test"
import type { Content } from "../../src/domain/article.ts"
import { type RejectionCode, validateArticle } from "../../src/domain/validate.ts"

const bounds = { titleMin: 10, titleMax: 500, textMin: 100, textMax: 50_000, qualityMin: 0.5 }
const korean = "정부는 올해 예산을 항만과 철도에 쓰기로 했다고 밝혔다. 시민 단체는 절차를 다시 살펴야 한다고 지적했다. "
const english =
  "The council voted on Tuesday to repair the old bridge before winter. Engineers had warned that its piers were worn. "
const content = (title: string, text: string): Content => ({
  title,
  text,
  html: null,
  authors: [],
  published: null,
  modified: null,
  language: null,
  section: null,
  tags: [],
  image: null,
  description: null,
  site_name: null,
  canonical_url: null,
  extraction: { by: "generic", rule: null, version: 1, confidence: 1 }
})
const title = "항만 예산 두 배로 늘린다"

describe("an article is taken, or rejected with a code", () => {
  const table: ReadonlyArray<
    readonly [name: string, title: string, text: string, codes: ReadonlyArray<RejectionCode>]
  > = [
    ["a Korean article", title, korean.repeat(3), []],
    ["an English article", "Council votes to repair the bridge", english.repeat(4), []],
    ["a short report", title, korean.repeat(2), []],
    [
      "Chinese without blanks",
      "北京举行经济工作会议并公布计划",
      "会议指出，明年经济工作要稳中求进，推动高质量发展。".repeat(8),
      []
    ],
    ["no title", "", korean.repeat(3), ["required"]],
    ["no text", title, "", ["required"]],
    ["blanks for a text", title, " \n ", ["required", "too_short"]],
    ["a title of nine code points", "아홉글자짜리제목임", korean.repeat(3), ["too_short"]],
    ["a title of ten code points beyond the first plane", `${"😀".repeat(5)}가나다라마`, korean.repeat(3), []],
    ["a title of 501", "가".repeat(501), korean.repeat(3), ["too_long"]],
    ["a title of signs", "!!! ??? --- ...", korean.repeat(3), ["format"]],
    ["a text of 50,001", title, (korean.repeat(2000) + korean).slice(0, 50_001), ["too_long"]],
    ["shouting", "Council votes to repair the bridge", english.toUpperCase().repeat(4), ["spam"]],
    ["signs", title, `${korean}★★★★★★★★★★★★★★★★★★★★★★★★★★★★$$$$$$$$####`.repeat(3), ["spam"]],
    ["one word again and again", title, "구매 ".repeat(60), ["quality"]]
  ]
  for (const [name, head, text, codes] of table)
    test(`${name}: ${codes.join(", ") || "taken"}`, () =>
      expect([...new Set(validateArticle(content(head, text), bounds).map((it) => it.code))]).toEqual([...codes]))
  test("a rejection names the value found and the form expected", () =>
    expect(validateArticle(content("짧다", korean.repeat(3)), bounds)[0]).toMatchObject({
      code: "too_short",
      field: "title",
      message: "2 code points, at least 10 expected"
    }))
})
