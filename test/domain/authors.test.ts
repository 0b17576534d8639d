import { expect, test } from "bun:test"
import { page, paragraphs, readText, title } from "./extract/pages.ts"

const text = `<div class=article-body>${paragraphs}</div>`
const authorsOf = (body: string, head = "") =>
  readText(page(`<article><h1>${title}</h1>${body}</article>`, head), { expected: "article" }).content?.authors
const ld = (author: string): string =>
  `<script type="application/ld+json">{"@type":"NewsArticle","headline":"x","author":${author}}</script>`
const post = (name: string): string =>
  `<div itemscope><span itemprop=author itemscope><b itemprop=name>${name}</b> 12 posts</span><p>${title}</p></div>`

test.each([
  [
    "no place from where somebody reports",
    `<meta name=author content="Jane Doe and John Roe in Berlin">${text}`,
    ["Jane Doe", "John Roe"]
  ],
  [
    "nor in Korean, which says it ahead",
    `<meta name=author content="(서울=항만뉴스) 김서준 기자; 워싱턴=한지민 특파원">${text}`,
    ["김서준", "한지민"]
  ],
  ["no house in brackets", `<meta name=author content="Max Müller (dpa)">${text}`, ["Max Müller"]],
  ["who stands in brackets", `<meta name=author content="(Jane Doe)">${text}`, ["Jane Doe"]],
  ["a label before the name", `<p>Autor: Anna Berg</p>${text}`, ["Anna Berg"]],
  [
    "the place behind a name, of which the page speaks",
    `<meta name=author content="Jane Doe und Ann Poe, Nairobi">${text}<p>Nairobi wird lauter.</p>`,
    ["Jane Doe", "Ann Poe"]
  ],
  [
    "a place of two words, of which the page speaks as of one",
    `<p>By Jane Doe, Port Harbour</p>${text}<p>Nobody in Port Harbour slept.</p>`,
    ["Jane Doe"]
  ],
  [
    "another's name, of whom the page speaks",
    `<meta name=author content="Jane Doe, Ann Poe">${text}<p>They met Ann Poe in Nairobi.</p>`,
    ["Jane Doe", "Ann Poe"]
  ],
  [
    "several names before the place",
    `<meta name=author content="Jane Doe, Ann Poe, Nairobi">${text}<p>Nairobi wird lauter.</p>`,
    ["Jane Doe", "Ann Poe"]
  ],
  [
    "one word among the names of a list",
    `<meta name=author content="Jane Doe, Lupa, Ann Poe">${text}`,
    ["Jane Doe", "Lupa", "Ann Poe"]
  ],
  [
    "a role of several parts behind a name",
    `<meta name=author content="Jane Doe, Senior Editor, City Desk, Harbour">${text}`,
    ["Jane Doe"]
  ],
  [
    "a family's names ahead, of which the page speaks only with the given one",
    `<meta name=author content="García Márquez, Gabriel">${text}<p>Gabriel García Márquez y Gabriela.</p>`,
    ["García Márquez, Gabriel"]
  ],
  [
    "a family's name that begins with a particle",
    `<meta name=author content="Von der Aue, Lisa; De Luca, Anna">${text}<p>Lisa und Anna.</p>`,
    ["Von der Aue, Lisa", "De Luca, Anna"]
  ],
  [
    "the younger of two",
    `<meta name=author content="John Smith, Jr., Jane Doe, MD">${text}`,
    ["John Smith Jr.", "Jane Doe"]
  ],
  [
    "names that commas of other scripts part",
    `<meta name=author content="山田太郎、鈴木花子">${text}`,
    ["山田太郎", "鈴木花子"]
  ],
  ["the same in Arabic", `<meta name=author content="أحمد علي، سارة حسن">${text}`, ["أحمد علي", "سارة حسن"]],
  [
    "the place behind a Korean name",
    `<meta name=author content="홍길동 기자, 서울">${text}<p>서울에서 열렸다.</p>`,
    ["홍길동"]
  ],
  ["a family's name ahead", `<meta name=author content="Doe, Jane">${text}`, ["Doe, Jane"]],
  ["a label in a block of its own", `<p>Written by</p><p>Jane Doe</p>${text}`, ["Jane Doe"]],
  [
    "a byline that says what was written",
    `<p>Ein Artikel von Anna Berg | 27.01.2026 - 12:45</p>${text}`,
    ["Anna Berg"]
  ],
  ["a date with the name behind it", `<p>25.10.2025 - Anna Berg</p>${text}`, ["Anna Berg"]],
  ["a dated line that ends in the name", `<p>posted on 2025-12-19 23:30 by Jane Doe</p>${text}`, ["Jane Doe"]],
  ["a Korean name beside the date", `<p>김서준</p><p>입력 2026. 2. 10. 03:30</p>${text}`, ["김서준"]],
  [
    "one before it in its line",
    `<div><span>김서준</span> <span>입력 2026. 2. 10. 03:30</span></div>${text}`,
    ["김서준"]
  ],
  ["no section beside it", `<p>정치부</p><p>입력 2026. 2. 10. 03:30</p>${text}`, []],
  ["several Korean reporters in a line", `<p>이하늘 기자, 박민수 기자</p>${text}`, ["이하늘", "박민수"]],
  ["a Korean correspondent", `<p>워싱턴=한지민 특파원 입력 2026. 2. 10. 03:30</p>${text}`, ["한지민"]],
  ["a byline that ends in a place", `<p>Von Anna Berg, Hamburg</p>${text}`, ["Anna Berg"]],
  [
    "a byline that ends in an agency",
    `<p>Par Jeanne Dupont et Luc Martin avec AFP</p>${text}`,
    ["Jeanne Dupont", "Luc Martin"]
  ],
  ["a comment's byline", `<p>Ein Kommentar von Anna Berg</p>${text}`, ["Anna Berg"]],
  ["who asked in an interview", `<p>Propos recueillis par Jeanne Dupont</p>${text}`, ["Jeanne Dupont"]],
  ["a label in Japanese", `<p>記者：山田太郎</p>${text}`, ["山田太郎"]],
  ["a name in Arabic, by its element", `<p class=author>أحمد علي</p>${text}`, ["أحمد علي"]],
  ["a name in Arabic, by its label", `<p>كتب: أحمد علي</p>${text}`, ["أحمد علي"]],
  ["a label behind the text", `${text}<p>Text: Anna Berg</p>`, ["Anna Berg"]],
  ["a name that runs into its preposition", `<p class=author>ByJane Doe</p>${text}`, ["Jane Doe"]],
  ["the same in a line without a name", `<p>ByJane Doe</p>${text}`, ["Jane Doe"]],
  ["only who wrote, not who drew", `<p>Text von Anna Berg Illustration von Max Roth</p>${text}`, ["Anna Berg"]],
  ["a nickname of its own", `<p class=author>von lupa am 26/10/25, 03:48</p>${text}`, ["lupa"]],
  ["no word that a date leaves over", `<p class=author>July 3, 2025</p>${text}`, []],
  ["no label", `<p class=author-label>Written By:</p><a href="/author/1">Jane Doe</a>${text}`, ["Jane Doe"]],
  ["the editorial office, where nobody else is named", `<p class=author>Redaktion</p>${text}`, ["Redaktion"]],
  ["the first post's author, not those of the replies", `${post("lupa")}${post("wolf")}${text}`, ["lupa"]],
  ["a link whose address only sounds like it is none", `<a href="/a/bestseller-autor-x">Jane Doe</a>${text}`, []]
])("who is shown as author: %s", (_, body, names) => {
  expect(authorsOf(body)).toEqual(names)
})

