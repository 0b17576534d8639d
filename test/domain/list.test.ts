import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { Schema } from "effect"
import { listLinks, looksOf } from "../../src/domain/list.ts"
import { parse } from "../../src/domain/tree.ts"
import { law } from "../support/law.ts"

const url = "https://www.a.kr/news/section"
const read = (html: string, more: { url?: string; country?: string } = {}) =>
  listLinks(parse(html), {
    url,
    expected: "list",
    status: 200,
    content_type: "text/html",
    truncated: false,
    fetched_at: Date.UTC(2026, 6, 15, 12),
    html: false,
    ...more
  })
const urls = (html: string, more = {}) => read(html, more).map((it) => it.url)

describe("addresses", () => {
  test("resolve against the base, keep their order, come once", () => {
    const html =
      '<base href="https://cdn.a.kr/x/"><a href="b/1">B</a><a href="/a">A</a><a href="b/1#c">again</a><a href="b/1?utm_source=top">again</a>'
    expect(urls(html)).toEqual(["https://cdn.a.kr/x/b/1", "https://cdn.a.kr/a"])
  })

  test.each([
    ["in the usual order", `<meta http-equiv="refresh" content="0; url=next.html">`],
    ["its attributes swapped", `<meta content="0;URL='next.html'" http-equiv="Refresh">`],
    ["without a name", `<meta content="3, next.html" http-equiv="REFRESH">`]
  ])("a refresh is a link, %s, against the base (field case B53)", (_, meta) => {
    expect(urls(`<head><base href="/x/">${meta}</head>`)).toEqual(["https://www.a.kr/x/next.html"])
  })

  test("entities are decoded once (field case B17)", () => {
    expect(urls('<a href="?a=1&amp;amp;p=2">x</a>')).toEqual(["https://www.a.kr/news/section?a=1&amp;p=2"])
  })

  test("what leads nowhere is dropped", () => {
    const dead = [
      "javascript:void(0)",
      "mailto:a@b.kr",
      "tel:1",
      "data:text/html,x",
      "#top",
      "",
      "ftp://a.kr/",
      "http://"
    ]
    expect(urls(dead.map((it) => `<a href="${it}">x</a>`).join(""))).toEqual([])
    expect(urls(`<a href="${url}#comments">the page itself</a>`)).toEqual([])
  })

  test("a refresh is a link whatever the order of its attributes, against the base (field case B53)", () => {
    expect(urls('<base href="/x/"><meta content="0; URL=next.html" http-equiv="Refresh">')).toEqual([
      "https://www.a.kr/x/next.html"
    ])
    expect(urls("<meta http-equiv=refresh content=\"5;url='/y'\">")).toEqual(["https://www.a.kr/y"])
  })

  test("a feed that the head names is a feed, whatever its address", () => {
    const html =
      '<link rel="alternate" type="application/rss+xml" title="All" href="/out?f=1"><link rel="alternate" hreflang="en" href="/en">'
    expect(read(html)).toEqual([{ url: "https://www.a.kr/out?f=1", looks: "feed", title: "All", published_at: null }])
  })
})

describe("looks by shape", () => {
  test.each([
    ["https://n.news.naver.com/mnews/article/001/0012345678", "article"],
    ["https://news.naver.com/main/read.naver?mode=LSD&oid=001&aid=0012345678", "article"],
    ["https://www.yna.co.kr/view/AKR20260210001000001", "article"],
    ["https://www.a.kr/news/articleView.html?idxno=123456", "article"],
    ["https://www.chosun.com/economy/2026/02/10/ABCDEF1234567/", "article"],
    ["https://www.hani.co.kr/arti/economy/finance/1180001.html", "article"],
    ["https://www.bbc.com/news/articles/c8xg1dlz0pqo", "article"],
    ["https://www.theguardian.com/world/2026/feb/10/a-headline-of-some-words", "article"],
    ["https://www.spiegel.de/politik/ein-titel-aus-mehreren-worten-a-1234.html", "article"],
    ["https://www.lemonde.fr/economie/article/2026/02/10/un-titre_6123456_3234.html", "article"],
    ["https://www3.nhk.or.jp/news/html/20260210/k10014356781000.html", "article"],
    ["https://a.kr/2026/02/10/", "list"],
    ["https://a.kr/", "list"],
    ["https://a.kr/politics", "list"],
    ["https://news.naver.com/breakingnews/section/101/259?date=20260210&page=2", "list"],
    ["https://www.a.kr/news/articleList.html?sc_section_code=S1N1", "list"],
    ["https://a.kr/tag/some-topic-of-the-day", "list"],
    ["https://a.kr/author/kim-min-soo-reporter", "list"],
    ["https://a.kr/category/tanzania/life-in-the-villages/", "list"],
    ["https://a.kr/search?q=x", "list"],
    ["https://a.kr/rss/all.xml", "feed"],
    ["https://a.kr/feed/", "feed"],
    ["https://a.kr/?feed=rss2", "feed"],
    ["https://a.kr/sitemap-news.xml", "sitemap"],
    ["https://a.kr/sitemaps/2026.xml.gz", "sitemap"],
    ["https://a.kr/photo/2026/02/10/picture.jpg", "other"],
    ["https://a.kr/login", "other"],
    ["https://a.kr/about-us", "other"],
    ["https://a.kr/privacy-policy", "other"]
  ])("%p looks like %p", (address, looks) => expect(looksOf(address, address)).toBe(looks as never))

  test("of another site only certain articles are seen", () => {
    expect(looksOf("https://b.kr/politics", url)).toBe("other")
    expect(looksOf("https://b.kr/2026/02/10/story-about-it", url)).toBe("article")
    expect(looksOf("https://m.a.kr/politics", url)).toBe("list")
    expect(looksOf("javascript:x", url)).toBe("other")
  })
})

