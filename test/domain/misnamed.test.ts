import { expect, test } from "bun:test"
import { page, readText } from "./extract/pages.ts"

const prose = (of: string, n: number): string =>
  Array.from(
    { length: n },
    (_, at) => `<p>${of} ${at}: the council of the harbour voted on new cranes, and the neighbours asked for quiet.</p>`
  ).join("")
const article = (body: string): string => page(`<article><h1>Cranes for the harbour</h1>${body}</article>`)
const stated = `<script type="application/ld+json">{"@type":"NewsArticle","headline":"x"}</script>`
const read = (html: string, url?: string): string =>
  readText(html, { expected: "article", ...(url === undefined ? {} : { url }) }).content?.text ?? ""

/** What a content system built an article of, what its text has and has not. */
const table: ReadonlyArray<
  readonly [name: string, html: string, has: ReadonlyArray<string>, not: ReadonlyArray<string>, url?: string]
> = [
  [
    "the rest of a text in its article's footer",
    article(`${prose("above", 4)}<footer>${prose("below", 6)}</footer>`),
    ["above 3", "below 5"],
    []
  ],
  [
    "but no footer of the page, and no short one of the article",
    `${article(`${prose("above", 6)}<footer>${prose("note", 1)}</footer>`)}<footer>${prose("terms", 9)}</footer>`,
    ["above 5"],
    ["note 0", "terms 0"]
  ],
  [
    "code whose remark is most of it",
    article(
      `${prose("before", 4)}<pre><code><span class="hl-comment"># share this with the crew</span>\n<b>lift</b></code></pre>${prose("after", 2)}`
    ),
    ["# share this with the crew\nlift"],
    []
  ],
  [
    "words of a sentence that a tooltip or an offer marks",
    article(
      `${prose("before", 4)}<p>The <a class="tooltip-term">harbour master</a> came, took <a class="affiliate-link">two small cranes</a>, and asked for <b class="cta">more of them.</b> Nobody slept.</p>${prose("after", 2)}`
    ),
    ["The harbour master came, took two small cranes, and asked for more of them. Nobody slept."],
    []
  ],
  [
    "but neither what a tooltip says nor what there is to be pressed",
    article(
      `${prose("before", 4)}<p>The master<span class="tooltip-text">A person who is in charge of all that floats in a harbour.</span> came. <a class="share-button">Share</a></p>${prose("after", 2)}`
    ),
    ["The master came."],
    ["Share"]
  ],
  [
    "nor what is for sharing, whatever stands around it",
    article(
      `${prose("before", 4)}<p>The cranes came to the harbour <a class="share-link">Share!</a></p><p>의회는 표결했다.<span class="share_sns">공유하기</span>시민은 쉬었다. <a class="btn_print">인쇄</a> 입력은 밤이었다.</p>${prose("after", 2)}`
    ),
    ["The cranes came to the harbour", "의회는 표결했다.시민은 쉬었다. 입력은 밤이었다."],
    ["Share", "공유하기", "인쇄"]
  ],
  [
    "a marked word with its ending",
    article(
      `${prose("before", 4)}<p>The <span class="tooltip">crane</span>’s hook and a <b class="tooltip">boat</b>-like thing; 의회는 <i class="tooltip">금리</i>를, <i class="tooltip">은행</i> 총재는 말했다.</p>${prose("after", 2)}`
    ),
    ["The crane’s hook and a boat-like thing; 의회는 금리를, 은행 총재는 말했다."],
    []
  ],
  [
    "what only those who paid are shown, and only its paragraphs are called",
    article(
      `${prose("before", 4)}<p class="paywall" aria-hidden="true">The cranes were paid for by nobody, the council found out last week.</p>${prose("after", 2)}`
    ),
    ["The cranes were paid for by nobody"],
    []
  ],
  [
    "what subscribers are shown first",
    article(
      Array.from({ length: 8 }, (_, at) => `<div class="subscriber-preview">${prose(`piece${at}`, 1)}</div>`).join("")
    ),
    ["piece0 0", "piece7 0"],
    []
  ],
  [
    "a list of numbered slides",
    page(
      `<article><h1>Cranes</h1>${prose("intro", 4)}<div class=slider>${["one", "two", "three", "four", "five", "six"].map((it) => `<div class=slider-item><h2>Crane ${it}</h2>${prose(it, 1)}</div>`).join("")}</div></article>`,
      stated
    ),
    ["intro 3", "one 0", "six 0"],
    []
  ],
  [
    "but no slides that lead to other articles",
    page(
      `<article><h1>Cranes</h1>${prose("intro", 3)}</article><div class=slider>${["one", "two", "three", "four"].map((it) => `<div class=slider-item><h3><a href=/n/1>The whole story of the port number ${it}</a></h3>${prose(it, 1)}</div>`).join("")}</div>`,
      stated
    ),
    ["intro 2"],
    ["one 0", "four 0"]
  ],
  [
    "a part whose id is its heading, but none that is but named in many words",
    article(
      `${prose("own", 4)}<section id=comments-that-the-council-got><h2>Comments that the council got</h2>${prose("got", 1)}</section><section id=newsletter-box-in-the-middle-2><h2>Newsletter</h2>${prose("letter", 1)}</section><div id=cookie-consent-banner-on-top-1><p>We use cookies and ask for your consent.</p></div>${prose("more", 2)}`
    ),
    ["own 3", "got 0", "more 1"],
    ["letter 0", "We use cookies"]
  ],
  [
    "news on what shops call otherwise",
    page(`<div><h1>Cranes</h1>${prose("own", 6)}<h2>Reviews of the plan</h2>${prose("review", 3)}</div>`),
    ["own 5", "review 2"],
    [],
    "https://news.example/news/ip/harbour-gets-new-cranes"
  ]
]
for (const [name, html, has, not, url] of table)
  test(name, () => {
    const text = read(html, url)
    for (const it of has) expect(text).toContain(it)
    for (const it of not) expect(text).not.toContain(it)
  })
