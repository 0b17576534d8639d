import { parseDate } from "../dates.ts"
import { decodeOnce, elements, innerMarkup, textOf, type XmlElement } from "../xml.ts"
import type { FeedHints } from "./model.ts"
import { keyOf } from "./space.ts"

/** The fields of one name in a parent; those that a cut document left open are not trusted. */
export const all = (parent: XmlElement, root: XmlElement, name: string): ReadonlyArray<XmlElement> =>
  elements(parent).filter((it) => it.closed && keyOf(it, root) === name)

/** The first field by the order of names, so the order is the preference. */
export const first = (parent: XmlElement, root: XmlElement, names: ReadonlyArray<string>): XmlElement | undefined => {
  for (const name of names) {
    const found = all(parent, root, name).find((it) => it.children.length > 0 || Object.keys(it.attributes).length > 0)
    if (found !== undefined) return found
  }
  return undefined
}

const fromBase64 = (text: string): string => {
  const bytes = Buffer.from(text.replace(/\s+/g, ""), "base64")
  return new TextDecoder().decode(bytes)
}

const isBinary = (type: string): boolean =>
  type.includes("/") && !/^text\/|xml$|html|^application\/(?:json|xhtml)/i.test(type) && !type.startsWith("image/")

/** A single wrapper `div` is the packaging that Atom asks of XHTML, not content. */
const unwrapped = (element: XmlElement): XmlElement => {
  const inner = elements(element)
  const [only] = inner
  const hasText = element.children.some((it) => typeof it === "string" && it.trim() !== "")
  return only !== undefined && inner.length === 1 && !hasText && only.local === "div" ? only : element
}

/** The text of a field by its declared type: plain, escaped HTML, inline XHTML or base64. */
export const contentOf = (element: XmlElement): string | null => {
  const type = (element.attributes.type ?? "").trim().toLowerCase()
  const mode = (element.attributes.mode ?? "").trim().toLowerCase()
  const hasMarkup = elements(element).length > 0
  const text = textOf(element).trim()
  if (mode === "base64" || (!hasMarkup && mode === "" && isBinary(type))) return fromBase64(text).trim() || null
  if (!hasMarkup) return text === "" ? null : text
  const inner = innerMarkup(unwrapped(element)).trim()
  // Escaped markup inside real markup was meant as markup too.
  const value = type === "html" || mode === "escaped" ? decodeOnce(inner) : inner
  return value === "" ? null : value
}

export const textField = (parent: XmlElement, root: XmlElement, names: ReadonlyArray<string>): string | null => {
  for (const name of names) {
    const values = all(parent, root, name).flatMap((it) => contentOf(it) ?? [])
    if (values[0] !== undefined) return values[0]
  }
  return null
}

export const attributeOf = (element: XmlElement, name: string): string | null =>
  element.attributes[name]?.trim() || null

/** ISO 8601 in UTC of the first date field that reads as one. */
export const dateOf = (
  parent: XmlElement,
  root: XmlElement,
  names: ReadonlyArray<string>,
  hints: FeedHints
): string | null => {
  for (const name of names) {
    for (const it of all(parent, root, name)) {
      const found = parseDate(textOf(it), { ...hints, source: "feed" })
      if (found !== null) return found.at
    }
  }
  return null
}

/** An address against `xml:base`, else the feed's own link; what cannot be resolved comes back as written. */
export const resolveLink = (href: string, element: XmlElement, base: string): string => {
  const text = href.trim().replace(/[\t\r\n]+/g, "")
  const outer = element.base === "" ? base : (URL.parse(element.base, base === "" ? undefined : base)?.href ?? base)
  return (URL.parse(text) ?? URL.parse(text, outer === "" ? undefined : outer)) === null
    ? text
    : URL.parse(text) === null
      ? (URL.parse(text, outer)?.href ?? text)
      : text
}

/** Preference among an Atom entry's links: its HTML page, any alternate, one without a relation. */
const rank = (link: XmlElement): number => {
  const rel = (link.attributes.rel ?? "alternate").trim().toLowerCase()
  const type = (link.attributes.type ?? "text/html").toLowerCase()
  if (rel !== "alternate" && !rel.endsWith("/alternate")) return 0
  return /html/.test(type) ? 2 : 1
}

const atomLink = (links: ReadonlyArray<XmlElement>): XmlElement | undefined =>
  [...links].filter((it) => it.attributes.href !== undefined && rank(it) > 0).sort((a, b) => rank(b) - rank(a))[0]

/** The page a channel or item stands for. */
export const linkOf = (parent: XmlElement, root: XmlElement, base: string): string | null => {
  const links = all(parent, root, "link")
  const written = links.find((it) => textOf(it).trim() !== "" && it.attributes.href === undefined)
  const atom = atomLink(links)
  if (written !== undefined) return resolveLink(textOf(written), written, base)
  return atom === undefined ? null : resolveLink(atom.attributes.href ?? "", atom, base)
}

const EMAIL = /[\w.!#$%&'*+/=?^`{|}~-]+@[\w-]+(?:\.[\w-]+)+/

/** `Name <mail>` and `mail (Name)` are one person; RSS writes it either way. */
const person = (text: string): string => {
  const mail = EMAIL.exec(text)?.[0]
  if (mail === undefined) return text.trim()
  const name = text
    .replace(mail, "")
    .replace(/[<>()[\]]|&lt;|&gt;/g, "")
    .replace(/\s+/g, " ")
    .trim()
  return name === "" ? mail : `${name} (${mail})`
}

const structured = (author: XmlElement, root: XmlElement): string | null => {
  const name = textField(author, root, ["name", "itunes:name"])
  const mail = textField(author, root, ["email", "itunes:email"])
  if (name === null) return mail
  return mail === null ? name : `${name} (${mail})`
}

/** Who wrote it, as one text. */
export const authorOf = (parent: XmlElement, root: XmlElement): string | null => {
  const names = ["author", "dc:creator", "dc:author", "managingeditor", "itunes:author", "itunes:owner"]
  for (const name of names) {
    for (const it of all(parent, root, name)) {
      const text = elements(it).length > 0 ? structured(it, root) : person(textOf(it))
      if (text !== null && text !== "") return text
    }
  }
  return null
}
