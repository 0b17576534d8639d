import type { Element, Node, Tree } from "./element.ts"
import { isAway, isHidden } from "./hidden.ts"
import { type Kind, kindByName } from "./kinds.ts"
import { inlineNoise, isMark } from "./mark.ts"

/** One run of text between two line-breaking boundaries, read once and never again. */
export interface Block {
  /** White space collapsed; a single `<br>` is a line feed. */
  readonly text: string
  readonly chars: number
  readonly linkChars: number
  /** The innermost block-level element around it. */
  readonly element: Element
  /** h1..h6 as 1..6, else 0. */
  readonly heading: number
  readonly item: boolean
  readonly cell: boolean
  readonly quote: boolean
  readonly pre: boolean
  /** How much it looks like a piece of an article, about in characters; negative for menus and teasers. */
  readonly worth: number
}

/** The visible text of a page as blocks, and which blocks each element covers. */
export interface Sheet {
  readonly tree: Tree
  readonly blocks: ReadonlyArray<Block>
  /** By element order: the blocks of `e` are `blocks[first[e.order] .. end[e.order] - 1]`. */
  readonly first: Int32Array
  readonly end: Int32Array
  readonly kinds: ReadonlyArray<Kind | null>
  /** How many elements tabs, folds and slides have that were left out. */
  readonly folded: number
}

const inlineNoiseElements = 12
const invisible = /[\u00ad\u200b\u200c\u2060\ufeff\u200e\u200f\u202a-\u202e\u2066-\u2069\u0000]|\u200d/gu
const blank = /[\s\u00a0]+/gu
const untidy = /[\t\n\r\f\v\u00a0\u00ad\u2028\u2029\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u0000]|\s\s/u

const [space, feed] = [0x20, 0x0a]
const wordEnd = /[\p{Ll}\p{N}.!?:)%]/u
const wordBegin = /^(?:\p{Lu}|[$€£¥₩]\d)/u
/** Whether what two elements say runs together because only a style sheet parts it: "13 reviewsRead more". */
const isApart = (last: number, text: string): boolean => wordEnd.test(String.fromCharCode(last)) && wordBegin.test(text)

/** Anything but visible characters and single blanks: most texts have none of it, and that is told faster. */
const suspicious =
  /[^\u0020-\u009f\u00a1-\u00ac\u00ae-\u167f\u1681-\u1fff\u2010-\u2027\u2030-\u205e\u2070-\u2fff\u3001-\ufefe\uff00-\uffff]|\x20{2}/
/** What stands between most tags. */
const between = /^[ \t\n\r]+$/

const tidy = (text: string): string => {
  if (!suspicious.test(text)) return text
  if (between.test(text)) return " "
  return untidy.test(text) ? text.replace(invisible, "").replace(blank, " ") : text
}

/** What hides more than this share of the elements (and more than a few) hides the page itself, if most of the text is in it. */
const hiddenShare = 0.6
const hiddenMin = 50
/** A `<noscript>` with as many elements holds the page for those who run no scripts, if most of the text is in it. */
const noscriptElements = 15
/** What has this share of a page's text has most of it: a box of text that nobody sees has less, beside an article. */
const pageShare = 0.65

/** By element order: the characters of text that stand before the element; one more for the page's end. */
const textsOf = ({ elements }: Tree): Float64Array => {
  const sums = new Float64Array(elements.length + 1)
  elements.forEach(({ children, traits }, at) => {
    let sum = sums[at] ?? 0
    if (!traits.isUnread) for (const it of children) if (typeof it === "string") sum += it.trim().length
    sums[at + 1] = sum
  })
  return sums
}

class Collector {
  readonly blocks: Array<Block> = []
  readonly first: Int32Array
  readonly end: Int32Array
  readonly kinds: Array<Kind | null>
  folded = 0
  private readonly kindOf = kindByName
  private parts: Array<string> = []
  /** The last character gathered (its code, or 0), and whether anything but white space was. */
  private last = 0
  private filled = false
  /** Whether an element ended since the last text, and then another began. */
  private ended = false
  private begun = false
  private linkChars = 0
  private links = 0
  private pre = 0
  private owner: Element

  /** A page may be hidden as a whole until its scripts have run, or behind a dialog: that hides nothing from us. */
  private readonly hiddenMax: number
  private texts: Float64Array | null = null

  constructor(
    private readonly tree: Tree,
    private readonly hides: (element: Element) => boolean
  ) {
    this.hiddenMax = Math.max(hiddenMin, tree.elements.length * hiddenShare)
    this.first = new Int32Array(tree.elements.length)
    this.end = new Int32Array(tree.elements.length)
    this.kinds = new Array<Kind | null>(tree.elements.length).fill(null)
    this.owner = tree.root
  }

