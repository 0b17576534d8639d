import { Element, type Tree } from "./element.ts"
import { type Marks, scan } from "./scanner.ts"
import { type Traits, traitsOf } from "./tag.ts"

/** Nesting kept, in levels; deeper elements become siblings. Real pages stay under 100; browsers stop at 512. */
export const depthMax = 256
/** Elements kept per document; the largest real page in the test sets has 21,000. */
export const elementsMax = 300_000

/** A tag as one page uses it: how often it is open. */
class Tag {
  /** Whether it was ever open, and how often it is now: a stray end tag costs nothing. */
  known = false
  open = 0
  /** Levels that were opened beyond the depth bound: their end tags are swallowed. */
  beyond = 0
  readonly traits: Traits
  constructor(readonly name: string) {
    this.traits = traitsOf(name)
  }
}

/**
 * Builds the tree from the scanner's marks. It follows the parsing rules of the HTML standard where they change what
 * a reader sees (implied ends, misnested inline tags, cells) and leaves out those that only matter to a browser.
 */
class Builder implements Marks {
  readonly root = new Element("#root", [], null, 0, traitsOf("#root"))
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
  private readonly preformatted = this.tagOf("pre")
  private gathered = ""
  private attributes: Array<string> = []
  private raw: "none" | "drop" | "ld" = "none"
  private foreign = 0

  get isForeign(): boolean {
    return this.foreign > 0
  }
  get keepsBlanks(): boolean {
    return this.preformatted.open > 0
  }
  text(text: string): void {
    if (this.raw === "drop" || this.foreign > 0) return
    this.gathered = this.gathered === "" ? text : this.gathered + text
  }
  open(name: string, attributes: Array<string>, selfClosing: boolean): void {
    const tag = this.tagOf(name)
    this.attributes = attributes
    if (this.foreign > 0) {
      if (tag.traits.isForeign) this.foreign += selfClosing ? 0 : 1
      if (!tag.traits.breaksOut) return
      this.foreign = 0
    }
    this.flush()
    if (name === "html" || name === "body") this.merge(tag)
    else if (tag !== this.head || !tag.known) this.add(tag, selfClosing)
  }
  close(name: string): void {
    const tag = this.tagOf(name)
    if (this.foreign === 0) this.end(tag)
    else if (tag.traits.isForeign) this.foreign -= 1
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
    const { isDropped, isForeign, isVoid, staysInHead } = tag.traits
    if (this.head.open > 0 && !staysInHead) this.end(this.head)
    this.implyEnds(tag)
    if (!this.push(tag)) return
    if (isForeign && !selfClosing) this.foreign = 1
    if (isForeign || isVoid) this.pop()
    else if (isDropped) this.enterRaw(tag.name)
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
      if (tag.traits.isDropped) this.raw = "drop"
      return false
    }
    if (this.top.depth >= depthMax) {
      this.flags.add("tree_deep")
      if (!tag.traits.isVoid && !tag.traits.isDropped) {
        this.pop()
        tag.beyond += 1
      }
    }
    const element = new Element(tag.name, this.attributes, this.top, this.elements.length, tag.traits)
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
    const { name, traits } = tag
    const { ends, endsParagraph } = traits
    if (endsParagraph && this.paragraph.open > 0) this.endParagraph()
    if (ends === undefined || (name === "a" && tag.open === 0)) return
    for (let i = this.stack.length - 1; i > 0; i--) {
      const it = this.tags[i]
      if (it === undefined || ends.within.has(it.name)) return
      if (ends.ends.has(it.name)) {
        if (name === "a") this.release(i)
        else this.cut(i)
        return
      }
      if (name === "li" && it.traits.isSpecial && it.name !== "div" && it.name !== "address") return
    }
  }
  private endParagraph(): void {
    for (let i = this.stack.length - 1; i > 0; i--) {
      const it = this.tags[i]
      if (it === undefined || it.traits.isSpecial) return
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
    if (isTop || !this.tags.slice(index + 1).some((it) => it.traits.isSpecial)) {
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
    const { name, traits } = tag
    this.flush()
    if (this.raw !== "none" && traits.isDropped) {
      this.raw = "none"
      if (this.top.tag === name) this.pop()
      return
    }
    if (name === "br") this.lineBreak(tag)
    if (name === "body" || name === "html" || traits.isVoid) return
    if (tag.beyond > 0) tag.beyond -= 1
    else if (tag.open > 0) this.shut(tag)
  }
  private lineBreak(tag: Tag): void {
    this.attributes = []
    if (this.push(tag)) this.pop()
  }
  private shut(tag: Tag): void {
    const { isFormatting, isOfTable } = tag.traits
    for (let i = this.stack.length - 1; i > 0; i--) {
      const it = this.tags[i]
      if (it === undefined) return
      if (it === tag) {
        if (isFormatting) this.release(i)
        else this.cut(i)
        return
      }
      if (it.traits.isWall && !isOfTable) return
      if (it.name === "table" && isOfTable) return
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
