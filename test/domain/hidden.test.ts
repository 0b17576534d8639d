import { expect, test } from "bun:test"
import { page, readText } from "./extract/pages.ts"

const title = "Council rebuilds the old harbour wall"
const prose = (of: string, n: number): string =>
  Array.from(
    { length: n },
    (_, at) =>
      `<p>${of} ${at}: the council voted to rebuild the harbour wall, which storms had broken twice in a year.</p>`
  ).join("")
const parts = (...of: ReadonlyArray<string>): string =>
  of.map((it) => `<div><h2>About ${it}</h2>${prose(it, 4)}</div>`).join("")
const stated = `<script type="application/ld+json">${JSON.stringify({ "@type": "NewsArticle", headline: title, datePublished: "2026-02-10T09:00:00Z" })}</script>`
const shared = `<meta property="og:type" content="article">`
const byline = "<p>By Jane Doe</p><p>10 February 2026, 09:00</p>"
const unsure = "https://paper.example/culture/harbour"

/** Articles by what says that they are some: structured data, a word for sharing, an address, nothing but their form. */
const articles: ReadonlyArray<readonly [name: string, html: (hidden: string) => string, url?: string]> = [
  ["stated", (it) => page(`<article><h1>${title}</h1>${prose("own", 6)}${it}${prose("more", 3)}</article>`, stated)],
  ["shared", (it) => page(`<h1>${title}</h1><div id=text>${prose("own", 6)}${it}${prose("more", 3)}</div>`, shared)],
  ["in parts", (it) => page(`<h1>${title}</h1><div>${parts("own", "b", "c")}${it}</div>${parts("d", "e")}`, stated)],
  ["bare", (it) => page(`<h1>${title}</h1>${byline}<div>${prose("own", 9)}${it}</div>`), unsure],
  ["bare and in parts", (it) => page(`<h1>${title}</h1>${byline}${parts("own", "b", "c")}${it}`), unsure]
]
const box = (attributes: string) => (it: string) => `<div ${attributes}>${it}</div>`
const hidings: ReadonlyArray<readonly [name: string, hide: (html: string) => string]> = [
  ...[
    "hidden",
    "hidden role=tabpanel",
    "hidden aria-labelledby=x",
    "aria-hidden=true",
    "style='display:none' aria-hidden=true",
    "style='DISPLAY : NONE !important'",
    "style='color:red;/**/display:none'",
    "style='visibility:collapse'",
    "style='opacity:.0' aria-hidden=true",
    "style='position:absolute;left:-9999px' aria-hidden=true",
    "style='max-height:0;overflow:hidden'",
    "style='clip-path:inset(50%)'",
    "style='transform:scale(0)'",
    "style='content-visibility:hidden'"
  ].map((it) => [it, box(it)] as const),
  ["a box of more elements than the article", (it) => box("hidden")(it + "<i></i>".repeat(600))],
  ["noscript", (it) => `<noscript>${it}</noscript>`],
  ["a title in the text", (it) => `<title>${it}</title>`],
  ["a script in a script's comment", (it) => `<script><!-- <script> </script>${it}--></script>`],
  ["a CDATA section of a drawing", (it) => `<svg><![CDATA[>${it}]]></svg>`]
]

test.each(articles.flatMap(([of, html, url]) => hidings.map(([by, hide]) => [of, by, html, hide, url] as const)))(
  "an article (%s) does not say what it hides: %s",
  (_, __, html, hide, url = "https://paper.example/society/2026/02/10/12345") => {
    for (const [size, expected] of [
      [3, "article"],
      [24, "auto"]
    ] as const) {
      const { content } = readText(html(hide(prose("planted", size))), { url, expected })
      expect(content?.text).toContain("own 1")
      expect(content?.text).not.toContain("planted")
    }
  }
)

test.each([
  ["style=opacity:0", ""],
  ["hidden", "<div role=dialog><p>We use cookies. Do you agree to that?</p></div>"]
])("a page that is hidden as a whole (%s) until its scripts have run is read", (attributes, beside) => {
  const html = `<html><body><div ${attributes}><h1>${title}</h1>${prose("own", 20)}${"<i></i>".repeat(60)}</div>${beside}</body></html>`
  expect(readText(html, { expected: "article" }).content?.text).toContain("own 19")
})
