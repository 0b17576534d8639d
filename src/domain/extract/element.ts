import type { Traits } from "./tag.ts"

/** A node of the light tree: an element, or a piece of text with its entities decoded. */
export type Node = Element | string

/**
 * An element. `order` is its place in document order, `last` the place of its last descendant: the descendants of `e`
 * are `tree.elements[e.order + 1 .. e.last]`, so every walk is a loop over an array and none recurses.
 */
export class Element {
  readonly children: Array<Node> = []
  last: number
  /** Nesting: 0 for the root. */
  readonly depth: number
  constructor(
    readonly tag: string,
    /** Names (lower case) and values, alternating. */
    readonly attributes: ReadonlyArray<string>,
    readonly parent: Element | null,
    readonly order: number,
    readonly traits: Traits
  ) {
    this.last = order
    this.depth = parent === null ? 0 : parent.depth + 1
  }
}

/** A parsed document. `elements` is in document order and starts with `root`, whose tag is `#root`. */
export interface Tree {
  readonly root: Element
  readonly elements: ReadonlyArray<Element>
  /** Bodies of `application/ld+json` scripts, in order. */
  readonly ld: ReadonlyArray<string>
  /** Number of scripts (with a body or a source), JSON-LD not counted. */
  readonly scripts: number
  /** `tree_cut` when the document has more elements than the bound, `tree_deep` when it nests deeper. */
  readonly flags: ReadonlyArray<string>
}

/** The value of an attribute (lower-case name), or undefined. */
export const attribute = (element: Element, name: string): string | undefined => {
  const list = element.attributes
  for (let i = 0; i < list.length; i += 2) if (list[i] === name) return list[i + 1]
  return undefined
}

/** Whether `inner` is `outer` or lies inside it. */
export const contains = (outer: Element, inner: Element): boolean =>
  inner.order >= outer.order && inner.order <= outer.last

/** The element's parents, nearest first, without itself. */
export function* ancestors(element: Element): Generator<Element> {
  for (let it = element.parent; it !== null; it = it.parent) yield it
}

/** The element itself or its nearest parent of that tag. */
export const closest = (element: Element, tag: string): Element | null => {
  for (let it: Element | null = element; it !== null; it = it.parent) if (it.tag === tag) return it
  return null
}

/** The descendants in document order, without the element itself. */
export const subtree = (tree: Tree, element: Element): ReadonlyArray<Element> =>
  tree.elements.slice(element.order + 1, element.last + 1)

export const elementChildren = (element: Element): ReadonlyArray<Element> =>
  element.children.filter((it): it is Element => typeof it !== "string")

/** The next sibling that is an element, or null. */
export const nextElement = (tree: Tree, element: Element): Element | null => {
  const next = tree.elements[element.last + 1]
  return next !== undefined && next.parent === element.parent ? next : null
}

/** White space runs become one blank; ends are trimmed. */
export const words = (text: string): string => text.replace(/[\s\u00a0\u200b\u2060\ufeff]+/gu, " ").trim()

/** All text on one line: blocks and line breaks become blanks. The walk keeps its own stack. */
export const inlineText = (element: Element): string => {
  const parts: Array<string> = []
  collect(element, parts, " ", " ")
  return words(parts.join(""))
}

/** Text with a line per block and per `<br>`; blank lines and indentation are dropped. */
export const blockText = (element: Element): string => {
  const parts: Array<string> = []
  collect(element, parts, "\u0001", "\u0001")
  return parts
    .join("")
    .split("\u0001")
    .map(words)
    .filter((line) => line !== "")
    .join("\n")
}

const collect = (from: Element, parts: Array<string>, block: string, line: string): void => {
  const stack: Array<Node> = [from]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (typeof node === "string") {
      parts.push(node)
      continue
    }
    const { isBlock, isSilent } = node.traits
    if (isSilent && node !== from) continue
    if (node.tag === "br") {
      parts.push(line)
      continue
    }
    if (isBlock) {
      parts.push(block)
      stack.push(block)
    }
    for (let i = node.children.length - 1; i >= 0; i--) {
      const child = node.children[i]
      if (child !== undefined) stack.push(child)
    }
  }
}
