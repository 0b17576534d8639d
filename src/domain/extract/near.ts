import type { Bylines, Person, Signatures } from "./authors.ts"
import type { Block, Sheet } from "./blocks.ts"
import { contains, type Element, inlineText } from "./element.ts"
import type { Kind } from "./kinds.ts"
import type { Meta } from "./meta.ts"
import { hasDay, type Near } from "./published.ts"
import { plain } from "./title.ts"

/** How many blocks before and after the headline may hold byline and date. */
const before = 6
const after = 12
/** Elements looked at per kind of statement. */
const elementsMax = 60
/** An element of more blocks is no byline. */
const bylineBlocks = 6

/** Parts of a page that speak of other things than its article. */
const foreign: ReadonlySet<Kind | null> = new Set<Kind | null>([
  "comments",
  "related",
  "slides",
  "sidebar",
  "footer",
  "navigation"
])

/** Whether an element stands in such a part; a part that holds the headline or the text itself is none. */
const foreignTo =
  (sheet: Sheet, heading: Element, body: Element) =>
  (element: Element): boolean => {
    for (let it: Element | null = element; it !== null; it = it.parent) {
      if (contains(it, heading) || contains(it, body)) return false
      if (foreign.has(sheet.kinds[it.order] ?? null)) return true
    }
    return false
  }

const person =
  /(?:^|[^a-z])(?:author|authors|byline|autor|autoren|autore|auteur|writer|reporter|journalist)(?![a-z])|(?:author|byline|reporter|journalist)[_-]?name/iu
const profile = /[/=](?:author|authors|byline|autor|autoren|autore|auteur|writer|reporter|journalist)(?![a-z])/iu
const naming = new Set(["class", "id", "rel", "data-testid", "itemprop"])

/** Whether an element's names say that it holds a person's name (`named`), or only the address it leads to (`linked`). */
const namesPerson = (element: Element): "named" | "linked" | null => {
  const list = element.attributes
  let found: "linked" | null = null
  for (let i = 0; i < list.length; i += 2) {
    const name = list[i] ?? ""
    const value = (list[i + 1] ?? "").slice(0, 200)
    if (naming.has(name) && person.test(value)) return "named"
    if (name === "href" && profile.test(value)) found = "linked"
  }
  return found
}
const namesDate = (element: Element): boolean => element.attributes.some((value) => /date|time/iu.test(value))

/** A longer text is no name with its surroundings, in characters. */
const personMax = 120

/** What the innermost of the elements say that are named after people. */
const peopleIn = (elements: ReadonlyArray<Element>): ReadonlyArray<Person> => {
  const people = elements.filter((it) => it.attributes.length > 0 && namesPerson(it) !== null).slice(0, elementsMax)
  return people
    .filter((it) => !people.some((inner) => inner !== it && contains(it, inner)))
    .map((it) => ({ text: inlineText(it), sure: namesPerson(it) === "named" }))
    .filter(({ text }) => text !== "" && text.length <= personMax)
}

/** A line of so many characters may hold a date and little else. */
const dateLine = 80
const creditLine = 300
/** A paragraph may open with its date, in characters. */
const openingMax = 24
/** Lines of the rest of the page that are looked at. */
const restMax = 40

/** Lines at the ends of the text and behind it, then the beginning of the text, then short lines anywhere. */
const elsewhereOf = (sheet: Sheet, body: Element, isForeign: (it: Element) => boolean): ReadonlyArray<string> => {
  const { blocks } = sheet
  const [start, end] = [sheet.first[body.order] ?? 0, sheet.end[body.order] ?? 0]
  const own = (list: ReadonlyArray<Block>, max: number): ReadonlyArray<string> =>
    list.filter((it) => it.chars <= max && !isForeign(it.element)).flatMap((it) => it.text.split("\n"))
  const inside = blocks.slice(start, end).filter((it) => it.chars <= dateLine)
  const dated = (it: Block): boolean => it.chars <= dateLine && hasDay(it.text)
  return [
    ...own(inside.slice(0, after), dateLine),
    ...own(blocks.slice(end, end + before), creditLine),
    ...own(inside.slice(-after).toReversed(), dateLine),
    ...blocks.slice(start, start + 2).map((it) => it.text.slice(0, dateLine)),
    ...blocks
      .slice(start, start + after)
      .map((it) => it.text.slice(0, openingMax))
      .filter(hasDay),
    ...own(blocks.filter(dated).slice(0, restMax), dateLine)
  ]
}

