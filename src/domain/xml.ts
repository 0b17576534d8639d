import { Parser } from "htmlparser2"

/** Deeper elements are read as part of their ancestor: real feeds and sitemaps end at 12. */
const DEPTH_MAX = 200
/** Elements read from one document; a sitemap of 50,000 URLs with news tags has 600,000. */
const ELEMENTS_MAX = 1_500_000
/** Longest replacement text of an entity the document declares itself, in characters; it is never expanded further. */
const ENTITY_MAX = 200
/** Entities the document declares itself. */
const ENTITIES_MAX = 100

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
  /** What had to be repaired: `bare_ampersand`, `undeclared_entity`, `unclosed`, `leading_text`, `elements_capped`. */
  readonly faults: ReadonlySet<string>
}

const XML_ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }
/** Two names whose meaning HTML changed after the DTD of RSS 0.91 had fixed it. */
const RSS_ENTITIES: Readonly<Record<string, string>> = { lang: "\u2329", rang: "\u232a" }

/** The tokenizer knows the two thousand names of HTML; asked for one at a time, it becomes a dictionary. */
const htmlEntity = (name: string): string | null => {
  let text = ""
  const parser = new Parser({ ontext: (it) => (text += it) }, { decodeEntities: true })
  parser.end(`&${name};`)
  return text === `&${name};` || text === "" ? null : text
}

/** Windows' own bytes used as code points, which HTML reads as their authors meant (HTML §13.2.5.80). */
const WINDOWS = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ"

const character = (point: number): string => {
  if (point >= 0x80 && point <= 0x9f) return WINDOWS[point - 0x80] ?? ""
  const isBad = !Number.isInteger(point) || point === 0 || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)
  return isBad ? "\ufffd" : String.fromCodePoint(point)
}

const REFERENCE = /&(?:#[xX]([0-9a-fA-F]{1,7})|#(\d{1,8})|([A-Za-z][A-Za-z0-9]{1,31}));|&/g

/**
 * Decodes character references exactly once: XML's five, numbers, the document's own and, because feeds use them
 * undeclared, HTML's names (field case B31). A bare `&` stays as it is.
 */
export const decodeOnce = (
  text: string,
  own: ReadonlyMap<string, string> = new Map(),
  fault: (name: string) => void = () => {}
): string => {
  if (!text.includes("&")) return text
  return text.replace(REFERENCE, (whole: string, hex?: string, decimal?: string, name?: string) => {
    if (hex !== undefined) return character(Number.parseInt(hex, 16))
    if (decimal !== undefined) return character(Number(decimal))
    if (name === undefined) {
      fault("bare_ampersand")
      return whole
    }
    const sound = XML_ENTITIES[name] ?? own.get(name)
    if (sound !== undefined) return sound
    fault("undeclared_entity")
    return RSS_ENTITIES[name] ?? htmlEntity(name) ?? whole
  })
}

/** Entities of an internal DOCTYPE subset, as plain text: nothing inside them is expanded, so they cannot explode. */
const ownEntities = (text: string): ReadonlyMap<string, string> => {
  const subset = /<!DOCTYPE[^>[]*\[([\s\S]{0,20000}?)\]\s*>/i.exec(text)?.[1] ?? ""
  const found = [...subset.matchAll(/<!ENTITY\s+([A-Za-z][\w.-]*)\s+(?:"([^"]*)"|'([^']*)')\s*>/g)].slice(
    0,
    ENTITIES_MAX
  )
  return new Map(
    found.flatMap(([, name = "", double, single]) => {
      const value = decodeOnce(double ?? single ?? "")
      return value.length > ENTITY_MAX || value.includes("&") ? [] : [[name, value] as const]
    })
  )
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
  // A DOCTYPE with a subset holds `>`, which the tokenizer would take for its end.
  return (start < 0 ? "" : text.slice(start)).replace(/<!DOCTYPE[^>[]*\[[\s\S]*?\]\s*>/i, "")
}

/** Builds the tree from the tokenizer's events. Mutable inside one call, like the tokenizer itself. */
const builder = (text: string) => {
  const faults = new Set<string>()
  const fault = (name: string) => void faults.add(name)
  const own = ownEntities(text)
  const roots: Array<XmlElement> = []
  const stack: Array<Scope> = []
  let skipped = 0
  let count = 0
  let isCdata = false
  const append = (raw: string) => {
    const children = stack.at(-1)?.element.children
    if (children === undefined) return
    const piece = (isCdata ? raw : decodeOnce(raw, own, fault)).replace(/[\u0080-\u009f]/g, (it) =>
      character(it.charCodeAt(0))
    )
    const last = children.at(-1)
    if (typeof last === "string") children[children.length - 1] = last + piece
    else children.push(piece)
  }
  const open = (name: string, raw: Readonly<Record<string, string>>) => {
    count += 1
    if (stack.length >= DEPTH_MAX || count > ELEMENTS_MAX) {
      if (count > ELEMENTS_MAX) fault("elements_capped")
      skipped += 1
      return
    }
    const entries = Object.entries(raw).map(
      ([key, value]) => [key.toLowerCase(), decodeOnce(value, own, fault)] as const
    )
    const scope = make(name, Object.fromEntries(entries), raw, stack.at(-1))
    const parent = stack.at(-1)
    if (parent === undefined) roots.push(scope.element)
    else parent.element.children.push(scope.element)
    stack.push(scope)
  }
  const close = (isImplied: boolean) => {
    if (skipped > 0) {
      skipped -= 1
      return
    }
    const scope = stack.pop()
    if (scope !== undefined) scope.element.closed = !isImplied
    if (isImplied) fault("unclosed")
  }
  return { faults, fault, roots, append, open, close, cdata: (on: boolean) => (isCdata = on) }
}

/** Reads XML as leniently as a browser reads HTML: never fails, bounded in depth and size, expands nothing. */
export const parseXml = (text: string): XmlDocument => {
  const build = builder(text)
  const source = fromFirstTag(text, build.fault)
  const parser = new Parser(
    {
      onopentag: build.open,
      // The tokenizer calls the end of `<link/>` implied.
      onclosetag: (_, isImplied) => build.close(isImplied && source[parser.endIndex - 1] !== "/"),
      ontext: build.append,
      oncdatastart: () => void build.cdata(true),
      oncdataend: () => void build.cdata(false)
    },
    { xmlMode: true, decodeEntities: false }
  )
  parser.end(source)
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
