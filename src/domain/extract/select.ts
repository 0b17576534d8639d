import { compile, selectOne as first, selectAll } from "css-select"
import { Result } from "effect"
import { attribute, type Element, elementChildren, inlineText, type Node } from "./element.ts"

const isTag = (node: Node): node is Element => typeof node !== "string"

/** How css-select sees the light tree. */
const adapter = {
  isTag,
  getAttributeValue: attribute,
  getChildren: (node: Node): Array<Node> => (isTag(node) ? node.children : []),
  getName: (element: Element): string => element.tag,
  getParent: (element: Element): Node | null => element.parent,
  getSiblings: (node: Node): Array<Node> => (isTag(node) && node.parent !== null ? node.parent.children : [node]),
  getText: (node: Node): string => (isTag(node) ? inlineText(node) : node),
  hasAttrib: (element: Element, name: string): boolean => attribute(element, name) !== undefined,
  removeSubsets: (nodes: Array<Node>): Array<Node> => {
    const kept = nodes.filter(isTag).toSorted((a, b) => a.order - b.order)
    return kept.filter((it, i) => i === 0 || it.order > (kept[i - 1]?.last ?? -1))
  }
}
const options = { adapter, cacheResults: false }

/** Whether a selector is one we understand: rules are refused at the door, never while a page is read. */
export const isSelector = (css: string): boolean =>
  Result.isSuccess(Result.try(() => compile<Node, Element>(css, options)))

/** The elements that match, in document order; a selector that is not valid matches nothing. */
export const select = (from: Element, css: string): ReadonlyArray<Element> =>
  Result.getOrElse(
    Result.try(() => selectAll<Node, Element>(css, elementsOf(from), options)),
    () => []
  )

export const selectOne = (from: Element, css: string): Element | null =>
  Result.getOrElse(
    Result.try(() => first<Node, Element>(css, elementsOf(from), options)),
    () => null
  )

/** The synthetic root matches nothing itself: a search starts at its children. */
const elementsOf = (from: Element): Array<Node> => (from.tag === "#root" ? [...elementChildren(from)] : [from])
