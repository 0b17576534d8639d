import { encodingName } from "./label.ts"
import { withoutCode, withoutComments } from "./strip.ts"

/**
 * Where the search stops, in bytes. The standard's prescan may stop at 1,024, but then its parser changes the encoding
 * when it meets a later `meta`; looking further at once gives the same answer. Real pages declare it after long scripts.
 */
const SEARCHED_BYTES = 65_536
/** Most pages declare it here. */
const HEAD_BYTES = 4096
/** An XML declaration stands at the very start. */
const XML_BYTES = 256

const latin1 = (bytes: Uint8Array, length: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(length, bytes.length)).toString("latin1")

interface Attribute {
  readonly name: string
  readonly value: string
  /** Position after the attribute. */
  readonly next: number
}

const SPACE = /[\t\n\f\r /]/
const BLANK = /[\t\n\f\r ]/

const skip = (text: string, from: number, set: RegExp): number => {
  let at = from
  while (at < text.length && set.test(text[at] ?? "")) at += 1
  return at
}

const quoted = (text: string, from: number): { readonly value: string; readonly next: number } | null => {
  const end = text.indexOf(text[from] ?? "", from + 1)
  return end < 0 ? null : { value: text.slice(from + 1, end).toLowerCase(), next: end + 1 }
}

/** "Get an attribute" of the standard; `null` at the end of the tag or of the text. */
const attribute = (text: string, from: number): Attribute | null => {
  const start = skip(text, from, SPACE)
  if (start >= text.length || text[start] === ">") return null
  let at = start
  while (at < text.length && (at === start || text[at] !== "=") && !/[\t\n\f\r />]/.test(text[at] ?? "")) at += 1
  const name = text.slice(start, at).toLowerCase()
  const equals = skip(text, at, BLANK)
  if (text[equals] !== "=") return { name, value: "", next: at }
  const value = skip(text, equals + 1, BLANK)
  if (value >= text.length) return null
  if (text[value] === '"' || text[value] === "'") {
    const found = quoted(text, value)
    return found === null ? null : { name, ...found }
  }
  let end = value
  while (end < text.length && !/[\t\n\f\r >]/.test(text[end] ?? "")) end += 1
  return end >= text.length ? null : { name, value: text.slice(value, end).toLowerCase(), next: end }
}

/** "Extracting a character encoding from a meta element" of the standard. */
const fromContent = (content: string): string | null => {
  for (const match of content.matchAll(/charset/gi)) {
    const rest = content.slice(match.index + match[0].length).replace(/^[\t\n\f\r ]+/, "")
    if (!rest.startsWith("=")) continue
    const value = rest.slice(1).replace(/^[\t\n\f\r ]+/, "")
    const [, double, single, bare] = /^(?:"([^"]*)"|'([^']*)'|([^"'\t\n\f\r ;][^\t\n\f\r ;]*))/.exec(value) ?? []
    return double ?? single ?? bare ?? null
  }
  return null
}

interface Meta {
  readonly pragma: boolean
  readonly needsPragma: boolean | null
  readonly label: string | null
}

const withAttribute = (meta: Meta, { name, value }: Attribute): Meta => {
  if (name === "http-equiv") return value === "content-type" ? { ...meta, pragma: true } : meta
  if (name === "charset") return { ...meta, label: value, needsPragma: false }
  if (name !== "content" || meta.label !== null) return meta
  const label = fromContent(value)
  return label === null ? meta : { ...meta, label, needsPragma: true }
}

const readMeta = (text: string, from: number): { readonly label: string | null; readonly next: number } => {
  let meta: Meta = { pragma: false, needsPragma: null, label: null }
  const seen = new Set<string>()
  let at = from
  for (let found = attribute(text, at); found !== null; found = attribute(text, at)) {
    at = found.next
    if (!seen.has(found.name)) meta = withAttribute(meta, found)
    seen.add(found.name)
  }
  const counts = meta.needsPragma !== null && (!meta.needsPragma || meta.pragma)
  return { label: counts ? meta.label : null, next: at }
}

/** A document that can be read as ASCII this far is not UTF-16, whatever it says; x-user-defined is a relic. */
const corrected = (label: string | null): string | null => {
  const name = encodingName(label)
  if (name === "utf-16le" || name === "utf-16be") return "utf-8"
  return name === "x-user-defined" ? "windows-1252" : name
}

const skipTag = (text: string, from: number): number => {
  let at = from
  while (at < text.length && !/[\t\n\f\r >]/.test(text[at] ?? "")) at += 1
  for (let found = attribute(text, at); found !== null; found = attribute(text, at)) at = found.next
  return at
}

const scan = (text: string): string | null => {
  let at = text.indexOf("<")
  while (at >= 0) {
    const rest = text.slice(at, at + 6)
    if (rest.startsWith("<!--")) {
      const end = text.indexOf("-->", at + 2)
      if (end < 0) return null
      at = end + 2
    } else if (/^<meta[\t\n\f\r /]/i.test(rest)) {
      const meta = readMeta(text, at + 5)
      const name = corrected(meta.label)
      if (name !== null) return name
      at = meta.next
    } else if (/^<\/?[a-z]/i.test(rest)) {
      at = skipTag(text, at + 1)
    } else if (/^<[!/?]/.test(rest)) {
      const end = text.indexOf(">", at)
      if (end < 0) return null
      at = end
    }
    at = text.indexOf("<", at + 1)
  }
  return null
}

/** The encoding of a byte order mark. */
export const markOf = (bytes: Uint8Array): "utf-8" | "utf-16be" | "utf-16le" | null => {
  const [a, b, c] = bytes
  if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8"
  if (a === 0xfe && b === 0xff) return "utf-16be"
  return a === 0xff && b === 0xfe ? "utf-16le" : null
}

/**
 * The charset that a byte order mark or a `meta` element declares, by the standard's own algorithm.
 * @source WHATWG HTML §13.2.3.2
 */
export const prescan = (bytes: Uint8Array): string | null =>
  markOf(bytes) ?? scan(uncut(latin1(bytes, HEAD_BYTES))) ?? scan(latin1(bytes, SEARCHED_BYTES))

/** Up to the end of the last tag. */
const uncut = (text: string): string => text.slice(0, text.lastIndexOf(">") + 1)

/** The same further down, and for markup the standard does not take: no `http-equiv`, broken quotes, a late `head`. */
export const lenientMeta = (bytes: Uint8Array): string | null => {
  const text = withoutCode(withoutComments(latin1(bytes, SEARCHED_BYTES)))
  for (const [, label] of text.matchAll(/<meta\b[^>]{0,500}?charset\s{0,20}=\s*["']?\s*([\w.:-]+)/gi)) {
    const name = corrected(label ?? null)
    if (name !== null) return name
  }
  return null
}

/** The encoding of an XML declaration (XML 1.0 §4.3.3). */
export const xmlDeclaration = (bytes: Uint8Array): string | null =>
  corrected(
    /^\s*<\?xml\b[^>]*?\bencoding\s*=\s*["']\s*([\w.:-]+)/i.exec(latin1(bytes, XML_BYTES).replace(/^ï»¿/, ""))?.[1] ??
      null
  )