  /** One walk with its own stack: an element stands on it twice, to be entered and (as a number) to be left. */
  walk(): void {
    const { elements } = this.tree
    const stack: Array<Node | number> = [this.tree.root]
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      if (typeof node === "string") this.add(node)
      else if (typeof node === "number") {
        const left = elements[node]
        if (left !== undefined) this.leave(left)
      } else if (this.enter(node, stack.at(-1))) {
        stack.push(node.order)
        for (let i = node.children.length - 1; i >= 0; i--) {
          const child = node.children[i]
          if (child !== undefined) stack.push(child)
        }
      }
    }
    this.flush()
  }

  private enter(element: Element, next: Node | number | undefined): boolean {
    const { tag, traits } = element
    const { isBlock } = traits
    if (isBlock) this.flush()
    this.first[element.order] = this.blocks.length
    this.end[element.order] = this.blocks.length
    if (tag === "br") {
      this.lineBreak()
      return false
    }
    if (traits.isUnread && !(tag === "noscript" && this.isPage(element, noscriptElements))) return false
    if (this.hides(element) && !this.isPage(element, this.hiddenMax)) {
      if (!isAway(element)) this.folded += element.last - element.order + 1
      return false
    }
    const kind = this.kindOf(element)
    this.kinds[element.order] = kind
    if (isBlock) this.owner = element
    else if (kind !== null && inlineNoise.has(kind) && element.last - element.order < inlineNoiseElements)
      if (!isMark(element, kind, this.parts.at(-1) ?? "", next)) return false
    this.begun ||= this.ended && !traits.isWithin
    if (tag === "a") this.links += 1
    if (tag === "pre") this.pre += 1
    return true
  }
  /** Whether an element is the page itself: it has so many elements and most of the text. */
  private isPage({ last, order }: Element, elementsMin: number): boolean {
    if (last - order < elementsMin) return false
    this.texts ??= textsOf(this.tree)
    const [from = 0, to = 0, all = 0] = [this.texts[order], this.texts[last + 1], this.texts.at(-1)]
    return to - from >= all * pageShare
  }
  private leave(element: Element): void {
    const { tag, traits } = element
    this.ended = !traits.isWithin
    this.begun = false
    if (tag === "a") this.links -= 1
    if (traits.isBlock) {
      this.flush()
      this.owner = blockParent(element)
    }
    if (tag === "pre") this.pre -= 1
    this.end[element.order] = this.blocks.length + (this.filled ? 1 : 0)
  }
  private add(raw: string): void {
    const text = this.pre > 0 ? raw.replace(invisible, "") : tidy(raw)
    if (text === "") return
    const glued =
      this.pre === 0 && (this.last === 0 || this.last === space || this.last === feed) && text.startsWith(" ")
    const own = glued ? text.slice(1) : this.begun && this.pre === 0 && isApart(this.last, text) ? ` ${text}` : text
    this.ended = false
    this.begun = false
    if (this.links > 0) this.linkChars += own.length
    this.append(own)
  }
  private append(text: string): void {
    if (text === "") return
    this.parts.push(text)
    this.last = text.charCodeAt(text.length - 1)
    this.filled ||= text !== " " && text.trim() !== ""
  }
  private lineBreak(): void {
    if (this.last === feed && this.pre === 0) this.flush()
    else if (this.last !== 0) this.append("\n")
  }
  private flush(): void {
    if (this.parts.length === 0) return
    const joined = this.parts.length === 1 ? (this.parts[0] ?? "") : this.parts.join("")
    const { filled } = this
    const gathered = this.linkChars
    this.parts.length = 0
    this.last = 0
    this.filled = false
    this.linkChars = 0
    if (!filled) return
    const text = this.pre > 0 ? withoutEmptyEnds(joined) : withoutLooseEnds(joined)
    const { length: chars } = text
    const linkChars = Math.min(gathered, chars)
    const place = placeOf(this.owner)
    const { cell, heading, item, quote } = place
    this.blocks.push({
      text,
      chars,
      linkChars,
      element: this.owner,
      heading,
      item,
      cell,
      quote,
      pre: this.pre > 0,
      worth: weigh(text, linkChars, place)
    })
  }
}

/** No blanks stand around the text or before its line breaks. */
const withoutLooseEnds = (text: string): string => (text.includes("\n") ? text.replaceAll(" \n", "\n") : text).trim()
/** The first line's indentation counts in preformatted text; an empty first line and blanks at the end do not. */
const withoutEmptyEnds = (text: string): string => text.trimEnd().replace(/^[ \t]*\r?\n/u, "")

const blockParent = (element: Element): Element => {
  let it = element.parent
  while (it !== null && !it.traits.isBlock) it = it.parent
  return it ?? element
}

/** How many parents are asked what a block stands in. */
const placeLevels = 8

type Place = Pick<Block, "heading" | "item" | "cell" | "quote">
const placeOf = (owner: Element): Place => {
  const place = { heading: 0, item: false, cell: false, quote: false }
  let it: Element | null = owner
  for (let level = 0; level < placeLevels && it !== null; level++, it = it.parent) {
    const { heading, isCell, isItem } = it.traits
    if (heading > 0) place.heading ||= heading
    else if (isItem) place.item = true
    else if (isCell) place.cell = true
    else if (it.tag === "blockquote") place.quote = true
  }
  return place
}

/** A text under this many characters that ends no sentence says little. */
const shortChars = 40
const sentenceEnd = /[.!?…。！？:;"”»’)\]]\s*$/u
const midSentence = /[,，、.。;:!?]\s/u

/** How much a text of so many characters in links looks like a piece of an article. */
export const weigh = (text: string, linkChars: number, { cell, heading, item }: Place): number => {
  const { length: chars } = text
  const density = linkChars / chars
  if (heading > 0) return density > 0.5 ? -10 : 0
  if (density > 0.6) return -Math.min(60, 10 + chars / 4)
  const plain = chars - 1.6 * linkChars
  if (chars < shortChars && !sentenceEnd.test(text)) return item || cell ? -8 : -5
  const sentence = sentenceEnd.test(text) || midSentence.test(text) ? 1 : 0.5
  return Math.min(plain, 1500) * sentence * (item ? 0.6 : cell ? 0.8 : 1)
}

/** Reads the visible text of a page, once. */
export const sheetOf = (tree: Tree, hides: (element: Element) => boolean = (it) => isHidden(it)): Sheet => {
  const collector = new Collector(tree, hides)
  collector.walk()
  const { blocks, end, first, folded, kinds } = collector
  return { tree, blocks, first, end, kinds, folded }
}

/** The share of a block's text that is link text. */
export const linkDensity = (block: Block): number => (block.chars === 0 ? 0 : block.linkChars / block.chars)
