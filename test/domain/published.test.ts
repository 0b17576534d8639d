import { expect, test } from "bun:test"
import { ownDay } from "../../src/domain/article.ts"
import { page, paragraphs, readText, title } from "./extract/pages.ts"

const dayOf = (body: string, head = "", url = "https://news.example/a-story-of-that-day") =>
  readText(page(`<h1>${title}</h1>${body}`, head), { url, expected: "article" }).content?.published?.at.slice(0, 10) ??
  null
const text = `<div class=article-body>${paragraphs}</div>`

test.each([
  [
    "a shown time is believed before a bare meta date",
    `<time datetime="2026-01-21">21.01.2026</time>${text}`,
    `<meta name=date content="2026-01-26">`,
    "2026-01-21"
  ],
  [
    "a video's upload dates its page",
    text,
    `<script type="application/ld+json">{"@type":"VideoObject","name":"x","uploadDate":"2026-01-19T07:49:00+02:00"}</script>`,
    "2026-01-19"
  ],
  [
    "a statement of publication in the footer is better than none",
    `${text}<footer><p>Dieser Beitrag wurde am Samstag, 3. Januar 2026 um 10:00 Uhr veröffentlicht.</p></footer>`,
    "",
    "2026-01-03"
  ],
  [
    "so is one whose word stands before it in its own block",
    `${text}<footer><p>Mise en ligne</p><p>23 janvier 2026</p></footer>`,
    "",
    "2026-01-23"
  ],
  [
    "a description that names its day",
    text,
    `<meta name=description content="Orso marsicano (Notizia del 14 Gennaio 2026)">`,
    "2026-01-14"
  ]
])("%s", (_, body, head, expected) => expect(dayOf(body, head)).toBe(expected))

test("the address of an archive is not the date of what it keeps", () => {
  expect(dayOf(text, "", "https://archive.example/web/20250307194448/news.example/2024/05/26/a-story")).toBe(
    "2024-05-26"
  )
})
test("the day in the address is believed before a stray data attribute", () => {
  expect(dayOf(`<div data-date="2026-01-30"></div>${text}`, "", "https://news.example/2026/01/29/a-story")).toBe(
    "2026-01-29"
  )
})

const stamp = (at: string): string =>
  `<script type="application/ld+json">{"@type":"NewsArticle","headline":"x","datePublished":"${at}"}</script>`

test.each([
  ["a shown time of day", "2026-01-15T03:28:35Z", "<p>Published Jan. 14, 2026, 10:28 p.m.</p>", "2026-01-14"],
  ["one with its zone", "2026-01-15T03:28:35Z", "<p>Published Jan. 14, 2026, 10:28 p.m. ET</p>", "2026-01-14"],
  ["a shown day that is that of the country", "2026-01-14T16:00:00Z", "<p>입력 2026.01.15</p>", "2026-01-15"],
  ["another time tells nothing", "2026-01-15T03:28:35Z", "<p>Updated Jan. 14, 2026, 7:11 p.m.</p>", "2026-01-15"],
  ["nor does one of another day", "2026-01-15T03:28:35Z", "<p>Updated Jan. 24, 2026, 10:28 p.m.</p>", "2026-01-15"]
])("the day of a stamp in UTC goes by the clocks that the page shows: %s", (_, at, shown, expected) => {
  const published = readText(page(`<h1>${title}</h1>${shown}${text}`, stamp(at)), { expected: "article" }).content
    ?.published
  expect(published === null || published === undefined ? null : ownDay(published)).toBe(expected)
})

test.each([
  ["a calendar leaf whose parts run together", "<div class=date>Jan 042026</div>", "", "2026-01-04"],
  [
    "no day before the web, which is told",
    "<p>1975.01.28</p>",
    "<meta name=dateupdate content=2026-01-14>",
    "2026-01-14"
  ],
  [
    "a shown line before a stamp of something else",
    `<p>14.01.2026 | 14:07</p><section data-date="2026-01-13">${paragraphs}</section>`,
    "",
    "2026-01-14"
  ],
  [
    "its publication, in a line that begins with its change",
    "<p>Stand: 15.01.2026 09:12 Uhr | Veröffentlicht am 14. Januar 2026</p>",
    "",
    "2026-01-14"
  ],
  ["the same in Spanish", "<p>Actualizado: 15/01/2026 09:12. Publicado: 14/01/2026 15:05</p>", "", "2026-01-14"],
  ["digits of Arabic", "<p>نشر في: ١٤ يناير ٢٠٢٦</p>", "<meta name=dateupdate content=2026-01-15>", "2026-01-14"],
  [
    "a live blog as a whole, not its latest post",
    "",
    `<script type="application/ld+json">{"@type":"LiveBlogPosting","headline":"x","datePublished":"2026-01-14T08:00:00Z","liveBlogUpdate":[{"@type":"BlogPosting","headline":"y","author":"Z","articleBody":"z","datePublished":"2026-01-15T09:00:00Z"}]}</script>`,
    "2026-01-14"
  ]
])("what dates a page: %s", (_, body, head, expected) => {
  expect(dayOf(`${body}${text}`, head, "https://news.example/a-story")).toBe(expected)
})
