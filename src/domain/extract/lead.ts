import { type Block, linkDensity, type Sheet } from "./blocks.ts"
import type { Element } from "./element.ts"
import { isNoise } from "./lines.ts"
import { type Meta, metaOf } from "./meta.ts"
import { isProse } from "./prune.ts"
import { plain, type Titles } from "./title.ts"

/** How many blocks above the text are looked at for its standfirst, and how many of them may be taken. */
const reach = 16
const leadsMax = 3
/** A standfirst is at least this long, in characters. */
const leadMin = 40

/** How many parents of a block may carry the name "lead". */
const levels = 3

const isNamed = (sheet: Sheet, element: Element): boolean => {
  let it: Element | null = element
  for (let level = 0; level < levels && it !== null; level++, it = it.parent)
    if (sheet.kinds[it.order] === "lead") return true
  return false
}

/**
 * The standfirst: what stands between the title and the text, outside the text's own element, and is named so, reads
 * like prose or is what the page gives as its description.
 */
export const leadOf = (
  sheet: Sheet,
  meta: Meta,
  removed: ReadonlyArray<string | null>,
  start: number,
  titles: Titles
): ReadonlyArray<Block> => {
  const from = Math.max(0, start - reach)
  const above = sheet.blocks.slice(from, start)
  const title = above.findLastIndex((it) => titles.has(it.text))
  if (title < 0) return []
  const description = plain(metaOf(meta, "og:description", "description") ?? "")
  return above
    .map((block, i) => ({ block, i }))
    .filter(
      ({ block, i }) =>
        i > title &&
        (removed[from + i] ?? null) === null &&
        block.chars >= leadMin &&
        linkDensity(block) < 0.3 &&
        !isNoise(block)
    )
    .filter(
      ({ block }) =>
        isNamed(sheet, block.element) || isProse(block) || (description !== "" && plain(block.text) === description)
    )
    .map(({ block }) => block)
    .slice(0, leadsMax)
}
