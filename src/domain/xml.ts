import { type Tokens, tokenize } from "./tokens.ts"
import { character, decodeOnce, ownEntities, subsetOf } from "./xml/reference.ts"

export { decodeOnce } from "./xml/reference.ts"

/** Deeper elements are read as part of their ancestor: real feeds and sitemaps end at 12. */
const DEPTH_MAX = 200
/** Elements read from one document; a sitemap of 50,000 URLs with news tags has 600,000. */
const ELEMENTS_MAX = 1_500_000

/** An element of a document that may be broken. Text is decoded once; CDATA is text as it stands. */
export interface XmlElement {
  /** As written, with its prefix. */
  readonly name: string
  /** After the prefix, lower case. */
  readonly local: string
  /** Namespace URI, `""` where none is declared. */
  readonly space: string
  /** By name as written, lower case; values decoded once. */
  readonly attributes: Readonly<Record<string, string>>
  /** The same as written, undecoded: for giving the markup back. */
  readonly written: Readonly<Record<string, string>>
  readonly children: Array<XmlElement | string>
  /** The document closed it; false for what a truncated document left open. */
  closed: boolean
  /** `xml:base` in force here, `""` where there is none. */
  readonly base: string
  /** `xml:lang` in force here. */
  readonly language: string
}

export interface XmlDocument {
  /** The top elements; a sound document has one. */
  readonly roots: ReadonlyArray<XmlElement>
  /** What had to be repaired: `bare_ampersand`, `undeclared_entity`, `mismatched`, `unclosed` (the end is
   * missing), `leading_text`, `elements_capped`. */
  readonly faults: ReadonlySet<string>
}

interface Scope {
  readonly element: XmlElement
  readonly spaces: Readonly<Record<string, string>>
}

const spacesOf = (attributes: Readonly<Record<string, string>>, outer: Readonly<Record<string, string>>) => {
  const own = Object.entries(attributes).filter(([name]) => name === "xmlns" || name.startsWith("xmlns:"))
  if (own.length === 0) return outer
  return { ...outer, ...Object.fromEntries(own.map(([name, uri]) => [name.slice(6).toLowerCase(), uri.trim()])) }
}

const resolve = (base: string, outer: string): string =>
  URL.parse(base, outer === "" ? undefined : outer)?.href ?? (base === "" ? outer : base)

const make = (
  name: string,
  attributes: Readonly<Record<string, string>>,
  written: Readonly<Record<string, string>>,
  outer: Scope | undefined
): Scope => {
  const spaces = spacesOf(attributes, outer?.spaces ?? {})
  const [prefix = "", local] = name.includes(":") ? name.split(":", 2) : ["", name]
  const base = attributes["xml:base"]
  const element: XmlElement = {
    name,
    local: (local ?? name).toLowerCase(),
    space: spaces[prefix.toLowerCase()] ?? "",
    attributes,
    written,
    children: [],
    closed: false,
    base: base === undefined ? (outer?.element.base ?? "") : resolve(base, outer?.element.base ?? ""),
    language: attributes["xml:lang"] ?? outer?.element.language ?? ""
  }
  return { element, spaces }
}

/** Drops what stands before the first tag: a byte order mark, blank lines, a PHP warning. */
const fromFirstTag = (text: string, fault: (name: string) => void): string => {
  const start = text.search(/<[?!a-zA-Z]/)
  if (start > 0 && /[^\ufeff]/.test(text.slice(0, start))) fault("leading_text")
  const rest = start < 0 ? "" : text.slice(start)
  // A DOCTYPE with a subset holds `>`, which the tokenizer would take for its end.
  const subset = subsetOf(rest)
  return subset === null ? rest : rest.slice(0, subset.start) + rest.slice(subset.end)
}

/** Builds the tree from tokens. Mutable inside one call, like the tokenizer itself. */
class Builder implements Tokens {
  readonly faults = new Set<string>()
  readonly roots: Array<XmlElement> = []
  private readonly stack: Array<Scope> = []
  /** Elements that were not taken because they nest too deep, by name: their end tags close nothing. */
  private readonly beyond = new Map<string, number>()
  /** Open elements by name, so that a stray end tag costs nothing. */
  private readonly opened = new Map<string, number>()
  private count = 0

