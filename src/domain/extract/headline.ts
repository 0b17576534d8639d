import type { Sheet } from "./blocks.ts"
import { ancestors, attribute, closest, contains, type Element, inlineText, subtree } from "./element.ts"
import type { Meta } from "./meta.ts"
import { plain } from "./title.ts"

/** Headings of the first rank that are looked at. */
const headingsMax = 100
/** A heading of fewer letters and digits agrees with a title by chance. */
const agreesMin = 8
/** Blocks looked at for a headline that is no `<h1>`. */
const titledMax = 80
/** A longer line is no headline, in characters. */
const lineMax = 300

const isShown = (sheet: Sheet, it: Element): boolean => (sheet.end[it.order] ?? 0) > (sheet.first[it.order] ?? 0)

const isFront = (path: string): boolean => /^\/(?:index\.\w+)?$/u.test(path)

/** Headings that lead to the front page from another page: they show the site's name. */
export const bannersOf = (sheet: Sheet, meta: Meta, url: string): ReadonlyArray<Element> => {
  const own = URL.parse(url)
  if (own === null || isFront(own.pathname)) return []
  return meta.headings.slice(0, headingsMax).filter((it) => {
    const link = closest(it, "a") ?? subtree(sheet.tree, it).find(({ tag }) => tag === "a")
    const to = link === undefined ? null : URL.parse(attribute(link, "href") ?? "", own)
    return to !== null && to.search === "" && isFront(to.pathname) && isShown(sheet, it)
  })
}

/** Without an `<h1>` the line that the page's titles begin with is the headline, whatever its element. */
const titledOf = (sheet: Sheet, stated: ReadonlyArray<string>): Element | null => {
  const found = sheet.blocks.slice(0, titledMax).find(({ linkChars, text }) => {
    const key = plain(text.slice(0, lineMax))
    return linkChars === 0 && key.length >= agreesMin && stated.some((title) => title.startsWith(key))
  })
  return found?.element ?? null
}

/** Whether a heading is the last step of the way that navigation shows ("Home › Politics › …"), beside the article. */
const isStep = (sheet: Sheet, heading: Element, body: Element): boolean => {
  for (const it of ancestors(heading)) {
    if (contains(it, body)) return false
    if (it.tag === "nav" || it.tag === "li" || sheet.kinds[it.order] === "navigation") return true
  }
  return false
}

/** The next heading of the second rank, if the page states what it ends with as a title: search engines got another. */
const secondOf = (sheet: Sheet, first: Element, stated: ReadonlyArray<string>): Element | null => {
  const next = sheet.tree.elements.slice(first.last + 1).find((it) => it.tag === "h2" && isShown(sheet, it))
  if (next === undefined) return null
  const key = plain(inlineText(next))
  return stated.some((title) => title.length >= agreesMin && key.endsWith(title)) ? next : null
}

/**
 * The heading of the article: of the `<h1>`s that the page's stated titles (made plain) begin or end with, if there are any,
 * the last one before its text begins, else the first; behind one that is but a step of navigation, the one shown instead.
 */
export const headingOf = (
  sheet: Sheet,
  meta: Meta,
  body: Element,
  stated: ReadonlyArray<string>,
  banners: ReadonlyArray<Element>
): Element | null => {
  const shown = meta.headings.slice(0, headingsMax).filter((it) => isShown(sheet, it) && !banners.includes(it))
  const agreeing = shown.filter((it) => {
    const key = plain(inlineText(it))
    return key.length >= agreesMin && stated.some((title) => title.startsWith(key) || title.endsWith(key))
  })
  const seen = agreeing.length > 0 ? agreeing : shown
  const above = seen.findLast((it) => it.order < body.order)
  const first = above ?? seen.find((it) => contains(body, it)) ?? seen[0]
  if (first === undefined) return titledOf(sheet, stated)
  return (isStep(sheet, first, body) ? secondOf(sheet, first, stated) : null) ?? first
}

const kickerName =
  /kicker|over-?_?line|roof-?_?line|top-?_?line|dach-?_?zeile|topic|label|eyebrow|title-?_?header|rubri[ck]|catch-?_?(?:line|title)|spitzmarke|pre-?_?(?:title|head)|antetitulo/iu
const opening = /^\s*[|:–—-]\s*/u
const closing = /[|:–—-]\s*$/u

/**
 * What a heading says as the title. A kicker that only its look sets off goes; one that is punctuated is a part of the
 * title, unless no statement of the page (made plain) knows it. A mark that links to the heading itself goes.
 */
export const headlineOf = (heading: Element, stated: ReadonlyArray<string>): string => {
  const whole = inlineText(heading).replace(/\s*[¶#]$/u, "")
  const lead = heading.children.find((it) => (typeof it === "string" ? it.trim() : inlineText(it)) !== "")
  if (lead === undefined || typeof lead === "string" || !kickerName.test(attribute(lead, "class") ?? "")) return whole
  const kicker = inlineText(lead)
  const rest = whole.slice(kicker.length)
  if (plain(kicker) === "" || plain(rest).length < agreesMin) return whole
  const isPunctuated = closing.test(kicker) || opening.test(rest)
  return isPunctuated && stated.some((it) => it.includes(plain(kicker))) ? whole : rest.replace(opening, "").trim()
}
