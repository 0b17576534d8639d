import { describe, expect, test } from "bun:test"
import { page, paragraphs, readText, title } from "./extract/pages.ts"

const date = `<meta property="article:published_time" content="2026-02-10T03:30:00+09:00">`
const text = `<h1>${title}</h1><p class=byline>김서준 기자</p><div class=article-body>${paragraphs}</div>`
const ld = (node: object): string => `<script type="application/ld+json">${JSON.stringify(node)}</script>`
const kindOf = (body: string, head = "", url = "https://news.example/society/2026/02/10/12345", root = "") =>
  readText(page(body, head).replace("<html ", `<html ${root} `), { url }).kind

const line = "The council has voted for the new line along the river, and work begins in the coming spring."
const times = (count: number, each: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => each(i)).join("")

/** Pages without structured data, at an address that reads like an article's: their form says what they are. */
describe("the form of a page tells a list, a thread and an offer from an article", () => {
  const heading = "<h1>What the city builds along the river</h1>"
  const teaser = (i: number): string =>
    `<div><h3><a href="/2026/02/${i}/some-long-headline-here">A headline of number ${i}</a></h3><p>${line}</p></div>`
  const post = (i: number): string =>
    `<div><b>user${i}</b><span>${i + 1} hours ago</span><p>${line} ${line} ${line}</p></div>`
  const card = (i: number): string => `<div><h3>A part of the offer ${i}</h3><p>${line}</p></div>`
  const forms: ReadonlyArray<readonly [name: string, body: string, root?: string]> = [
    ["a section of teasers", `${heading}<main>${times(12, teaser)}</main>`],
    ["posts of many hours", `${heading}<main>${times(12, post)}</main>`],
    ["cards of an offer", `${heading}<main>${times(12, card)}<p>Contact us</p></main>`],
    [
      "an archive by the class of its system",
      `${heading}<main>${times(4, (i) => `<p>${line} ${i}</p>`)}</main>`,
      "class='archive category'"
    ]
  ]
  test.each(forms.map(([name, ...it]) => [name, it] as const))("%s is none", (_, [body, root = ""]) => {
    expect(kindOf(body, "", "https://city.example/river/line", root)).not.toBe("article")
  })
  const comments = `<section class=comments>${times(12, post)}</section>`
  const related = `<aside class=related>${times(12, teaser)}</aside>`
  test("a report with comments and teasers below it is one", () => {
    expect(kindOf(`${text}${comments}${related}`, date, "https://city.example/river/line")).toBe("article")
  })
})

/** The same long, dated and signed text each time: what the page says of itself makes the difference. */
describe("a page with a long text is an article only where nothing says it is something else", () => {
  const others: ReadonlyArray<readonly [name: string, head: string, url: string, root?: string]> = [
    [
      "a thread by its structured data",
      ld({ "@type": "DiscussionForumPosting", headline: title }),
      "https://a.example/threads/some-long-question-about-it.1234/"
    ],
    [
      "a thread by its software",
      `<meta name=generator content="Discourse 3.3">`,
      "https://a.example/t/some-question/77"
    ],
    ["a thread by its root element", "", "https://a.example/threads/some-long-question-about-it.1234/", "id=XF"],
    ["a question and its answers", ld({ "@type": "QAPage" }), "https://a.example/questions/442960/how-to-do-this-well"],
    ["a product", ld({ "@type": "Product", name: "x" }), "https://shop.example/product/nord-zero"],
    [
      "a product by Open Graph",
      `<meta property="og:type" content="product.item">`,
      "https://shop.example/gb/a_strat.htm"
    ],
    [
      "a page of a manual",
      `<meta name=generator content="mkdocs-1.6.1">`,
      "https://docs.example/latest/concepts/fields/"
    ],
    ["a service", "", "https://firm.example/services/consulting"],
    ["a shop's shelf", ld({ "@type": "CollectionPage" }), "https://shop.example/collections/boots"],
    ["a front", "", "https://news.example/"]
  ]
  const undated = text.replace(/<p class=byline>.*?<\/p>/u, "")
  test.each(others.map(([name, ...it]) => [name, it] as const))("%s", (_, [head, url, root = ""]) => {
    expect(kindOf(undated, head, url, root)).not.toBe("article")
  })
  const articles: ReadonlyArray<readonly [name: string, head: string, url: string]> = [
    ["news", date, "https://news.example/society/2026/02/10/12345"],
    ["news without a head", "", "https://news.example/news/articleView.html?idxno=123456"],
    [
      "a report that sells something beside",
      date +
        ld([
          { "@type": "NewsArticle", headline: title },
          { "@type": "Product", name: "x" }
        ]),
      "https://news.example/reviews/the-best-phones-of-this-year"
    ],
    [
      "a report with a discussion below it",
      date +
        ld([
          { "@type": "NewsArticle", headline: title },
          { "@type": "DiscussionForumPosting", text: "x" }
        ]),
      "https://news.example/society/2026/02/10/12345"
    ],
    ["a shop's magazine", date, "https://shop.example/blog/how-to-choose-boots-for-winter"],
    ["a post of a known system", date, "https://blog.example/short"],
    ["news behind a service's address", date, "https://station.example/service/news_view.htm?lang=k&Seq_Code=181595"]
  ]
  test.each(articles.map(([name, ...it]) => [name, it] as const))("%s stays an article", (_, [head, url]) => {
    expect(kindOf(text, head, url)).toBe("article")
  })
})
