import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { Schema } from "effect"
import { decode } from "../../src/domain/charset.ts"
import { ITEMS_MAX, isFeed, readFeed } from "../../src/domain/feed.ts"
import { decodeOnce } from "../../src/domain/xml/reference.ts"
import { law } from "../support/law.ts"

const hints = { url: "https://news.example/rss.xml", fetched_at: Date.UTC(2026, 6, 15, 12) }
const read = (text: string) => readFeed(text, hints)
const rss = (items: string, head = "") =>
  `<?xml version="1.0"?><rss version="2.0"><channel><title>N</title><link>https://news.example/</link>${head}${items}</channel></rss>`
const item = (at: number, extra = "") =>
  `<item><title>Story ${at}</title><link>https://news.example/story/${at}</link><pubDate>Wed, 15 Jul 2026 0${at % 10}:00:00 +0900</pubDate>${extra}</item>`

describe("formats", () => {
  test("RSS 2.0: title, link, date in UTC, author, tags, summary and full text", () => {
    const found = read(
      rss(
        item(
          1,
          '<dc:creator>Kim</dc:creator><category>economy</category><category>bank</category><guid isPermaLink="false">x1</guid>' +
            "<description>Short</description><content:encoded><![CDATA[<p>Long <b>text</b></p><script>alert(1)</script>]]></content:encoded>"
        )
      )
    )
    expect(found.kind).toBe("rss")
    expect(found.entries).toEqual([
      {
        title: "Story 1",
        link: "https://news.example/story/1",
        id: "x1",
        published: "2026-07-14T16:00:00Z",
        updated: null,
        author: "Kim",
        summary: "Short",
        content: "<p>Long <b>text</b></p>",
        language: null,
        tags: ["economy", "bank"]
      }
    ])
    expect(found.links).toEqual([
      { url: "https://news.example/story/1", looks: "article", title: "Story 1", published_at: "2026-07-14T16:00:00Z" }
    ])
    expect(found.flags).toEqual([])
  })

  test("RSS 1.0: items stand beside the channel", () => {
    const found = read(
      '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">' +
        '<channel rdf:about="https://a.jp/"><title>新聞</title><items><rdf:Seq><rdf:li resource="https://a.jp/1"/></rdf:Seq></items></channel>' +
        '<item rdf:about="https://a.jp/1"><title>記事</title><link>https://a.jp/1</link><dc:date>2026-07-14T10:00:00+09:00</dc:date></item></rdf:RDF>'
    )
    expect(found).toMatchObject({ kind: "rdf", title: "新聞" })
    expect(found.links).toEqual([
      { url: "https://a.jp/1", looks: "article", title: "記事", published_at: "2026-07-14T01:00:00Z" }
    ])
  })

  test("Atom: the alternate link, not the feed's own; base resolves what is relative", () => {
    const found = read(
      '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en_US" xml:base="https://b.example/x/"><title>A</title>' +
        '<link rel="self" href="https://b.example/atom.xml"/><link href="/"/><entry><title type="html">Tom &amp;amp; Ann</title>' +
        '<link rel="enclosure" href="a.mp3"/><link rel="alternate" href="story.html"/><id>tag:1</id><updated>2026-07-14T10:00:00Z</updated>' +
        '<author><name>Ann</name><email>ann@b.example</email></author><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">Hi <a href="y">y</a></div></content></entry></feed>'
    )
    expect(found).toMatchObject({ kind: "atom", link: "https://b.example/", language: "en-US" })
    expect(found.entries[0]).toMatchObject({
      link: "https://b.example/x/story.html",
      author: "Ann (ann@b.example)",
      updated: "2026-07-14T10:00:00Z",
      content: 'Hi <a href="https://b.example/x/y">y</a>'
    })
    expect(found.links[0]?.title).toBe("Tom & Ann")
  })

  test("JSON Feed", () => {
    const text = JSON.stringify({
      version: "https://jsonfeed.org/version/1.1",
      title: "J",
      home_page_url: "https://j.example/",
      items: [
        {
          id: 1,
          url: "/a",
          title: "T",
          date_published: "2026-07-14T10:00:00+09:00",
          authors: [{ name: "A" }, { name: "B" }],
          tags: ["x"]
        }
      ]
    })
    expect(isFeed(text)).toBe(true)
    expect(read(text).entries[0]).toMatchObject({
      id: "1",
      link: "https://j.example/a",
      author: "A, B",
      published: "2026-07-14T01:00:00Z"
    })
  })
})

