import { decodeHTML, decodeHTMLAttribute } from "entities/decode"

/** What a page is made of, in its order; character references are decoded. */
export interface Marks {
  /** Inside a drawing or a formula no element's body is raw text. */
  readonly isForeign: boolean
  /** In preformatted text white space counts; elsewhere a text of nothing else is given as one blank. */
  readonly keepsBlanks: boolean
  readonly text: (text: string) => void
  /** Names are in lower case; `attributes` holds names and values, alternating. */
  readonly open: (tag: string, attributes: Array<string>, selfClosing: boolean) => void
  readonly close: (tag: string) => void
}

/** Attributes kept per element. */
const attributesMax = 64

/** Elements whose body is text up to their end tag: as it stands, or with references. @source HTML, 13.2.6.2 */
const bodies: ReadonlyMap<string, "raw" | "referring" | "plain"> = new Map([
  ..."script style iframe noembed noframes xmp".split(" ").map((it) => [it, "raw"] as const),
  ["title", "referring"],
  ["textarea", "referring"],
  // It has no end.
  ["plaintext", "plain"]
])
const scriptMark = /<!--|-->|<\/?script(?=[\t\n\f\r />])/giu

const [bang, slash, equals, end, query, quote, apostrophe] = [0x21, 0x2f, 0x3d, 0x3e, 0x3f, 0x22, 0x27]

// Letters stand behind all of these: one comparison tells them.
const isBlank = (code: number): boolean =>
  code <= 0x20 && (code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d || code === 0x0c)
const endsName = (code: number): boolean => code <= end && (code === end || code === slash || isBlank(code))
const isLetter = (code: number): boolean => (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a)

interface Name {
  readonly written: string
  /** In lower case. */
  readonly name: string
}
/** Names remembered while a page is read; a power of two. */
const namesKept = 512

/**
 * Splits a page into text and tags by the tokenising rules of the HTML standard (13.2.5), looking at each character once.
 * What ends before its `>` is dropped, as the standard says.
 */
class Scanner {
  /** Where the next `&` stands, or the page's end. */
  private reference = -1
  /** A page repeats a few dozen names: they are found by three of their characters, the last that was there. */
  private readonly names = new Array<Name | undefined>(namesKept).fill(undefined)
  private attributes: Array<string> = []
  /** Whether the tag being read ends itself. */
  private closed = false

  constructor(
    private readonly html: string,
    private readonly marks: Marks
  ) {}

  run(): void {
    const { html } = this
    let start = 0
    let at = html.indexOf("<")
    while (at >= 0) {
      const next = html.charCodeAt(at + 1)
      const isTag = isLetter(next)
      if (isTag || next === slash || next === bang || next === query) {
        if (next === slash && at + 2 >= html.length) break
        if (at > start) this.text(start, at, true)
        start = isTag ? this.open(at + 1) : next === slash ? this.close(at + 2) : this.skip(at + 1)
        at = html.indexOf("<", start)
      } else at = html.indexOf("<", at + 1)
    }
    if (start < html.length) this.text(start, html.length, true)
  }

