import { Element, type Tree } from "./element.ts"
import { type Marks, scan } from "./scanner.ts"

/** Nesting kept, in levels; deeper elements become siblings. Real pages stay under 100; browsers stop at 512. */
export const depthMax = 256
/** Elements kept per document; the largest real page in the test sets has 21,000. */
export const elementsMax = 300_000

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "))

const voids = set("area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr")
/** An open `<p>` ends where one of these begins. */
const endsParagraph = set(
  "address article aside blockquote center details dialog dir div dl dd dt fieldset figcaption figure footer form " +
    "h1 h2 h3 h4 h5 h6 header hgroup hr li main menu nav ol p pre section table ul"
)
/** Elements whose end an inline end tag does not cross, and at which the search for an open `<p>` stops. */
const special = set(
  "#root html body address article aside blockquote center details dialog div dl dd dt fieldset figcaption figure " +
    "footer form header li main menu nav ol section summary table tbody td tfoot th thead tr ul template h1 h2 h3 h4 " +
    "h5 h6 button object"
)
/** A cell is a wall: an end tag inside it closes nothing outside, unless it belongs to the table itself. */
const walls = set("td th caption template")
const tableTags = set("table tbody thead tfoot tr td th caption")
const formatting = set("a b big code em font i nobr s small span strike strong tt u ins del mark abbr label sub sup q")
const inHead = set("title meta link base script style noscript template basefont bgsound")
/** The tag begun, and which open siblings it ends, up to the given parents. */
const siblings: Readonly<Record<string, { ends: ReadonlySet<string>; within: ReadonlySet<string> }>> = {
  li: { ends: set("li"), within: set("ul ol menu dir") },
  dt: { ends: set("dt dd"), within: set("dl") },
  dd: { ends: set("dt dd"), within: set("dl") },
  tr: { ends: set("tr"), within: set("table tbody thead tfoot") },
  td: { ends: set("td th"), within: set("tr table") },
  th: { ends: set("td th"), within: set("tr table") },
  tbody: { ends: set("tbody thead tfoot"), within: set("table") },
  tfoot: { ends: set("tbody thead tfoot"), within: set("table") },
  thead: { ends: set("tbody thead tfoot"), within: set("table") },
  option: { ends: set("option"), within: set("select optgroup datalist") },
  optgroup: { ends: set("option optgroup"), within: set("select") },
  a: { ends: set("a"), within: set("td th table object template") }
}
/** Tags that break out of an unclosed `<svg>` or `<math>` (HTML, 13.2.6.5). */
const breaksOut = set("body div p h1 h2 h3 h4 h5 h6 ul ol li table section article main footer header nav figure img")
/** Bodies that are never text. `noembed`, `noframes` and `iframe` hold markup as text. */
const dropped = set("script style iframe noembed noframes xmp")

/**
 * Builds the tree from the scanner's marks. It follows the parsing rules of the HTML standard where they change what
 * a reader sees (implied ends, misnested inline tags, cells) and leaves out those that only matter to a browser.
 */
class Builder implements Marks {
  readonly root = new Element("#root", [], null, 0)
  readonly elements: Array<Element> = [this.root]
  readonly ld: Array<string> = []
  readonly flags = new Set<string>()
  scripts = 0
  /** Open elements, `root` first; `opened` counts them by tag so that a stray end tag costs nothing. */
  private stack: Array<Element> = [this.root]
  private top: Element = this.root
  private readonly opened = new Map<string, number>()
  /** Levels that were opened beyond the depth bound, by tag: their end tags are swallowed. */
  private readonly beyond = new Map<string, number>()
  private gathered = ""
  private tag = ""
  private attributes: Array<string> = []
  private raw: "none" | "drop" | "ld" = "none"
  private foreign = 0

  get isForeign(): boolean {
    return this.foreign > 0
  }
  text(text: string): void {
    if (this.raw === "drop" || this.foreign > 0) return
    this.gathered = this.gathered === "" ? text : this.gathered + text
  }
  open(tag: string, attributes: Array<string>, selfClosing: boolean): void {
    this.tag = tag
    this.attributes = attributes
    this.begin(selfClosing)
  }
  close(tag: string): void {
    this.end(tag)
  }
  finish(): void {
    this.flush()
    while (this.stack.length > 1) this.pop()
    this.root.last = this.elements.length - 1
  }

