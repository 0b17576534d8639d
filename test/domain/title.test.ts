import { expect, test } from "bun:test"
import { paragraphs, readText } from "./extract/pages.ts"

const body = `<div class=article-body>${paragraphs}</div>`
const titleOf = (head: string, top: string, url = "https://news.example/city/bridge-12345") =>
  readText(`<html><head>${head}</head><body>${top}${body}</body></html>`, { url, expected: "article" }).content?.title
const og = (title: string): string => `<meta property="og:title" content="${title}">`
const ld = (headline: string): string =>
  `<script type="application/ld+json">{"@type":"NewsArticle","headline":"${headline}"}</script>`
const trail = (step: string): string => `<nav><ol><li><a href=/city>City</a></li><li><h1>${step}</h1></li></ol></nav>`

test.each([
  [
    "a heading that is a step of navigation gives way to the shown one that the page states",
    `${og("The old bridge falls at dawn")}${ld("Bridge collapse: all you need to know")}<title>Bridge collapse: all you need to know</title>`,
    `${trail("Bridge collapse: all you need to know")}<h2><span>City</span> The old bridge falls at dawn</h2>`,
    "The old bridge falls at dawn"
  ],
  [
    "and stays where no statement knows the shown one",
    `${og("Bridge collapse: all you need to know")}<title>Bridge collapse: all you need to know</title>`,
    `${trail("Bridge collapse: all you need to know")}<h2>What a morning it was</h2>`,
    "Bridge collapse: all you need to know"
  ],
  [
    "a heading that leads to the front page is the site's name",
    "<title>Notes from a Hill » Blog Archive » The old bridge falls</title>",
    `<h1><a href="https://news.example/">Notes from a Hill</a></h1><h2><a href=/x>The old bridge falls</a></h2>`,
    "The old bridge falls"
  ],
  [
    "a kicker that only looks set it apart goes",
    og("Bridges: The old bridge falls at dawn"),
    "<h1><span class=overline>Bridges</span> The old bridge falls at dawn</h1>",
    "The old bridge falls at dawn"
  ],
  [
    "one that is punctuated and stated stays",
    og("Bridges: The old bridge falls at dawn"),
    "<h1><span class=kicker>Bridges</span><span>: </span>The old bridge falls at dawn</h1>",
    "Bridges: The old bridge falls at dawn"
  ],
  [
    "one that is punctuated but stated nowhere goes",
    og("City news: The old bridge falls at dawn"),
    "<h1><span class=kicker>Morning read</span><span> - </span>The old bridge falls at dawn</h1>",
    "The old bridge falls at dawn"
  ],
  [
    "what the heading says in other words is believed before the statements for sharing",
    `${og("Old bridge down at dawn: what now?")}<meta name="twitter:title" content="Old bridge down at dawn: what now?"><title>Old bridge down at dawn: what now?</title>`,
    "<h1>The old bridge falls at dawn, and nobody knows what comes now</h1>",
    "The old bridge falls at dawn, and nobody knows what comes now"
  ],
  [
    "a label is no title",
    `${og("The old bridge falls at dawn")}<title>The old bridge falls at dawn</title>`,
    "<h1>Details</h1>",
    "The old bridge falls at dawn"
  ],
  [
    "without a heading, what a bar sets off goes",
    "<title>The old bridge falls at dawn | Notes, News and Weather</title>",
    "",
    "The old bridge falls at dawn"
  ],
  [
    "but not the title behind a kicker",
    "<title>Comment of the day | The old bridge falls at dawn, and nobody knows what comes now</title>",
    "",
    "Comment of the day | The old bridge falls at dawn, and nobody knows what comes now"
  ],
  [
    "where words may be parted is not said",
    "",
    "<h1>The old bridge&shy;head falls at dawn</h1>",
    "The old bridgehead falls at dawn"
  ],
  [
    "a tail that the structured data states too belongs to the title",
    `${og("The old bridge falls - as it happened")}${ld("The old bridge falls - as it happened")}`,
    "<h1>The old bridge falls</h1>",
    "The old bridge falls - as it happened"
  ],
  [
    "a kicker that all but the window's title state stays",
    `${og("The mayor's second visit: the old bridge falls at dawn")}${ld("The mayor's second visit: the old bridge falls at dawn")}<title>The old bridge falls at dawn</title>`,
    "<h1>The mayor's second visit: The old bridge falls at dawn</h1>",
    "The mayor's second visit: The old bridge falls at dawn"
  ],
  [
    "a name behind a bar in the heading goes where a statement does without it",
    `${og("The old bridge falls at dawn")}<title>The old bridge falls at dawn | HILL.EXAMPLE</title>`,
    "<h1>The old bridge falls at dawn | NOTES.EXAMPLE</h1>",
    "The old bridge falls at dawn"
  ],
  [
    "a heading that holds the text, as it is not closed, is no title",
    "<title>The old bridge falls at dawn</title>",
    `<h1>The old bridge falls at dawn${" and nobody knows what comes now".repeat(12)}</h1>`,
    "The old bridge falls at dawn"
  ],
  [
    "how characters are read is no part of it",
    "",
    "<h1><ruby>橋<rp>(</rp><rt>はし</rt><rp>)</rp></ruby>が<ruby>落<rt>お</rt></ruby>ちました</h1>",
    "橋が落ちました"
  ],
  [
    "where words may be parted is left out as far as the page states it elsewhere",
    "<title>Federal mediators are no outlaws</title>",
    "<h1>Fed\u00ader\u00adal medi\u00ada\u00adtors are no out\u00adlaws</h1>",
    "Federal mediators are no outlaws"
  ],
  [
    "a heading's own link is no part of it",
    "",
    "<h1>The old bridge falls<a href=#x>¶</a></h1>",
    "The old bridge falls"
  ],
  [
    "parts that only look apart are written as the page writes them elsewhere",
    og("Bridges: The old bridge falls at dawn"),
    "<h1><span>Bridges</span> The old bridge falls at dawn</h1>",
    "Bridges: The old bridge falls at dawn"
  ]
])("of a title: %s", (_, head, top, expected) => {
  expect(titleOf(head, top)).toBe(expected)
})

test("an archived page's site is the archived one", () => {
  const url = "https://archive.example/web/20200101000000/https://hillnotes.example/2019/bridge"
  expect(titleOf("<title>hillnotes › The old bridge falls</title>", "", url)).toBe("The old bridge falls")
})
