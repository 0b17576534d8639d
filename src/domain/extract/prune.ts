import { type Block, linkDensity } from "./blocks.ts"
import { isNoise, isPointer } from "./lines.ts"
import type { Titles } from "./title.ts"

/** From this length on, in characters, a block that ends like a sentence is prose. */
const proseMin = 60
const sentence = /[.!?…。！？:;"”»’)]\s*$/u

export const isProse = (block: Block): boolean =>
  block.heading === 0 &&
  block.chars >= proseMin &&
  linkDensity(block) < 0.5 &&
  (sentence.test(block.text) || block.chars > 140)

/** The title's place among the blocks, near the beginning; -1 if it is not there. */
const titleAt = (blocks: ReadonlyArray<Block>, titles: Titles): number => {
  const found = blocks.findIndex((it) => it.chars < 400 && titles.has(it.text))
  if (found < 0) return -1
  const prose = blocks.slice(0, found).filter(isProse).length
  return prose <= 1 ? found : -1
}

/** Drops what stands above the text: kicker, title, byline, date, counters. A long subtitle stays. */
const withoutHead = (blocks: ReadonlyArray<Block>, titles: Titles): ReadonlyArray<Block> => {
  const title = titleAt(blocks, titles)
  const rest = blocks.slice(title + 1)
  const prose = rest.findIndex(isProse)
  if (prose <= 0 || prose > 12) return rest.filter((it) => !(it.chars < 400 && titles.has(it.text)))
  const head = rest
    .slice(0, prose)
    .filter(
      (it, i) =>
        it.pre ||
        it.quote ||
        it.cell ||
        (it.heading > 0 && i === prose - 1 && title < 0) ||
        (it.chars >= 40 && linkDensity(it) < 0.3) ||
        (it.heading > 1 && it.chars > 15 && linkDensity(it) < 0.3)
    )
  return [...head, ...rest.slice(prose)]
}

/** Headings with nothing under them, and what trails after the last sentence. */
const withoutTail = (blocks: ReadonlyArray<Block>): ReadonlyArray<Block> => {
  let end = blocks.length
  while (end > 0) {
    const it = blocks[end - 1]
    if (it === undefined || (it.heading === 0 && (linkDensity(it) < 0.5 || isProse(it)))) break
    end -= 1
  }
  return blocks.slice(0, end)
}

/** Headings whose section was taken away. */
const withoutHollow = (blocks: ReadonlyArray<Block>): ReadonlyArray<Block> =>
  blocks.filter((it, i) => {
    const next = blocks[i + 1]
    return (
      it.heading === 0 || (next !== undefined && (next.heading === 0 || next.heading > it.heading || it.heading <= 2))
    )
  })

/** A list entry that is hardly more than a link; one of so many characters is a reference, if anything is said beside the link. */
const referenceMin = 150
const isLinkItem = (block: Block): boolean =>
  block.item && linkDensity(block) >= (block.chars < referenceMin ? 0.6 : 0.9)

/** "Read next:" and the list that follows it. */
const withoutPointed = (blocks: ReadonlyArray<Block>): ReadonlyArray<Block> => {
  let pointed = false
  return blocks.filter((it) => {
    if (isPointer(it)) {
      pointed = true
      return false
    }
    pointed = pointed && it.item
    return !pointed
  })
}

/** Lines of so many characters are no chance echoes. */
const echoMin = 60
/** Blocks that say the same word for word: a teaser of the text, a box for small screens. */
export const withoutEchoes = (blocks: ReadonlyArray<Block>, min = echoMin): ReadonlyArray<Block> => {
  const seen = new Set<string>()
  return blocks.filter((it) => {
    if (it.chars < min) return true
    if (seen.has(it.text)) return false
    seen.add(it.text)
    return true
  })
}

/** The blocks of the winner that are the article's own. */
export const prune = (blocks: ReadonlyArray<Block>, titles: Titles): ReadonlyArray<Block> => {
  const own = withoutPointed(blocks).filter((it) => !isLinkItem(it) && linkDensity(it) < 0.9 && !isNoise(it))
  return withoutTail(withoutHollow(withoutHead(withoutEchoes(own), titles)))
}