describe("looks by place", () => {
  const headline = "정부, 경제 활성화 위한 새 대책 발표"
  const items = (make: (at: number) => string) => Array.from({ length: 8 }, (_, at) => make(at)).join("")

  test("a repeated template with headlines makes articles of URLs that say nothing", () => {
    const html =
      '<nav class="gnb"><a href="/k/1">정치</a><a href="/k/2">경제</a></nav><ul class="list">' +
      items((at) => `<li class="item"><a href="/x/${at}"><strong>${headline} ${at}</strong></a></li>`) +
      "</ul>"
    const found = read(html)
    expect(found.filter(({ looks }) => looks === "article").length).toBe(8)
    expect(found.filter(({ looks }) => looks === "list").map(({ title }) => title)).toEqual(["정치", "경제"])
  })

  test("what the page is about comes before its navigation, each in its order", () => {
    const html = '<nav><a href="/k/1">정치</a><a href="/k/2">경제</a></nav><p><a href="/b">b</a> <a href="/a">a</a></p>'
    expect(read(html).map(({ url }) => new URL(url).pathname)).toEqual(["/b", "/a", "/k/1", "/k/2"])
  })

  test("picture and headline of an item are one link, with the headline", () => {
    const html = items(
      (at) =>
        `<div class="card"><a href="/news/${12_345 + at}"><img src="x.jpg" alt="사진"></a><h3><a href="/news/${12_345 + at}">${headline} ${at}</a></h3><a href="/news/${12_345 + at}">더보기</a></div>`
    )
    const found = read(html)
    expect(found.length).toBe(8)
    expect(found[3]).toMatchObject({ title: `${headline} 3`, looks: "article" })
  })

  test.each([
    ["time element", '<time datetime="2026-07-14T10:00:00+09:00">어제</time>', "2026-07-14T01:00:00Z"],
    ["stated by class", '<span class="date">2026.07.14 10:00</span>', "2026-07-14T01:00:00Z"],
    ["relative", '<span class="info_time">3시간 전</span>', "2026-07-15T09:00:00Z"],
    ["no date", '<span class="writer">김기자</span>', null]
  ])("the date beside an item is its own: %s", (_, beside, expected) => {
    const html = `<ul>${items((at) => `<li><a href="/news/${12_345 + at}">${headline} ${at}</a>${at === 2 ? beside : ""}</li>`)}</ul>`
    const found = read(html, { country: "KR" })
    expect(found[2]?.published_at ?? null).toBe(expected)
    expect(found[1]?.published_at).toBeNull()
  })

  test("long link texts in a footer are no articles", () => {
    const html = `<footer>${items((at) => `<a href="/x/${at}">${headline} ${at}</a>`)}</footer>`
    expect(read(html).filter(({ looks }) => looks === "article")).toEqual([])
  })

  test("pages of services stay apart, even among headlines", () => {
    const html = `<ul>${items((at) => `<li><a href="/news/${12_345 + at}">${headline} ${at}</a></li>`)}<li><a href="/privacy">${headline}</a></li></ul>`
    expect(read(html).at(-1)?.looks).toBe("other")
  })
})

law("no page makes reading fail", Schema.String, (text) => read(`<a href="${text}">x</a>${text}`).length >= 0)

const folder = new URL("../../../shared/data/", import.meta.url).pathname
test.skipIf(!existsSync(folder))(
  "addresses of real news articles look like articles (skipped without the data)",
  () => {
    const addresses = ["fundus", "naeb"].flatMap((set) => {
      const truth: Readonly<Record<string, { url?: string }>> = JSON.parse(
        readFileSync(`${folder}${set}/dev/truth.json`, "utf8")
      )
      return Object.values(truth).flatMap((it) => it.url ?? [])
    })
    const right = addresses.filter((it) => looksOf(it, it) === "article")
    expect(right.length / addresses.length).toBeGreaterThan(0.97)
  }
)
