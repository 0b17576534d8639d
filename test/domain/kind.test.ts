import { describe, expect, test } from "bun:test"
import { page, paragraphs, readText, title } from "./extract/pages.ts"

const date = `<meta property="article:published_time" content="2026-02-10T03:30:00+09:00">`
const text = `<h1>${title}</h1><p class=byline>김서준 기자</p><div class=article-body>${paragraphs}</div>`
const ld = (node: object): string => `<script type="application/ld+json">${JSON.stringify(node)}</script>`
const kindOf = (body: string, head = "", url = "https://news.example/society/2026/02/10/12345", root = "") =>
  readText(page(body, head).replace("<html ", `<html ${root} `), { url }).kind

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
    ["a post of a known system", date, "https://blog.example/short"]
  ]
  test.each(articles.map(([name, ...it]) => [name, it] as const))("%s stays an article", (_, [head, url]) => {
    expect(kindOf(text, head, url)).toBe("article")
  })
})