test.each([
  [
    "a statement that names one is completed by one that names all",
    "",
    `${ld('{"name":"Jane Doe"}')}<meta name=author content="Jane Doe, John Roe">`,
    ["Jane Doe", "John Roe"]
  ],
  [
    "an account's name gives way to the name that is shown",
    "<p class=author>von Anna Berg</p>",
    ld('{"name":"annaberg"}'),
    ["Anna Berg"]
  ],
  ["to one behind a label too", "<p>Author: Anna Berg, 3 March 2026</p>", ld('{"name":"anna_berg"}'), ["Anna Berg"]],
  [
    "a house gives way to who is shown",
    "<p>Von Anna Berg</p>",
    ld('{"name":"Das Magazin für den Hafen"}'),
    ["Anna Berg"]
  ],
  ["also one that is called as people are", "<p>By Jane Doe</p>", ld('{"name":"The Harbour Times"}'), ["Jane Doe"]],
  ["and a Korean one", "<p>김서준 기자</p>", ld('{"name":"항만뉴스"}'), ["김서준"]],
  [
    "and not to another house",
    "<p class=author>The Other Press</p>",
    ld('{"name":"The Harbour Times"}'),
    ["The Harbour Times"]
  ],
  ["and stays where nobody is", "", ld('{"name":"Das Magazin für den Hafen"}'), ["Das Magazin für den Hafen"]],
  ["and stays where none is shown", "", ld('{"name":"annaberg"}'), ["annaberg"]],
  ["a placeholder is nobody", "", "<meta name=author content=page.head.author>", []],
  ["who updated it did not write it", "", ld('[{"name":"Jane Doe"},{"name":"Updated by John Roe"}]'), ["Jane Doe"]],
  ["names that are escaped twice", "", ld('{"name":"Jos&eacute; Mu&ntilde;oz"}'), ["José Muñoz"]],
  ["a handle behind the name goes", "", ld('{"name":"Jane Doe @janedoe"}'), ["Jane Doe"]],
  ["the site's name before it too", "", '<meta name=author content="가나일보 - Jane Doe">', ["Jane Doe"]],
  [
    "who asked a question",
    "",
    '<script type="application/ld+json">{"@type":"QAPage","mainEntity":{"@type":"Question","author":{"name":"drat"}}}</script>',
    ["drat"]
  ]
])("who is stated as author: %s", (_, body, head, names) => {
  expect(authorsOf(`${body}${text}`, head)).toEqual(names)
})