  private flush(): void {
    if (this.gathered === "") return
    if (this.raw === "ld") this.ld.push(this.gathered)
    else if (this.raw === "none") this.top.children.push(this.gathered)
    this.gathered = ""
  }
  private begin(selfClosing: boolean): void {
    const { tag } = this
    if (this.foreign > 0) {
      if (tag === "svg" || tag === "math") this.foreign += selfClosing ? 0 : 1
      if (!breaksOut.has(tag)) return
      this.foreign = 0
    }
    this.flush()
    if (tag === "html" || tag === "body") this.merge(tag)
    else if (tag !== "head" || !this.opened.has("head")) this.add(tag, selfClosing)
  }
  private add(tag: string, selfClosing: boolean): void {
    if (this.isOpen("head") && !inHead.has(tag)) this.end("head")
    this.implyEnds(tag)
    if (!this.push(tag)) return
    const isForeign = tag === "svg" || tag === "math"
    if (isForeign && !selfClosing) this.foreign = 1
    if (isForeign || voids.has(tag)) this.pop()
    else if (dropped.has(tag)) this.enterRaw(tag)
  }
  private enterRaw(tag: string): void {
    const isLd = tag === "script" && /ld\+json/iu.test(this.attributes.join(" "))
    if (tag === "script" && !isLd) this.scripts += 1
    this.raw = isLd ? "ld" : "drop"
  }
  /** A second `<html>` or `<body>` opens nothing. */
  private merge(tag: string): void {
    if (this.isOpen("head")) this.end("head")
    if (!this.opened.has(tag)) this.push(tag)
  }
  private push(tag: string): boolean {
    if (this.elements.length >= elementsMax) {
      this.flags.add("tree_cut")
      if (dropped.has(tag)) this.raw = "drop"
      return false
    }
    const deep = this.top.depth >= depthMax
    if (deep) {
      this.flags.add("tree_deep")
      if (!voids.has(tag) && !dropped.has(tag)) {
        this.pop()
        this.beyond.set(tag, (this.beyond.get(tag) ?? 0) + 1)
      }
    }
    const element = new Element(tag, this.attributes, this.top, this.elements.length)
    this.top.children.push(element)
    this.elements.push(element)
    this.stack.push(element)
    this.top = element
    this.opened.set(tag, (this.opened.get(tag) ?? 0) + 1)
    return true
  }
  private isOpen(tag: string): boolean {
    return (this.opened.get(tag) ?? 0) > 0
  }
  private pop(): void {
    const element = this.stack.pop()
    if (element === undefined) return
    element.last = this.elements.length - 1
    this.forget(element.tag)
    this.top = this.stack[this.stack.length - 1] ?? this.root
  }
  private forget(tag: string): void {
    this.opened.set(tag, (this.opened.get(tag) ?? 1) - 1)
  }
  private implyEnds(tag: string): void {
    if (endsParagraph.has(tag) && this.isOpen("p")) this.endParagraph()
    const rule = siblings[tag]
    if (rule === undefined || (tag === "a" && !this.isOpen("a"))) return
    for (let i = this.stack.length - 1; i > 0; i--) {
      const it = this.stack[i]
      if (it === undefined || rule.within.has(it.tag)) return
      if (rule.ends.has(it.tag)) {
        if (tag === "a") this.release(i)
        else this.cut(i)
        return
      }
      if (tag === "li" && special.has(it.tag) && it.tag !== "div" && it.tag !== "address") return
    }
  }
  private endParagraph(): void {
    for (let i = this.stack.length - 1; i > 0; i--) {
      const it = this.stack[i]
      if (it === undefined || special.has(it.tag)) return
      if (it.tag === "p") {
        this.cut(i)
        return
      }
    }
  }
  /** Closes the open element at `index` and all above it. */
  private cut(index: number): void {
    while (this.stack.length > index) this.pop()
  }
  /** Closes an inline element whose end came too early or too late, leaving the blocks opened inside it open. */
  private release(index: number): void {
    const blocked = this.stack.slice(index + 1).some((it) => special.has(it.tag))
    if (!blocked) {
      this.cut(index)
      return
    }
    const [element] = this.stack.splice(index, 1)
    if (element !== undefined) this.forget(element.tag)
    this.early.push(element ?? this.root)
  }
  /** Elements closed before their contents were: their `last` is set when the document ends. */
  readonly early: Array<Element> = []

  private end(tag: string): void {
    if (this.foreign > 0) {
      if (tag !== "svg" && tag !== "math") return
      this.foreign -= 1
      return
    }
    this.flush()
    if (this.raw !== "none" && dropped.has(tag)) {
      this.raw = "none"
      if (this.top.tag === tag) this.pop()
      return
    }
    if (tag === "br") this.lineBreak()
    if (tag === "body" || tag === "html" || voids.has(tag)) return
    const swallowed = this.beyond.get(tag) ?? 0
    if (swallowed > 0) {
      this.beyond.set(tag, swallowed - 1)
      return
    }
    if (this.isOpen(tag)) this.shut(tag)
  }
  private lineBreak(): void {
    this.tag = "br"
    this.attributes = []
    if (this.push("br")) this.pop()
  }
  private shut(tag: string): void {
    const inline = formatting.has(tag)
    for (let i = this.stack.length - 1; i > 0; i--) {
      const it = this.stack[i]
      if (it === undefined) return
      if (it.tag === tag) {
        if (inline) this.release(i)
        else this.cut(i)
        return
      }
      if (walls.has(it.tag) && !tableTags.has(tag)) return
      if (it.tag === "table" && tableTags.has(tag) && tag !== "table") return
    }
  }
}

export const build = (html: string): Tree => {
  const builder = new Builder()
  scan(html, builder)
  builder.finish()
  // A misnested inline element holds what was opened inside it, also what was added after its own end.
  for (const it of builder.early.toReversed()) it.last = lastOf(it)
  const { elements, flags, ld, root, scripts } = builder
  return { root, elements, ld, scripts, flags: [...flags] }
}

const lastOf = (element: Element): number => {
  let last = element
  for (;;) {
    const next = last.children.findLast((it) => typeof it !== "string")
    if (next === undefined || typeof next === "string") return last.order
    last = next
  }
}
