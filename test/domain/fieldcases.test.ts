import { describe, expect, test } from "bun:test"
import { read } from "../../src/domain/read.ts"
import { hints, page, paragraphs, readText, title } from "./extract/pages.ts"

/** Faults reported from the field, each on a whole page: the parts have tables of their own. */
const text = `<div class=article-body>${paragraphs}</div>`
const bytes = (...parts: ReadonlyArray<string | ReadonlyArray<number>>): Uint8Array =>
  Uint8Array.from(parts.flatMap((it) => (typeof it === "string" ? [...new TextEncoder().encode(it)] : [...it])))
const published = (body: string, head = "") =>
  readText(page(`<h1>${title}</h1>${body}`, head), { url: "https://news.example/a-story", expected: "article" }).content
    ?.published ?? null

describe("charset", () => {
  const html = (head: string) => [
    `<html lang=ko><head>${head}<title>`,
    `</title></head><body><h1>`,
    `</h1></body></html>`
  ]
  const syllables = [0x8c, 0x63, 0xb9, 0xe6, 0xb0, 0xa2, 0xc7, 0xcf]
  test("a title of the UHC extension under meta euc-kr is read whole (field case B1)", () => {
    for (const label of ["euc-kr", "cp949", "ms949", "uhc", "x-windows-949"]) {
      const [before = "", between = "", after = ""] = html(`<meta charset="${label}">`)
      const body = bytes(before, syllables, between, syllables, after)
      const { charset, content } = read(body, { ...hints, content_type: "text/html", expected: "article" }, null)
      expect([charset.name, charset.source, content?.title.codePointAt(0)]).toEqual(["euc-kr", "meta", 0xb620])
    }
  })
  test("Shift_JIS that says nothing of itself is told from its text (field case B3)", () => {
    const words = [
      0x8b, 0x43, 0x8f, 0xdb, 0x92, 0xa1, 0x82, 0xcd, 0x8f, 0x5c, 0x93, 0xfa, 0x81, 0x41, 0x91, 0xe5, 0x89, 0x4a, 0x82,
      0xcc, 0x8c, 0x78, 0x95, 0xf1, 0x82, 0xf0, 0x8f, 0x6f, 0x82, 0xb5, 0x82, 0xdc, 0x82, 0xb5, 0x82, 0xbd, 0x81, 0x42
    ]
    const body = bytes(
      "<html><body><h1>",
      words,
      "</h1>",
      ...Array.from({ length: 8 }, () => ["<p>", words, "</p>"]).flat()
    )
    const jp = { ...hints, url: "https://news.example.jp/a", content_type: null, expected: "article" } as const
    const { charset, content, verdict } = read(body, jp, null)
    expect([charset.name, charset.source, verdict]).toEqual(["shift_jis", "detected", "ok"])
    expect(content?.title).toStartWith("気象庁は十日")
    expect(JSON.stringify(content)).not.toContain("\ufffd")
  })
  test("a label that does not exist costs nothing (field case B5)", () => {
    const reading = readText(page(`<article><h1>${title}</h1>${paragraphs}</article>`), {
      content_type: "text/html; charset=ISO-88509-1"
    })
    expect([reading.charset.name, reading.content?.title]).toEqual(["utf-8", title])
  })
})

describe("dates", () => {
  test.each([
    ["2026년 2월 10일 오전 3시 30분", "2026-02-09T18:30:00Z"],
    ["2026.02.10 23시 54분", "2026-02-10T14:54:00Z"],
    ["2026. 2. 10. 오전 10:58", "2026-02-10T01:58:00Z"],
    ["입력 2026-02-10 03:30", "2026-02-09T18:30:00Z"]
  ])("the byline %p is a wall time in Seoul (field case B7)", (line, at) => {
    expect(published(`<p class=date>${line}</p>${text}`)?.at).toBe(at)
  })
  test("a date to come in a script loses to the article's own time (field case B11)", () => {
    const script = `<script>var page = {"expires":"2031-01-31","date":"2031-01-31"}</script>`
    expect(published(`<time>2026-02-09</time>${text}`, script)?.at).toStartWith("2026-02-0")
    expect(
      published(text, `${script}<meta property="article:published_time" content="2031-01-31T00:00:00Z">`)
    ).toBeNull()
  })
  test("a comment's hours ago are not the article's (field case B55)", () => {
    const comments = `<section class=comments><p>박서연 <span class=time>8 hours ago</span></p><p>8시간 전</p></section>`
    expect(published(`${text}${comments}`)).toBeNull()
    expect(published(`<p class=byline>김서준 기자 3시간 전</p>${text}${comments}`)?.at).toBe("2026-02-10T21:00:00Z")
  })
})

test("an article inside a graph gives its headline, its date and its authors by reference (field case B13)", () => {
  const graph = {
    "@graph": [
      { "@type": "WebPage", name: "A page", datePublished: "2020-01-01" },
      {
        "@type": ["NewsArticle"],
        headline: title,
        datePublished: "2026-02-10T03:30:00+09:00",
        author: [{ "@id": "#p1" }, { "@id": "#p2" }]
      },
      { "@type": "Person", "@id": "#p1", name: "Alma Reyes" },
      { "@type": "Person", "@id": "#p2", name: "Bo Lind" }
    ]
  }
  const ld = `<script type="application/ld+json">${JSON.stringify(graph)}</script>`
  const { content } = readText(page(text, ld))
  expect(content).toMatchObject({
    title,
    authors: ["Alma Reyes", "Bo Lind"],
    published: { at: "2026-02-09T18:30:00Z" }
  })
})

test("one feed with a mark, a leading blank, an undeclared entity, bare ampersands and a cut end loses one item (field case B31)", () => {
  const items = Array.from(
    { length: 20 },
    (_, at) =>
      `<item><title>It&lsquo;s Q&A ${at} & more</title><link>https://news.example/a/${at}?x=1&amp;y=2</link></item>`
  ).join("")
  const feed = `\ufeff  <?xml version="1.0"?><rss version="2.0"><channel><title>News & more</title>${items}`.slice(
    0,
    -25
  )
  const { kind, links } = readText(feed, { content_type: "application/rss+xml" })
  expect(kind).toBe("feed")
  expect(links.length).toBeGreaterThanOrEqual(19)
  expect(links[0]).toMatchObject({ url: "https://news.example/a/0?x=1&y=2" })
})