describe("faults", () => {
  const twenty = Array.from({ length: 20 }, (_, at) => item(at)).join("")

  test("leading blanks, a mark, undeclared entities and bare ampersands cost no item (field case B31)", () => {
    const broken = `\ufeff\n  ${rss(twenty.replace("Story 3", "&lsquo;Q&A&rsquo; & more"))}`
    const found = read(broken)
    expect(isFeed(broken)).toBe(true)
    expect(found.links.length).toBe(20)
    expect(found.links[3]?.title).toBe("‘Q&A’ & more")
    expect(found.flags).toEqual(
      expect.arrayContaining(["feed_leading_text", "feed_undeclared_entity", "feed_bare_ampersand"])
    )
  })

  test.each([
    ["in a title", "<item><title>Cut in the mid"],
    ["in a link", "<item><title>T</title><link>https://news.example/stor"],
    ["in a tag", "<item><title>T</title><li"],
    ["in CDATA", "<item><title><![CDATA[T"]
  ])("a last item cut %s is dropped, the rest stays (field case B31)", (_, cut) => {
    const found = read(`${rss(twenty).replace("</channel></rss>", "")}${cut}`)
    expect(found.links.length).toBe(20)
    expect(found.flags).toContain("feed_truncated")
  })

  test("a last item cut after its link is kept", () => {
    const found = read(
      `${rss(twenty).replace("</channel></rss>", "")}<item><link>https://news.example/last</link><title>Cu`
    )
    expect(found.links.at(-1)).toMatchObject({ url: "https://news.example/last", title: null })
  })

  test("a feed in EUC-KR reads through its declaration (field case B31)", () => {
    const head = new TextEncoder().encode('<?xml version="1.0" encoding="euc-kr"?><rss><channel><item><title>')
    const tail = new TextEncoder().encode("</title><link>https://a.kr/1</link></item></channel></rss>")
    const bytes = new Uint8Array([...head, 0x8c, 0x63, 0xb9, 0xe6, 0xb0, 0xa2, 0xc7, 0xcf, ...tail])
    expect(read(decode(bytes, { content_type: null, url: hints.url }).text).links[0]?.title).toBe("\ub620방각하")
  })

  test("items that were never closed are items all the same", () => {
    const found = read(
      rss("<item><link>https://a.kr/1</link><title>A</title><item><link>https://a.kr/2</link><title>B</title>")
    )
    expect(found.links.map(({ url, title }) => [url, title])).toEqual([
      ["https://a.kr/1", "A"],
      ["https://a.kr/2", "B"]
    ])
  })

  test("entities are decoded once, whatever the nesting (field case B17)", () => {
    const found = read(rss("<item><link>https://a.kr/?x=1&amp;amp;p=2</link></item>"))
    expect(found.links[0]?.url).toBe("https://a.kr/?x=1&amp;p=2")
  })

  test("a reference called like what every object has is no entity", () =>
    expect(decodeOnce("a &constructor; b &toString; &amp;")).toBe("a &constructor; b &toString; &"))
  test("an entity bomb stays small", () => {
    const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>${rss("<item><title>&c;&b;&a;</title><link>https://a.kr/1</link></item>")}`
    expect((read(bomb).entries[0]?.title ?? "").length).toBeLessThan(40)
  })

  test("only http links are links (bad input B186)", () => {
    const links = ["javascript:alert(1)", "/rel", "mailto:a@b.kr", "ftp://a.kr/", "https://a.kr/1"]
    const found = read(rss(links.map((it) => `<item><title>T</title><link>${it}</link></item>`).join("")))
    expect(found.links.map(({ url }) => url)).toEqual(["https://news.example/rel", "https://a.kr/1"])
    expect(found.entries.length).toBe(5)
  })

  test("of a hundred thousand items the newest are taken (bad input B185)", () => {
    const items = Array.from({ length: 5_000 }, (_, at) => {
      const date = new Date(Date.UTC(2026, 0, 1) + at * 60_000).toUTCString()
      return `<item><link>https://a.kr/${at}</link><pubDate>${date}</pubDate></item>`
    })
    const found = read(rss(items.join("")))
    expect(found.links.length).toBe(ITEMS_MAX)
    expect(found.links[0]?.url).toBe("https://a.kr/4000")
    expect(found.links.at(-1)?.url).toBe("https://a.kr/4999")
    expect(found.flags).toContain("feed_items_capped")
  })

  test.each([
    ["<language>ko</language>", "https://news.example/rss", "2026-07-13T15:30:00Z"],
    ["<language>en-us</language>", "https://news.example/rss", "2026-07-14T00:30:00Z"],
    ["", "https://www.a.kr/rss", "2026-07-13T15:30:00Z"]
  ])("a date without a zone goes by the feed's own country: %p at %p", (head, url, expected) => {
    const text = rss("<item><link>https://a.kr/1</link><pubDate>2026-07-14 00:30:00</pubDate></item>", head)
    expect(readFeed(text, { ...hints, url }).links[0]?.published_at).toBe(expected)
    expect(readFeed(text, { ...hints, url, country: "JP" }).links[0]?.published_at).toBe("2026-07-13T15:30:00Z")
  })

  test("dates ahead of the fetch are no dates", () => {
    const found = read(rss("<item><link>https://a.kr/1</link><pubDate>Mon, 01 Jan 2035 00:00:00 GMT</pubDate></item>"))
    expect(found.links[0]?.published_at).toBeNull()
  })

  test.each([
    ["plain text"],
    ["<html><body><feed>x</feed></body></html>"],
    ["{}"],
    ["[1]"],
    [""],
    ["<urlset><url/></urlset>"]
  ])("%p is no feed", (text) => expect(isFeed(text)).toBe(false))

  law("no text makes reading fail", Schema.String, (text) => {
    const found = read(`<rss><channel><item>${text}<link>https://a.kr/1`)
    return found.entries.length >= 0 && read(text).links.length >= 0
  })
})

const folder = new URL("../../../shared/data/conformance/feeds/", import.meta.url).pathname
describe.skipIf(!existsSync(folder))("published vectors (skipped without the data)", () => {
  test("every well-formed and ill-formed file gives items or a channel", () => {
    const vectors: ReadonlyArray<{ file: string; headers?: Record<string, string>; checks?: unknown }> = JSON.parse(
      readFileSync(`${folder}vectors.json`, "utf8")
    )
    const files = vectors.filter(({ file }) =>
      /^(?:wellformed\/(?:rss|atom|atom10|rdf)|illformed\/chardet)\//.test(file)
    )
    const unread = files.filter(({ file }) => {
      const { text } = decode(new Uint8Array(readFileSync(`${folder}files/${file}`)), {
        content_type: null,
        url: hints.url
      })
      return !isFeed(text) || read(text).flags.includes("feed_unreadable")
    })
    expect(files.length).toBeGreaterThan(500)
    expect(unread.map(({ file }) => file)).toEqual([])
  })
})