  constructor(private readonly own: ReadonlyMap<string, string>) {}

  readonly fault = (name: string): void => void this.faults.add(name)
  private readonly decode = (text: string): string => decodeOnce(text, this.own, this.fault)

  readonly open = (name: string, written: Readonly<Record<string, string>>, isEmpty: boolean): void => {
    this.count += 1
    if (this.count > ELEMENTS_MAX) this.fault("elements_capped")
    if (this.count > ELEMENTS_MAX || this.stack.length >= DEPTH_MAX) {
      if (!isEmpty) this.beyond.set(name, (this.beyond.get(name) ?? 0) + 1)
      return
    }
    const entries = Object.entries(written).map(([key, value]) => [key.toLowerCase(), this.decode(value)] as const)
    const parent = this.stack.at(-1)
    const scope = make(name, Object.fromEntries(entries), written, parent)
    if (parent === undefined) this.roots.push(scope.element)
    else parent.element.children.push(scope.element)
    if (isEmpty) {
      scope.element.closed = true
      return
    }
    this.stack.push(scope)
    this.opened.set(name, (this.opened.get(name) ?? 0) + 1)
  }

  readonly close = (name: string): void => {
    const beyond = this.beyond.get(name) ?? 0
    if (beyond > 0) {
      this.beyond.set(name, beyond - 1)
      return
    }
    if ((this.opened.get(name) ?? 0) === 0) return
    for (let scope = this.stack.pop(); scope !== undefined; scope = this.stack.pop()) {
      const found = scope.element.name
      this.opened.set(found, (this.opened.get(found) ?? 1) - 1)
      scope.element.closed = found === name
      if (found === name) return
      this.fault("mismatched")
    }
  }

  readonly text = (raw: string): void => this.append(this.decode(raw))
  readonly cdata = (raw: string): void => this.append(raw)

  private append(decoded: string): void {
    const children = this.stack.at(-1)?.element.children
    if (children === undefined || decoded === "") return
    const piece = /[\u0080-\u009f]/.test(decoded)
      ? decoded.replace(/[\u0080-\u009f]/g, (it) => character(it.charCodeAt(0)))
      : decoded
    const last = children.at(-1)
    if (typeof last === "string") children[children.length - 1] = last + piece
    else children.push(piece)
  }

  end(): void {
    if (this.stack.length > 0) this.fault("unclosed")
  }
}

/** Reads XML as leniently as a browser reads HTML: never fails, bounded in depth and size, expands nothing. */
export const parseXml = (text: string): XmlDocument => {
  const build = new Builder(ownEntities(text))
  tokenize(fromFirstTag(text, build.fault), "xml", build)
  build.end()
  return { roots: build.roots, faults: build.faults }
}

export const elements = (parent: XmlElement): ReadonlyArray<XmlElement> =>
  parent.children.filter((it) => typeof it !== "string")

/** All text inside, tags dropped. */
export const textOf = (element: XmlElement): string => {
  const pieces: Array<string> = []
  const queue: Array<XmlElement | string> = [...element.children].reverse()
  for (let it = queue.pop(); it !== undefined; it = queue.pop()) {
    if (typeof it === "string") pieces.push(it)
    else for (const child of [...it.children].reverse()) queue.push(child)
  }
  return pieces.join("")
}

const escapeText = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** Depth is bounded by the parser, so recursion is safe. */
const markup = (it: XmlElement | string): string => {
  if (typeof it === "string") return escapeText(it)
  const attributes = Object.entries(it.written)
    .filter(([key]) => !key.startsWith("xmlns") && !key.startsWith("xml:"))
    .map(([key, value]) => ` ${key}="${value.replaceAll("<", "&lt;").replaceAll('"', "&quot;")}"`)
  const name = it.name.replace(/^.*:/, "")
  const isVoid = it.children.length === 0 && /^(?:br|hr|img|input|wbr|source)$/i.test(name)
  return `<${name}${attributes.join("")}${isVoid ? " />" : `>${it.children.map(markup).join("")}</${name}>`}`
}

/** What is inside, as markup. */
export const innerMarkup = (element: XmlElement): string => element.children.map(markup).join("")
