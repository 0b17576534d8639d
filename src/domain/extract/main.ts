import type { Block, Sheet } from "./blocks.ts"
import { attribute, closest, type Element, inlineText } from "./element.ts"
import type { Kind } from "./kinds.ts"
import { inlineNoise } from "./mark.ts"

/** What a parent gets of its children's worth: text scattered over distant boxes is worth less than text in one. */
const decay: Readonly<Record<Mode, number>> = { article: 0.86, forum: 1, page: 0.97, goods: 0.97, posts: 1 }
/** What a child must be worth to count as a part of its parent; a box with one part is as good as the part. */
const partMin = 30

/**
 * Kinds that hold no article text, and how much good text (in characters) such a thing can have: a byline is short by
 * nature, so an element that is named like one and holds pages of prose is none. A share is of the page's good text.
 */
const away: Readonly<Partial<Record<Kind, { readonly chars: number; readonly share: number }>>> = {
  consent: { chars: 1_000_000, share: 0.98 },
  related: { chars: 100_000, share: 0.4 },
  slides: { chars: 100_000, share: 0.4 },
  comments: { chars: 1_000_000, share: 0.7 },
  share: { chars: 200, share: 0.2 },
  newsletter: { chars: 800, share: 0.3 },
  advert: { chars: 600, share: 0.3 },
  paywall: { chars: 600, share: 0.3 },
  author: { chars: 900, share: 0.3 },
  signature: { chars: 900, share: 0.3 },
  profile: { chars: 900, share: 0.3 },
  byline: { chars: 200, share: 0.3 },
  tags: { chars: 150, share: 0.2 },
  caption: { chars: 900, share: 0.3 },
  tools: { chars: 250, share: 0.2 },
  navigation: { chars: 500, share: 0.2 },
  filters: { chars: 500, share: 0.2 },
  sidebar: { chars: 20_000, share: 0.3 },
  footer: { chars: 20_000, share: 0.3 }
}
/** What a page is read as: an article, a discussion (whose comments are the text), or whatever else a page holds. */
export type Mode = "article" | "forum" | "page" | "goods" | "posts"

/** What goes from every page, whatever it is. */
const always: ReadonlyArray<Kind> = ["consent", "navigation", "footer", "newsletter", "share", "advert"]
const all: ReadonlyArray<Kind> = [...always, "tools", "sidebar", "signature", "profile"]
/** What goes from every page that is no article and no discussion. */
const plainest: ReadonlyArray<Kind> = [...always, "comments", "filters"]
const removing: Readonly<Record<Mode, ReadonlySet<Kind>>> = {
  article: new Set<Kind>([...all, "related", "slides", "comments", "paywall", "author", "byline", "tags", "caption"]),
  forum: new Set<Kind>([...all, "related", "slides", "paywall"]),
  posts: new Set<Kind>([...all, "related", "slides", "paywall", "comments"]),
  page: new Set<Kind>(plainest),
  goods: new Set<Kind>([...plainest, "related", "byline"])
}
const awayTags = new Set(["nav", "aside", "footer", "figcaption", "form", "menu", "address"])
/** Away in articles only: other pages keep their text in such things. */
const looseTags = new Set(["aside", "figcaption", "form", "address", "menu"])
const awayRoles = new Set([
  "navigation",
  "complementary",
  "contentinfo",
  "banner",
  "search",
  "dialog",
  "alert",
  "menu",
  "menubar",
  "toolbar",
  "alertdialog",
  "tablist"
])

/** An element of such a kind stays if it holds more than this share of the page's good text: the name lied. */
const shareMax = 0.4

/** A page's footer goes whatever it holds (terms, footnotes), if so much good text is left, in characters; an article's is judged. */
const restMin = 300

/** Slides with more than this share of their characters in links lead to other pages. */
const slideLinksMax = 0.1
const leadsOn = (slides: ReadonlyArray<Block>): boolean => {
  const sum = (of: (block: Block) => number): number => slides.reduce((all, it) => all + of(it), 0)
  return sum((it) => it.linkChars) > sum((it) => it.chars) * slideLinksMax
}

/** What filters have of a page's characters at most: some shelves of things are named after them. */
const filtersMax = 0.3

/** Sums over the blocks, so that any element's total is one subtraction. */
const sumsOf = (blocks: ReadonlyArray<Block>, of: (block: Block) => number): Float64Array => {
  const sums = new Float64Array(blocks.length + 1)
  let sum = 0
  let at = 0
  for (const it of blocks) {
    sum += of(it)
    at += 1
    sums[at] = sum
  }
  return sums
}

