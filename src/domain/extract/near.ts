import type { Block, Sheet } from "./blocks.ts"
import { contains, type Element } from "./element.ts"
import type { Meta } from "./meta.ts"
import type { Near } from "./published.ts"
import { plain } from "./title.ts"

/** How many blocks before and after the headline may hold byline and date. */
const before = 6
const after = 12

/** The `<h1>` that heads the article: the last one before its text begins, else the first of the page. */
export const headingOf = (sheet: Sheet, meta: Meta, body: Element): Element | null => {
  const seen = meta.headings.filter((it) => (sheet.end[it.order] ?? 0) > (sheet.first[it.order] ?? 0))
  const inside = seen.find((it) => contains(body, it))
  const above = seen.findLast((it) => it.order < body.order)
  return above ?? inside ?? seen[0] ?? null
}

/** The blocks around the headline and the beginning of the text. */
export const nearOf = (
  sheet: Sheet,
  meta: Meta,
  heading: Element | null,
  body: Element,
  title: string
): Near & { readonly people: ReadonlyArray<Element> } => {
  const start = sheet.first[body.order] ?? 0
  const key = plain(title)
  const titled =
    heading !== null
      ? (sheet.first[heading.order] ?? 0)
      : sheet.blocks.findIndex((it) => it.heading > 0 && plain(it.text) === key)
  const head = titled >= 0 ? titled : start
  const from = Math.max(0, Math.min(head, start) - before)
  const to = Math.min(sheet.blocks.length, Math.max(head, start) + after)
  const lines: ReadonlyArray<Block> = [...sheet.blocks.slice(head, to), ...sheet.blocks.slice(from, head).toReversed()]
  const within = (it: Element): boolean => {
    const at = sheet.first[it.order] ?? 0
    return at >= from && at < to
  }
  const bylines = sheet.tree.elements.filter((it) => sheet.kinds[it.order] === "byline" && within(it))
  const isPerson = (it: Element): boolean =>
    it.attributes.some((value) => /author|byline|autor|writer|reporter|journalist/iu.test(value))
  return {
    lines: lines.filter((it) => it.chars <= 200),
    times: meta.times.filter(within),
    named: bylines.filter((it) => !isPerson(it) || it.attributes.some((value) => /date|time/iu.test(value))),
    people: bylines.filter(isPerson)
  }
}
