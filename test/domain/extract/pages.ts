import { read } from "../../../src/domain/read.ts"
import type { Hints } from "../../../src/domain/reading.ts"
import type { ParsingRule } from "../../../src/domain/rule.ts"

const fetchedAt = Date.parse("2026-02-11T00:00:00Z")
export const hints: Hints = {
  url: "https://news.example/society/2026/02/10/12345",
  expected: "auto",
  status: 200,
  content_type: "text/html; charset=utf-8",
  truncated: false,
  fetched_at: fetchedAt,
  html: false
}
export const readText = (html: string, more: Partial<Hints> = {}, rule: ParsingRule | null = null) =>
  read(new TextEncoder().encode(html), { ...hints, ...more }, rule)

export const sentences = (n: number, from = 0): ReadonlyArray<string> =>
  Array.from({ length: n }, (_, i) => {
    const at = from + i
    return `제${at}항에 따라 정부는 올해 예산 ${at * 7}억 원을 항만과 철도에 쓰기로 했다고 밝혔다. 시민 단체는 절차 ${at}단계를 다시 살펴야 한다고 지적했다.`
  })
export const squash = (text: string): string => text.replace(/\s+/gu, "")
export const title = "정부, 항만 예산 늘린다… 시민단체 “절차 다시 봐야”"
const side = `<nav><ul>${"<li><a href=/x>정치</a></li>".repeat(30)}</ul></nav>`
const tail =
  `<section class="related-box"><h2>관련 기사</h2><ul>${"<li><a href=/n/1><strong>다른 기사의 제목이 여기에 있다</strong></a></li>".repeat(8)}</ul></section>` +
  `<section class="comments"><h2>댓글</h2><ul>${"<li><p>이 댓글은 기사의 일부가 아니며 본문에 들어가서는 안 된다.</p></li>".repeat(20)}</ul></section>` +
  "<footer><p>Copyright ⓒ 가나일보. All rights reserved.</p></footer>"
const head = `<title>${title} | 가나일보</title><meta property="og:site_name" content="가나일보">`
export const page = (body: string, more = ""): string =>
  `<!doctype html><html lang=ko><head>${head}${more}</head><body>${side}<main>${body}</main>${tail}</body></html>`
const byline = `<div class=byline><em class=reporter>김서준</em> 기자 <time datetime="2026-02-10T03:30:00+09:00">입력 2026-02-10 03:30</time></div>`

export const parts = sentences(8)
export const paragraphs = parts.map((it) => `<p>${it}</p>`).join("")
export const layouts: ReadonlyArray<readonly [name: string, html: string]> = [
  ["an article element", `<article><h1>${title}</h1>${byline}<div class=article-body>${paragraphs}</div></article>`],
  [
    "one box broken by line breaks",
    `<h1>${title}</h1>${byline}<div id=articleBodyContents>${parts.join("<br><br>")}</div>`
  ],
  ["single line breaks", `<h1>${title}</h1>${byline}<div id=content>${parts.join("<br>")}</div>`],
  [
    "microdata",
    `<div itemscope><h1 itemprop=headline>${title}</h1>${byline}<div itemprop=articleBody>${paragraphs}</div></div>`
  ],
  [
    "boxes in boxes",
    `<div class=v><h1>${title}</h1>${byline}<div class=w><div>${parts.map((it) => `<div class=k><p class=t>${it}</p></div>`).join("")}</div></div></div>`
  ],
  ["sections", `<h1>${title}</h1>${byline}<section class=s>${paragraphs}</section>`],
  ["a table for layout", `<h1>${title}</h1>${byline}<table><tr><td class=view_text>${paragraphs}</td></tr></table>`],
  [
    "spans for paragraphs",
    `<h1>${title}</h1>${byline}<div class=x>${parts.map((it) => `<span>${it}</span><br><br>`).join("")}</div>`
  ],
  [
    "headings and a quotation",
    `<article><h1>${title}</h1>${byline}${paragraphs.replace("</p>", "</p><h3>중간 제목이다</h3><blockquote><p>인용한 말이 여기에 있다고 한다.</p></blockquote>")}</article>`
  ]
]
