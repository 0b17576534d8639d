import { describe, expect, test } from "bun:test"
import { page, readText } from "./extract/pages.ts"

const service = "https://firm.example/services/harbour"
const thread = "https://forum.example/threads/how.1/"
const read = (html: string, url = service): string => readText(html, { url, expected: "article" }).content?.text ?? ""

const prose = (of: string, n: number): string =>
  Array.from(
    { length: n },
    (_, at) => `<p>${of} ${at}: we plan, build and look after harbours, quays and cranes for towns on every coast.</p>`
  ).join("")
const section = (of: string, n: number): string => `<section><h2>About ${of}</h2>${prose(of, n)}</section>`
const sections = ["plans", "quays", "cranes", "crews"].map((it) => section(it, 3)).join("")
const fold = (attributes: string, of: string, n: number): string => `<div ${attributes}>${prose(of, n)}</div>`
const linked = (of: object): string => `<script type="application/ld+json">${JSON.stringify(of)}</script>`
const product = linked({ "@type": "Product", name: "Zero", offers: { price: 3 } })

/** What a page shows, and what its text has of it and has not. */
const table: ReadonlyArray<
  readonly [name: string, html: string, has: ReadonlyArray<string>, not: ReadonlyArray<string>, url?: string]
> = [
  ["a page of parts is read whole", page(`<h1>Harbours</h1>${sections}`), ["plans 2", "quays 0", "crews 2"], ["정치"]],
  [
    "an article beside which others stand is not",
    page(
      `<article><h1>One</h1><div itemprop=articleBody>${prose("own", 12)}</div></article>${section("other", 6)}`,
      linked({ "@type": "NewsArticle", headline: "One", datePublished: "2026-02-10" })
    ),
    ["own 11"],
    ["other 0"]
  ],
  [
    "an article of many headed parts is",
    page(
      `<div>${["a", "b", "c"].map((it) => section(it, 4)).join("")}</div>${["d", "e", "f", "g", "h"].map((it) => `<div>${section(it, 3)}</div>`).join("")}`,
      linked({ "@type": "Article", headline: "Guide", datePublished: "2026-02-10" })
    ),
    ["a 0", "d 2", "h 2"],
    []
  ],
  [
    "a main part that holds hardly anything is none",
    `<html><body><main><p>Welcome to our harbour.</p></main><div>${sections}</div></body></html>`,
    ["plans 0", "crews 2"],
    []
  ],
  [
    "buttons and labels between the parts are left out",
    page(
      `<h1>Harbours</h1>${sections.replaceAll("</section>", "<p>Reading time</p><a href=/x>Learn more</a></section>")}`
    ),
    ["quays 1"],
    ["Learn more", "Reading time"]
  ],
  [
    "tabs, folds and slides of such a page are turned over",
    page(
      `<h1>Harbours</h1>${sections}${fold("hidden role=tabpanel", "tab", 2)}${fold("aria-hidden=true", "slide", 2)}${fold("hidden aria-labelledby=x", "fold", 2)}<div style="opacity:0">${prose("faded", 1)}${"<i></i>".repeat(60)}</div>`
    ),
    ["tab 1", "slide 1", "fold 1", "faded 0"],
    []
  ],
  [
    "what is hidden and no part of it is left out",
    page(
      `<h1>Harbours</h1>${sections}${fold("hidden", "planted", 1)}${fold("style='opacity:0'", "faint", 1)}${fold("style='display:none'", "gone", 60)}${fold("style='position:absolute;left:-9999px'", "far", 2)}`
    ),
    ["crews 2"],
    ["planted", "faint", "gone", "far"]
  ],
  [
    "a section of reviews or other things is left out of a shop's page, and what follows it is read",
    page(
      `<h1>Zero</h1>${prose("about", 4)}<h2>12 Customer Reviews</h2>${prose("opinion", 4)}<h2>Similar items</h2>${prose("other", 4)}<h2>Care</h2>${prose("care", 2)}`,
      product
    ),
    ["about 3", "care 1"],
    ["opinion", "other"],
    "https://shop.example/p/zero"
  ],
  [
    "reviews are known by their names too, and what is said twice is read once",
    page(
      `<h1>Zero</h1>${prose("about", 4)}${prose("about", 4)}<div class=product-reviews>${prose("opinion", 4)}</div>`,
      product
    ),
    ["about 3"],
    ["opinion"],
    "https://shop.example/p/zero"
  ],
  [
    "a shop's page whose name stands in a column behind what it tells is read from its beginning",
    page(
      `<div>${prose("story", 5)}<h2>Size</h2>${prose("size", 3)}</div><div><h1>Zero</h1><p>Made of wool.</p></div>`,
      product
    ),
    ["story 0", "size 2", "Made of wool."],
    [],
    "https://shop.example/p/zero"
  ],
  [
    "another thing that a shop's page names and leads to is left out",
    page(
      `<h1>Zero</h1>${prose("about", 4)}<h3><a href=/p/one>The bag that is called One</a></h3>${prose("bag", 2)}<h2>Care</h2>${prose("care", 1)}`,
      product
    ),
    ["about 3", "care 0"],
    ["called One", "bag 0"],
    "https://shop.example/p/zero"
  ],
  [
    "slides of a shop's page tell of its thing",
    page(`<h1>Zero</h1>${prose("about", 4)}<div class=swiper-wrapper>${prose("sole", 1)}</div>`, product),
    ["about 3", "sole 0"],
    [],
    "https://shop.example/p/zero"
  ],
  [
    "a shop's page may say by its address only that it is of one thing",
    page(`<h1>Zero</h1>${prose("about", 6)}<h2>Reviews</h2>${prose("opinion", 4)}`),
    ["about 5"],
    ["opinion"],
    "https://shop.example/pdp/zero-w100.html"
  ],
  [
    "a shelf that says it is one thing is read whole",
    page(
      `<h1>Bags</h1>${[1, 2, 3, 4].map((it) => `<div class=cards-shelf>${prose(`shelf ${it}:`, 2)}</div>`).join("")}`,
      product
    ),
    ["shelf 1: 0", "shelf 4: 1"],
    [],
    "https://shop.example/p/bags"
  ],
  [
    "a card that names its thing by picture, heading and link is read once, a table's cells each",
    page(
      `<h1>Bags</h1>${["One", "Two", "Three", "Four"].map((it) => `<div><div><a href=/p/${it}>The big bag ${it}</a></div><h3><a href=/p/${it}>The big bag ${it}</a></h3><p>${it} holds all that a day in town may need.</p></div>`).join("")}<table><tr><td>Waterproof</td><td>yes, always</td><td>yes, always</td></tr></table>`
    ),
    ["The big bag One\n\nOne holds", "The big bag Four\n\nFour holds", "yes, always\n\nyes, always"],
    [],
    "https://shop.example/bags"
  ],
  [
    "what sorts the cards of a shelf is left out, whatever stands in a box of that name is not",
    page(
      `<h1>Bags</h1><div class=filter-results><div class=facets><p>Colour</p><p>Blue, red and green</p></div>${sections}</div>`
    ),
    ["plans 0", "crews 2"],
    ["Blue, red"]
  ],
  [
    "terms and footnotes in the footer are left out, however long",
    `${page(`<h1>Harbours</h1>${sections}`)}<footer>${prose("term", 60)}</footer>`,
    ["plans 0", "crews 2"],
    ["term 0"]
  ],
  [
    "words that only a style sheet parts are parted, halves of a word are not",
    page(
      `<h1>Harbours</h1>${sections}<p><span>Quay builders</span><span>Harbour &amp; Sons</span> of <span>Mc</span>Kay, <b>sea</b><i>Men</i> for <span>80</span><span>km</span></p>`
    ),
    ["Quay builders Harbour & Sons of McKay, seaMen for 80km"],
    []
  ],
  [
    "every post of a discussion is read, though each is an article with a headline",
    page([1, 2, 3].map((it) => `<article><div><h2>Re ${it}</h2>${prose(`post ${it}:`, 3)}</div></article>`).join("")),
    ["post 1: 0", "post 3: 2"],
    [],
    thread
  ],
  [
    "remarks under posts and signatures are no posts",
    page(
      [1, 2, 3]
        .map(
          (it) =>
            `<div class=post>${prose(`post ${it}:`, 3)}<div class=signature>Two harbours, three cranes, no time at all.</div><div class=comment-text>${prose("remark", 1)}</div></div>`
        )
        .join("")
    ),
    ["post 3: 2"],
    ["remark", "three cranes"],
    thread
  ],
  [
    "what software says of who posted is no post, and an element that is named after its user is one",
    page(
      [1, 2, 3]
        .map(
          (it) =>
            `<article class=message><div class="message-userExtras"><dl><dt>Member since the harbour opened</dt><dd>9,${it}11 tides</dd></dl></div><div class=message-userContent>${prose(`post ${it}:`, 3)}</div></article>`
        )
        .join("")
    ),
    ["post 1: 0", "post 3: 2"],
    ["harbour opened", "9,211 tides"],
    thread
  ],
  [
    "posts that are named comments are posts",
    page([1, 2, 3].map((it) => `<div class=comment-content>${prose(`post ${it}:`, 3)}</div>`).join("")),
    ["post 1: 0", "post 3: 2"],
    [],
    thread
  ]
]

describe("what a page that is no article says", () => {
  for (const [name, html, has, not, url] of table)
    test(name, () => {
      const text = read(html, url)
      for (const it of has) expect(text).toContain(it)
      for (const it of not) expect(text).not.toContain(it)
    })
})
