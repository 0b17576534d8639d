import { expect, test } from "bun:test"
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