/** A word that says of a date that something was published on it, before or behind the date. */
const postedWord =
  /\b(?:veröffentlicht|gepostet|publiziert|erschienen|eingestellt|geschrieben|(?:was )?(?:published|posted)|publié|mise? en ligne|pubblicat[oa]|publicad[oa]|opublikowan[oa]|gepubliceerd|geplaatst|publicerad|publisert)(?![\p{L}])|게시일?|등록일?|작성일?|게재|発表日|掲載日|发布/iu
const postedLines = 3
/** A statement of publication is no longer than this, in characters. */
const postedMax = 300
/** A date's label may stand before it in a block of its own. */
const labelMax = 30

/** Statements of when the page was published, wherever they stand: the last resort before none. */
const postedOf = ({ blocks }: Sheet): ReadonlyArray<string> =>
  blocks
    .flatMap(({ chars, text }, i) => {
      if (chars > postedMax || !hasDay(text)) return []
      const label = blocks[i - 1]
      return label !== undefined && label.chars <= labelMax ? [`${label.text} ${text}`] : text.split("\n")
    })
    .filter((it) => postedWord.test(it) && hasDay(it))
    .slice(0, postedLines)

/** Characters of the beginning of the text that may name its place and reporter. */
const leadMax = 80
/** Lines at the end of the text, and blocks behind it, where it may be signed. */
const signedInside = 3
const signedBehind = 10

/** Where a text is signed: its beginning, its last lines and the short blocks behind it. */
const signaturesOf = (sheet: Sheet, body: Element, isForeign: (it: Element) => boolean): Signatures => {
  const [start, end] = [sheet.first[body.order] ?? 0, sheet.end[body.order] ?? 0]
  const inside = sheet.blocks.slice(start, end)
  const behind = sheet.blocks.slice(end, end + signedBehind).filter((it) => !isForeign(it.element))
  const last = inside.slice(-signedInside).flatMap((it) => it.text.split("\n").slice(-signedInside))
  return {
    lead: inside.find((it) => it.chars > leadMax)?.text.slice(0, leadMax) ?? "",
    tail: [...last, ...behind.flatMap((it) => it.text.split("\n"))].filter((it) => it.length <= dateLine)
  }
}

/**
 * A report names the place that it comes from: whether the page says the word where it does not say the name. Several
 * words may be another's name: of a place it says "in", in one language or another.
 */
const placeIn = ({ blocks }: Sheet, word: string, name: string): boolean => {
  const said = new RegExp(`${/[ -]/u.test(word) ? " (?:in|à|en|em|w) " : "(?<!\\p{L})"}${word}(?!\\p{Ll})`, "u")
  return blocks.some(({ text }) => said.test(text) && !text.includes(name))
}

/** The blocks around the headline and the beginning of the text. */
export const nearOf = (
  sheet: Sheet,
  meta: Meta,
  heading: Element | null,
  body: Element,
  title: string
): Near & Bylines => {
  const start = sheet.first[body.order] ?? 0
  const key = plain(title)
  const titled =
    heading !== null
      ? (sheet.first[heading.order] ?? 0)
      : sheet.blocks.findIndex((it) => it.heading > 0 && plain(it.text) === key)
  const head = titled >= 0 ? titled : start
  const from = Math.max(0, Math.min(head, start) - before)
  const to = Math.min(sheet.blocks.length, Math.max(head, start) + after)
  const isForeign = foreignTo(sheet, heading ?? body, body)
  const nearby = [...sheet.blocks.slice(head, to), ...sheet.blocks.slice(from, head).toReversed()]
  const lines: ReadonlyArray<Block> = nearby.filter((it) => !isForeign(it.element))
  const within = (it: Element): boolean => {
    const at = sheet.first[it.order] ?? 0
    const end = sheet.end[it.order] ?? 0
    return at >= from && at < to && end > at && end <= at + bylineBlocks && !isForeign(it)
  }
  const inRange = sheet.tree.elements.filter(within)
  return {
    signatures: () => signaturesOf(sheet, body, isForeign),
    lines: lines.filter((it) => it.chars <= 200),
    elsewhere: () => elsewhereOf(sheet, body, isForeign),
    posted: () => postedOf(sheet),
    times: meta.times.filter(within).slice(0, elementsMax),
    stamps: meta.stamps.filter(([it]) => within(it)),
    named: inRange
      .filter((it) => sheet.kinds[it.order] === "byline" && (namesPerson(it) === null || namesDate(it)))
      .slice(0, elementsMax),
    people: () => peopleIn(inRange),
    isPlace: (word, name) => placeIn(sheet, word, name)
  }
}
