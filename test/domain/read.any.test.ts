import { describe, expect, test } from "bun:test"
import { read } from "../../src/domain/read.ts"
import type { ParsingRule } from "../../src/domain/rule.ts"
import { hints, layouts, page, paragraphs, readText, title } from "./extract/pages.ts"

describe("a parsing rule comes before generic extraction, field by field", () => {
  const rule: ParsingRule = {
    id: "r1",
    source_name: "가나일보",
    host_pattern: "news.example",
    path_pattern: "",
    target_type: "article",
    version: 3,
    enabled: true,
    selectors: {
      title: { css: "h2.real" },
      main_content: [{ css: ".absent" }, { css: "#body" }],
      author: { css: ".who" },
      published_at: { css: "span[data-when]", attribute: "data-when" },
      tags: { css: ".tags a", multi: true },
      images: { css: "img.top", attribute: "src" }
    }
  }
  const html = page(
    `<h1>${title}</h1><h2 class=real>규칙이 고른 제목</h2><span class=who>이하윤 기자</span><span data-when="2026-02-09T00:00:00Z"></span><div id=body><p>규칙이 고른 본문은 짧아도 된다.</p></div><div class=tags><a>하나</a><a>둘</a></div><img class=top src="/a.jpg"><article>${paragraphs}</article>`
  )
  test("its selectors fill what they find", () =>
    expect(readText(html, {}, rule).content).toMatchObject({
      title: "규칙이 고른 제목",
      text: "규칙이 고른 본문은 짧아도 된다.",
      authors: ["이하윤"],
      published: { at: "2026-02-09T00:00:00Z", source: "rule" },
      tags: ["하나", "둘"],
      image: "https://news.example/a.jpg",
      extraction: { by: "rule", rule: "r1", version: 3 }
    }))
  test("what they do not find is extracted generically", () => {
    const { content } = readText(page(layouts[0]![1]), {}, rule)
    expect(content).toMatchObject({ title, authors: ["김서준"], extraction: { by: "generic" } })
    expect(content?.text).toContain("제7항")
  })
  test("a rule that is off or not valid changes nothing", () => {
    expect(readText(html, {}, { ...rule, enabled: false }).content?.title).toBe(title)
    const broken = { ...rule, selectors: { title: { css: "h2[" }, main_content: { css: ":::" } } }
    expect(readText(html, {}, broken).content?.title).toBe(title)
  })
})

describe("any bytes give a reading that can be stored", () => {
  const noise = (seed: number, length: number): Uint8Array => {
    let state = seed
    return Uint8Array.from({ length }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return state >>> 24
    })
  }
  const inputs: ReadonlyArray<readonly [string, Uint8Array]> = [
    ["nothing", new Uint8Array()],
    ["one byte", Uint8Array.of(0xff)],
    ["noise", noise(1, 20_000)],
    ["noise behind a tag", Uint8Array.from([...new TextEncoder().encode("<html><p>"), ...noise(7, 20_000)])],
    ["a deep page", new TextEncoder().encode("<div>".repeat(50_000))],
    ["a tag that never ends", new TextEncoder().encode(`<p ${"a=b ".repeat(50_000)}`)],
    ["a page of one word", new TextEncoder().encode("x".repeat(500_000))],
    ["lines by the hundred thousand", new TextEncoder().encode(`<div>${"line<br>".repeat(100_000)}`)],
    ["words in tags by the hundred thousand", new TextEncoder().encode(`<p>${"<b>x</b> y ".repeat(100_000)}`)],
    [
      "bylines by the ten thousand",
      new TextEncoder().encode(`<h1>t</h1>${"<span class=author>a</span>".repeat(30_000)}`)
    ],
    [
      "tooltips by the ten thousand behind a long text",
      new TextEncoder().encode(`<p>${"word) ".repeat(200_000)}${"<i class=tooltip>x.</i>".repeat(15_000)}`)
    ],
    ["blanks for an author", new TextEncoder().encode(`<meta name=author content="A${" ".repeat(300_000)}B"><p>x`)],
    ["blanks", new TextEncoder().encode(`<p>${" \n".repeat(200_000)}x</p>`)]
  ]
  for (const [name, bytes] of inputs)
    test(name, () => {
      const reading = read(bytes, { ...hints, expected: "article" }, null)
      expect(JSON.stringify(reading)).toBeString()
    })
  test("NUL and lone surrogates do not reach the text", () => {
    const html = page(
      `<article><h1>a\u0000b&#xD800; 제목이다</h1>${paragraphs}<p>여기\u0000에 &#xDFFF; 이상한 글자가 들어 있는 문장이 있다고 한다.</p></article>`,
      `<script type="application/ld+json">{"@type":"NewsArticle","headline":"x","author":"A\\ud800 B\\u0000C"}</script>`
    )
    const written = JSON.stringify(readText(html).content)
    expect(written).not.toContain("\\u0000")
    expect(written).not.toMatch(/\\ud[89a-f]/u)
  })
})
