import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { gzipSync } from "node:zlib"
import { decode } from "../../src/domain/charset.ts"
import { isSitemap, readSitemap, URLS_MAX, ungzip } from "../../src/domain/sitemap.ts"

const hints = { url: "https://www.a.kr/sitemap.xml", fetched_at: Date.UTC(2026, 6, 15, 12) }
const read = (text: string) => readSitemap(text, hints)
const urlset = (urls: string) =>
  `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}</urlset>`
const entry = (url: string, extra = "") => `<url><loc>${url}</loc>${extra}</url>`

describe("kinds", () => {
  test("a news sitemap gives title and publication date", () => {
    const text = urlset(
      entry(
        "https://www.a.kr/x?a=1&amp;b=2",
        "<lastmod>2026-07-15</lastmod><news:news><news:publication_date>2026-07-14T10:00:00+09:00</news:publication_date><news:title> 제목 &amp; 둘 </news:title></news:news>"
      )
    )
    expect(isSitemap(text)).toBe(true)
    expect(read(text)).toEqual({
      kind: "sitemap",
      links: [
        {
          url: "https://www.a.kr/x?a=1&b=2",
          looks: "article",
          title: "제목 & 둘",
          published_at: "2026-07-14T01:00:00Z"
        }
      ],
      flags: []
    })
  })

  test("a plain sitemap dates by the last modification and looks by the shape of the URL", () => {
    const { links } = read(
      urlset(
        entry("https://www.a.kr/2026/07/14/story-of-the-day", "<lastmod>2026-07-14</lastmod>") +
          entry("https://www.a.kr/politics")
      )
    )
    expect(links.map(({ looks, published_at }) => [looks, published_at])).toEqual([
      ["article", "2026-07-14T00:00:00Z"],
      ["list", null]
    ])
  })

  test("an index names sitemaps, also where it forgot the loc (field case B43)", () => {
    const text =
      "<sitemapindex><sitemap><loc>https://www.a.kr/news.xml</loc></sitemap><sitemap>\nhttps://www.a.kr/b.xml.gz\n</sitemap></sitemapindex>"
    expect(read(text)).toMatchObject({
      kind: "sitemap_index",
      links: [
        { url: "https://www.a.kr/news.xml", looks: "sitemap" },
        { url: "https://www.a.kr/b.xml.gz", looks: "sitemap" }
      ]
    })
  })

  test("a list of addresses is a sitemap, prose is none", () => {
    const text = "\ufeffhttps://www.a.kr/1\r\nhttps://www.a.kr/2\n\n"
    expect(isSitemap(text)).toBe(true)
    expect(read(text).links.map(({ url }) => url)).toEqual(["https://www.a.kr/1", "https://www.a.kr/2"])
    for (const other of ["hello", "", "<html></html>", "<rss/>", "see https://a.kr"])
      expect(isSitemap(other)).toBe(false)
  })
})

describe("bounds and faults", () => {
  test("slots sold to other sites are dropped and counted; a sitemap hosted elsewhere is kept whole (field case B43)", () => {
    const mixed = read(
      urlset(entry("https://www.a.kr/1") + entry("https://m.a.kr/2") + entry("https://casino.example/"))
    )
    expect(mixed.links.map(({ url }) => url)).toEqual(["https://www.a.kr/1", "https://m.a.kr/2"])
    expect(mixed.flags).toEqual(["sitemap_foreign_links"])
    expect(read(urlset(entry("https://www.b.kr/1") + entry("https://www.b.kr/2"))).links.length).toBe(2)
  })

  test("a cut sitemap gives what was whole", () => {
    const found = read(urlset(entry("https://www.a.kr/1") + entry("https://www.a.kr/2")).slice(0, -30))
    expect(found.links.map(({ url }) => url)).toEqual(["https://www.a.kr/1"])
    expect(found.flags).toEqual(["sitemap_truncated"])
  })

  test("declared entities are not expanded, repeated and foreign schemes are not taken", () => {
    const bomb = `<!DOCTYPE u [<!ENTITY a "b"><!ENTITY c SYSTEM "file:///etc/passwd">]>${urlset(entry("https://www.a.kr/&c;") + entry("file:///x") + entry("https://www.a.kr/1").repeat(2))}`
    expect(read(bomb).links.map(({ url }) => url)).toEqual(["https://www.a.kr/&c;", "https://www.a.kr/1"])
  })

  test("no more than the protocol allows", () => {
    const urls = Array.from({ length: URLS_MAX + 5 }, (_, at) => `https://www.a.kr/${at}`)
    const found = read(urls.join("\n"))
    expect(found.links.length).toBe(URLS_MAX)
    expect(found.flags).toContain("sitemap_capped")
  })
})

describe("gzip", () => {
  const text = urlset(Array.from({ length: 50 }, (_, at) => entry(`https://www.a.kr/${at}`)).join(""))
  const plain = new TextEncoder().encode(text)
  const once = gzipSync(plain)

  test.each([
    ["plain", plain],
    ["once", once],
    ["twice", gzipSync(once)]
  ])("%s: the magic bytes decide, not name or type (field case B19)", (_, bytes) => {
    const found = ungzip(new Uint8Array(bytes))
    expect(read(new TextDecoder().decode(found.bytes)).links.length).toBe(50)
    expect(found.flags).toEqual([])
  })

  test("a third layer, a bomb and a fake are refused; a cut stream gives its beginning", () => {
    expect(ungzip(gzipSync(gzipSync(once)))).toEqual({ bytes: new Uint8Array(), flags: ["gzip_refused"] })
    expect(ungzip(gzipSync(new Uint8Array(60 * 1024 * 1024)))).toEqual({
      bytes: new Uint8Array(),
      flags: ["gzip_refused"]
    })
    expect(ungzip(gzipSync(new Uint8Array(8 * 1024 * 1024))).flags).toEqual(["gzip_refused"])
    expect(ungzip(Uint8Array.of(0x1f, 0x8b, 1, 2, 3)).flags).toEqual(["gzip_refused"])
    const cut = ungzip(once.subarray(0, once.length - 20))
    expect(cut.flags).toEqual(["gzip_truncated"])
    expect(new TextDecoder().decode(cut.bytes)).toStartWith("<?xml")
  })
})

const folder = new URL("../../../shared/data/conformance/sitemaps/", import.meta.url).pathname
describe.skipIf(!existsSync(folder))("published files (skipped without the data)", () => {
  test.each([
    ["files/sitemap.txt.gz", "sitemap"],
    ["files/xmlSitemap.gz", "sitemap"],
    ["files/sitemap.index.xml", "sitemap_index"],
    ["files/sitemap.ns.xml", "sitemap"],
    ["files/sitemap.badns.xml", "sitemap"],
    ["files/sitemap-with-bom.txt", "sitemap"],
    ["files/extension/sitemap-news.xml", "sitemap"],
    ["files/extension/hebdenbridgetimes-articles-sitemap.xml", "sitemap"],
    ["files/extension/shinpaideshou-news-sitemap.xml", "sitemap"],
    ["trafilatura/sitemap.xml.gz", "sitemap"],
    ["trafilatura/sitemap-hreflang.xml", "sitemap"]
  ])("%s is a %s with links", (file, kind) => {
    const { bytes } = ungzip(new Uint8Array(readFileSync(folder + file)))
    const { text } = decode(bytes, { content_type: null, url: hints.url })
    const found = readSitemap(text, { ...hints, url: "https://unrelated.example/" })
    expect(isSitemap(text)).toBe(true)
    expect(found.kind).toBe(kind as never)
    expect(found.links.length + found.flags.length).toBeGreaterThan(0)
  })
})