export interface Cut {
  /** By block: the kind that removes it, or null. */
  readonly removed: ReadonlyArray<string | null>
}

/** Marks the blocks that belong to boilerplate, by the outermost element that is boilerplate. */
export const boilerplate = (sheet: Sheet, mode: Mode): ReadonlyArray<string | null> => {
  const { blocks, end, first, kinds, tree } = sheet
  const good = sumsOf(blocks, (it) => Math.max(0, it.worth))
  const total = good[blocks.length] ?? 0
  const chars = sumsOf(blocks, (it) => it.chars)
  const removed = new Array<string | null>(blocks.length).fill(null)
  /** The last element of the slides that are most of the page: each of them is its text. */
  let shown = 0
  for (let order = 1; order < tree.elements.length; order++) {
    const element = tree.elements[order]
    if (element === undefined) continue
    const from = first[order] ?? 0
    const to = end[order] ?? 0
    if (to <= from || removed[from] !== null) continue
    const reason = reasonOf(element, kinds[order] ?? null, mode)
    if (reason === "slides" && order <= shown) continue
    if (reason === null || (to - from === 1 && isWord(element, blocks[from], reason))) continue
    if (reason === "filters" && (chars[to] ?? 0) - (chars[from] ?? 0) > (chars[blocks.length] ?? 0) * filtersMax)
      continue
    const held = (good[to] ?? 0) - (good[from] ?? 0)
    const kind = kinds[order] ?? null
    const bound = kind !== null && reason === kind ? away[kind] : undefined
    const isFooter = element.tag === "footer" && total - held >= restMin && closest(element, "article") === null
    if (!isFooter && held > Math.max(150, Math.min(total * (bound?.share ?? shareMax), bound?.chars ?? 1_000_000))) {
      if (reason === "slides" && !leadsOn(blocks.slice(from, to))) shown = Math.max(shown, element.last)
      continue
    }
    for (let i = from; i < to; i++) removed[i] ??= reason
  }
  return removed
}

/** A word of a sentence may be linked, a heading end in an empty mark, code be marked up: that makes neither what the word is. */
const isWord = (element: Element, block: Block | undefined, reason: string): boolean => {
  if (block === undefined || block.element.order >= element.order) return false
  if (block.pre) return true
  const { length } = inlineText(element)
  const isLoose = reason === "tags" || element.tag === "a" || inlineNoise.has(reason)
  return length < block.chars / 2 && (isLoose || length === 0)
}

const reasonOf = (element: Element, kind: Kind | null, mode: Mode): Kind | string | null => {
  if (kind !== null && removing[mode].has(kind)) return kind
  if (awayTags.has(element.tag) && (mode === "article" || !looseTags.has(element.tag))) return element.tag
  const role = attribute(element, "role")
  return role !== undefined && awayRoles.has(role) ? role : null
}

const bonusOf = (element: Element, kind: Kind | null): number => {
  const prop = attribute(element, "itemprop")
  if (prop !== undefined && /articleBody/iu.test(prop)) return 1.5
  if (kind === "body") return 1.25
  if (element.tag === "article") return 1.15
  if (element.tag === "main" || attribute(element, "role") === "main") return 1.05
  return 1
}

/** The element whose blocks make the best article, and its score. */
export const winner = (
  sheet: Sheet,
  removed: ReadonlyArray<string | null>,
  mode: Mode
): { element: Element; score: number } => {
  const { blocks, kinds, tree } = sheet
  const own = new Float64Array(tree.elements.length)
  const parts = new Int32Array(tree.elements.length)
  blocks.forEach((block, i) => {
    if (removed[i] !== null) return
    const { order } = block.element
    own[order] = (own[order] ?? 0) + block.worth
    if (block.worth > partMin) parts[order] = (parts[order] ?? 0) + 1
  })
  let best = tree.root
  let bestScore = 0
  for (let order = tree.elements.length - 1; order >= 0; order--) {
    const element = tree.elements[order]
    if (element === undefined) continue
    const sum = own[order] ?? 0
    if (sum === 0) continue
    const score = sum * bonusOf(element, kinds[order] ?? null)
    if (score > bestScore) {
      best = element
      bestScore = score
    }
    if (element.parent === null) continue
    const up = element.parent.order
    own[up] = (own[up] ?? 0) + ((parts[order] ?? 0) > 1 ? sum * decay[mode] : sum)
    if (sum > partMin) parts[up] = (parts[up] ?? 0) + 1
  }
  return { element: best, score: bestScore }
}
