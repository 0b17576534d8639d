import { type Element, elementChildren, type Node, words } from "../extract/element.ts"
import { isHidden } from "../extract/hidden.ts"
import { visible } from "../prompt.ts"
import type { Hints } from "../reading.ts"
import { treeOf } from "./page.ts"

/** Attributes that say what an element is. Values of others are addresses and looks. */
const telling = new Set(["id", "class", "itemprop", "property", "name", "role", "datetime", "rel", "content", "alt"])
/** Elements without text or structure that a rule could name. */
const dropped = new Set(
  [
    "script style noscript template svg iframe object form input button select textarea canvas video audio link br hr".split(
      " "
    )
  ].flat()
)
/** Characters kept of a text and of an attribute, and likes of one sibling that are shown. */
const textMax = 60
const valueMax = 60
const likesMax = 3
const depthMax = 40
/** Meta elements that speak of the article. */
const metaName = /title|date|time|author|publish|description/iu

const attributesOf = ({ attributes }: Element): string => {
  const parts: Array<string> = []
  for (let i = 0; i < attributes.length; i += 2) {
    const [name, value] = [attributes[i] ?? "", attributes[i + 1] ?? ""]
    if (!telling.has(name) && !/^data-.*(?:date|time)/u.test(name)) continue
    parts.push(
      ` ${name}="${visible(value)
        .replace(/["\s]+/gu, " ")
        .trim()
        .slice(0, valueMax)}"`
    )
  }
  return parts.join("")
}

const isShown = (element: Element): boolean => {
  if (dropped.has(element.tag) || isHidden(element)) return false
  return element.tag !== "meta" || metaName.test(attributesOf(element))
}

const likeOf = (element: Element): string => `${element.tag}${attributesOf(element).replace(/\d+/gu, "0")}`

class Writer {
  private readonly lines: Array<string> = []
  private room: number
  constructor(charsMax: number) {
    this.room = charsMax
  }
  private line(text: string): void {
    this.room -= text.length + 1
    if (this.room > 0) this.lines.push(text)
  }
  private textOf(node: Node, pad: string): void {
    if (typeof node !== "string") return
    const text = words(visible(node))
    if (text !== "")
      this.line(`${pad}${text.length > textMax ? `${text.slice(0, textMax).toWellFormed()}… (${text.length})` : text}`)
  }
  /** An element with what it holds; of neighbours that look alike only the first few. */
  element(element: Element, depth: number): void {
    if (this.room <= 0 || depth > depthMax) return
    const pad = " ".repeat(depth)
    this.line(`${pad}<${element.tag}${attributesOf(element)}>`)
    let [last, likes, left] = ["", 0, 0]
    for (const child of element.children) {
      if (typeof child === "string") {
        this.textOf(child, `${pad} `)
        continue
      }
      if (!isShown(child)) continue
      const like = likeOf(child)
      likes = like === last ? likes + 1 : 1
      last = like
      if (likes <= likesMax) this.element(child, depth + 1)
      else left += 1
    }
    if (left > 0) this.line(`${pad} (${left} more like these)`)
  }
  get text(): string {
    return this.lines.join("\n")
  }
}

/**
 * A page as its structure: elements with what names them, texts cut short, repetition folded, nothing that a reader would
 * not see. At most `charsMax` characters; what does not fit is the end of the page.
 */
export const skeletonOf = (bytes: Uint8Array, hints: Hints, charsMax: number): string => {
  const writer = new Writer(charsMax)
  for (const element of elementChildren(treeOf(bytes, hints).root)) if (isShown(element)) writer.element(element, 0)
  return writer.text
}