  /** Each step takes the place where something begins and answers the place behind it. */
  private open(from: number): number {
    const { html } = this
    const at = this.nameEnd(from)
    const tag = this.name(from, at)
    this.attributes = []
    const closing = this.attributesEnd(at)
    if (closing >= html.length) return closing
    const { isForeign } = this.marks
    this.marks.open(tag, this.attributes, this.closed)
    if (isForeign) return closing + 1
    const body = bodies.get(tag)
    if (body === undefined) return closing + 1
    return body === "plain" ? this.rest(closing + 1, false) : this.body(tag, closing + 1, body === "referring")
  }
  private nameEnd(from: number): number {
    const { html } = this
    let at = from
    while (at < html.length && !endsName(html.charCodeAt(at))) at += 1
    return at
  }
  private name(from: number, to: number): string {
    const { html } = this
    const length = to - from
    const middle = html.charCodeAt(from + (length >> 1))
    const place = (length + html.charCodeAt(from) * 3 + middle * 17 + html.charCodeAt(to - 1) * 59) & (namesKept - 1)
    const known = this.names[place]
    if (known !== undefined && known.written.length === length && this.holds(known.written, from)) return known.name
    const written = html.slice(from, to)
    const name = written.toLowerCase()
    this.names[place] = { written, name }
    return name
  }
  private holds(text: string, from: number): boolean {
    let at = 0
    while (at < text.length && text.charCodeAt(at) === this.html.charCodeAt(from + at)) at += 1
    return at === text.length
  }
  /** Reads attributes up to the tag's `>` and answers its place. */
  private attributesEnd(from: number): number {
    const { html } = this
    const { length } = html
    let at = from
    this.closed = false
    while (at < length) {
      const code = html.charCodeAt(at)
      if (code === end) return at
      if (code === slash) this.closed = true
      else if (!isBlank(code)) {
        this.closed = false
        at = this.attribute(at)
        continue
      }
      at += 1
    }
    return length
  }
  private attribute(from: number): number {
    const { html } = this
    // A name may begin with `=`.
    let at = from + 1
    for (let code = html.charCodeAt(at); code !== equals && !endsName(code) && at < html.length; ) {
      at += 1
      code = html.charCodeAt(at)
    }
    const name = this.name(from, at)
    at = this.blanksEnd(at)
    if (html.charCodeAt(at) !== equals) {
      this.add(name, "")
      return at
    }
    at = this.blanksEnd(at + 1)
    const mark = html.charCodeAt(at)
    if (mark === quote || mark === apostrophe) {
      const to = html.indexOf(mark === quote ? '"' : "'", at + 1)
      if (to < 0) return html.length
      this.add(name, this.value(at + 1, to))
      return to + 1
    }
    let to = at
    for (let code = mark; to < html.length && code !== end && !isBlank(code); code = html.charCodeAt(to)) to += 1
    this.add(name, this.value(at, to))
    return to
  }
  private add(name: string, value: string): void {
    if (this.attributes.length < attributesMax * 2) this.attributes.push(name, value)
  }
  private blanksEnd(from: number): number {
    let at = from
    while (isBlank(this.html.charCodeAt(at))) at += 1
    return at
  }
  private value(from: number, to: number): string {
    const text = this.html.slice(from, to)
    return this.refers(from, to) ? decodeHTMLAttribute(text) : text
  }
  private text(from: number, to: number, refers: boolean): void {
    if (this.blanksEnd(from) >= to && !this.marks.keepsBlanks) {
      this.marks.text(" ")
      return
    }
    const text = this.html.slice(from, to)
    this.marks.text(refers && this.refers(from, to) ? decodeHTML(text) : text)
  }
  private refers(from: number, to: number): boolean {
    if (this.reference < from) {
      const next = this.html.indexOf("&", from)
      this.reference = next < 0 ? this.html.length : next
    }
    return this.reference < to
  }
  private close(from: number): number {
    const { html } = this
    const code = html.charCodeAt(from)
    if (code === end) return from + 1
    if (!isLetter(code)) return this.past(">", from)
    const at = this.nameEnd(from)
    const after = this.past(">", at)
    if (at < html.length) this.marks.close(this.name(from, at))
    return after
  }
  private past(mark: string, from: number): number {
    const at = this.html.indexOf(mark, from)
    return at < 0 ? this.html.length : at + mark.length
  }
  /** A comment, a document type, or what the standard calls a bogus comment. */
  private skip(from: number): number {
    const { html } = this
    if (this.marks.isForeign && html.startsWith("![CDATA[", from)) return this.past("]]>", from)
    if (!html.startsWith("!--", from)) return this.past(">", from)
    const start = from + 3
    if (html.charCodeAt(start) === end) return start + 1
    if (html.startsWith("->", start)) return start + 2
    for (let at = html.indexOf("--", start); at >= 0; at = html.indexOf("--", at + 1)) {
      const code = html.charCodeAt(at + 2)
      if (code === end) return at + 3
      if (code === bang && html.charCodeAt(at + 3) === end) return at + 4
    }
    return html.length
  }
  private body(tag: string, from: number, refers: boolean): number {
    const { html } = this
    for (let at = html.indexOf("</", from); at >= 0; at = html.indexOf("</", at + 2)) {
      const to = at + 2 + tag.length
      if (!endsName(html.charCodeAt(to)) || html.slice(at + 2, to).toLowerCase() !== tag) continue
      const last = tag === "script" && html.slice(from, at).includes("<!--") ? this.scriptEnd(from) : at
      this.text(from, last, refers)
      return this.close(last + 2)
    }
    return this.rest(from, refers)
  }
  /** In a comment of a script, a script that begins there ends first. @source HTML, 13.2.5.18 to 13.2.5.31 */
  private scriptEnd(from: number): number {
    let [isComment, isInner] = [false, false]
    scriptMark.lastIndex = from
    for (let it = scriptMark.exec(this.html); it !== null; it = scriptMark.exec(this.html)) {
      const [mark] = it
      if (mark === "<!--") {
        isComment = true
        // Its dashes may be those of its end.
        scriptMark.lastIndex -= 2
      } else if (mark === "-->") [isComment, isInner] = [false, false]
      else if (!mark.startsWith("</")) isInner = isComment
      else if (isInner) isInner = false
      else return it.index
    }
    return this.html.length
  }
  private rest(from: number, refers: boolean): number {
    this.text(from, this.html.length, refers)
    return this.html.length
  }
}

/** Reads a page from its first character to its last; never fails, in linear time whatever the page. */
export const scan = (html: string, marks: Marks): void => new Scanner(html, marks).run()
