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
interface Ends {
  readonly ends: ReadonlySet<string>
  readonly within: ReadonlySet<string>
}
/** The tag begun, and which open siblings it ends, up to the given parents. */
const siblings: ReadonlyMap<string, Ends> = new Map(
  Object.entries({
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
  })
)
/** Tags that break out of an unclosed `<svg>` or `<math>` (HTML, 13.2.6.5). */
const breaksOut = set("body div p h1 h2 h3 h4 h5 h6 ul ol li table section article main footer header nav figure img")
/** Bodies that are never text. `noembed`, `noframes` and `iframe` hold markup as text. */
const dropped = set("script style iframe noembed noframes xmp")

/** A tag as one page uses it: what the standard says of it, and how often it is open. */
class Tag {
  /** Whether it was ever open, and how often it is now: a stray end tag costs nothing. */
  known = false
  open = 0
  /** Levels that were opened beyond the depth bound: their end tags are swallowed. */
  beyond = 0
  readonly isVoid: boolean
  readonly isSpecial: boolean
  readonly isDropped: boolean
  readonly isForeign: boolean
  readonly staysInHead: boolean
  readonly endsParagraph: boolean
  readonly ends: Ends | undefined
  constructor(readonly name: string) {
    this.isVoid = voids.has(name)
    this.isSpecial = special.has(name)
    this.isDropped = dropped.has(name)
    this.isForeign = name === "svg" || name === "math"
    this.staysInHead = inHead.has(name)
    this.endsParagraph = endsParagraph.has(name)
    this.ends = siblings.get(name)
  }
}

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
  /** Open elements, `root` first, and their tags. */
  private stack: Array<Element> = [this.root]
  private tags: Array<Tag> = [new Tag("#root")]
  private top: Element = this.root
  private readonly known = new Map<string, Tag>()
  private readonly head = this.tagOf("head")
  private readonly paragraph = this.tagOf("p")
  private gathered = ""
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
  open(name: string, attributes: Array<string>, selfClosing: boolean): void {
    const tag = this.tagOf(name)
    this.attributes = attributes
    if (this.foreign > 0) {
      if (tag.isForeign) this.foreign += selfClosing ? 0 : 1
      if (!breaksOut.has(name)) return
      this.foreign = 0
    }
    this.flush()
    if (name === "html" || name === "body") this.merge(tag)
    else if (tag !== this.head || !tag.known) this.add(tag, selfClosing)
  }
  close(name: string): void {
    const tag = this.tagOf(name)
    if (this.foreign === 0) this.end(tag)
    else if (tag.isForeign) this.foreign -= 1
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
  private tagOf(name: string): Tag {
    const known = this.known.get(name)
    if (known !== undefined) return known
    const tag = new Tag(name)
    this.known.set(name, tag)
    return tag
  }
  private add(tag: Tag, selfClosing: boolean): void {
    if (this.head.open > 0 && !tag.staysInHead) this.end(this.head)
    this.implyEnds(tag)
    if (!this.push(tag)) return
    if (tag.isForeign && !selfClosing) this.foreign = 1
    if (tag.isForeign || tag.isVoid) this.pop()
    else if (tag.isDropped) this.enterRaw(tag.name)
  }
  private enterRaw(tag: string): void {
    const isLd = tag === "script" && /ld\+json/iu.test(this.attributes.join(" "))
    if (tag === "script" && !isLd) this.scripts += 1
    this.raw = isLd ? "ld" : "drop"
  }
  /** A second `<html>` or `<body>` opens nothing. */
  private merge(tag: Tag): void {
    if (this.head.open > 0) this.end(this.head)
    if (!tag.known) this.push(tag)
  }
  private push(tag: Tag): boolean {
    if (this.elements.length >= elementsMax) {
      this.flags.add("tree_cut")
      if (tag.isDropped) this.raw = "drop"
      return false
    }
    if (this.top.depth >= depthMax) {
      this.flags.add("tree_deep")
      if (!tag.isVoid && !tag.isDropped) {
        this.pop()
        tag.beyond += 1
      }
    }
    const element = new Element(tag.name, this.attributes, this.top, this.elements.length)
    this.top.children.push(element)
    this.elements.push(element)
    this.stack.push(element)
    this.tags.push(tag)
    this.top = element
    tag.known = true
    tag.open += 1
    return true
  }
  private pop(): void {
    const element = this.stack.pop()
    const tag = this.tags.pop()
    if (element === undefined || tag === undefined) return
    element.last = this.elements.length - 1
    tag.open -= 1
    this.top = this.stack[this.stack.length - 1] ?? this.root
  }
  private implyEnds(tag: Tag): void {
    if (tag.endsParagraph && this.paragraph.open > 0) this.endParagraph()
    const { ends, name } = tag
    if (ends === undefined || (name === "a" && tag.open === 0)) return
    for (let i = this.stack.length - 1; i > 0; i--) {
      const it = this.tags[i]
      if (it === undefined || ends.within.has(it.name)) return
      if (ends.ends.has(it.name)) {
        if (name === "a") this.release(i)
        else this.cut(i)
        return
      }
      if (name === "li" && it.isSpecial && it.name !== "div" && it.name !== "address") return
    }
  }
  private endParagraph(): void {
    for (let i = this.stack.length - 1; i > 0; i--) {
      const it = this.tags[i]
      if (it === undefined || it.isSpecial) return
      if (it === this.paragraph) {
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
    const isTop = index === this.stack.length - 1
    if (isTop || !this.tags.slice(index + 1).some((it) => it.isSpecial)) {
      this.cut(index)
      return
    }
    const [element] = this.stack.splice(index, 1)
    for (const tag of this.tags.splice(index, 1)) tag.open -= 1
    this.early.push(element ?? this.root)
  }
  /** Elements closed before their contents were: their `last` is set when the document ends. */
  readonly early: Array<Element> = []

  private end(tag: Tag): void {
    const { name } = tag
    this.flush()
    if (this.raw !== "none" && tag.isDropped) {
      this.raw = "none"
      if (this.top.tag === name) this.pop()
      return
    }
    if (name === "br") this.lineBreak(tag)
    if (name === "body" || name === "html" || tag.isVoid) return
    if (tag.beyond > 0) tag.beyond -= 1
    else if (tag.open > 0) this.shut(tag)
  }
  private lineBreak(tag: Tag): void {
    this.attributes = []
    if (this.push(tag)) this.pop()
  }
  private shut(tag: Tag): void {
    const { name } = tag
    for (let i = this.stack.length - 1; i > 0; i--) {
      const it = this.tags[i]
      if (it === undefined) return
      if (it === tag) {
        if (formatting.has(name)) this.release(i)
        else this.cut(i)
        return
      }
      if (walls.has(it.name) && !tableTags.has(name)) return
      if (it.name === "table" && tableTags.has(name) && name !== "table") return
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
