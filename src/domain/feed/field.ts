import { parseDate } from "../dates.ts"
import { decodeOnce, elements, innerMarkup, textOf, type XmlElement } from "../xml.ts"
import { cleanHtml } from "./clean.ts"
import type { FeedHints, Source } from "./model.ts"
import { keyOf } from "./space.ts"

/** The fields of one name in a parent; those that a cut document left open are not trusted. */
export const all = (parent: XmlElement, source: Source, name: string): ReadonlyArray<XmlElement> =>
  elements(parent).filter((it) => it.closed && keyOf(it, source.root) === name)

/** The first field by the order of names, so the order is the preference. */
export const first = (parent: XmlElement, source: Source, names: ReadonlyArray<string>): XmlElement | undefined => {
  for (const name of names) {
    const found = all(parent, source, name).find(
      (it) => it.children.length > 0 || Object.keys(it.attributes).length > 0
    )
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

const baseOf = (element: XmlElement, outer: string): string =>
  element.base === "" ? outer : (URL.parse(element.base, outer === "" ? undefined : outer)?.href ?? outer)

const isPlain = (type: string): boolean => type === "text" || type === "text/plain"

/** The text of a field by its declared type: plain, escaped HTML, inline XHTML or base64. HTML comes back harmless. */
export const contentOf = (element: XmlElement, outer: string): string | null => {
  const base = baseOf(element, outer)
  const type = (element.attributes.type ?? "").trim().toLowerCase()
  const mode = (element.attributes.mode ?? "").trim().toLowerCase()
  const hasMarkup = elements(element).length > 0
  const text = textOf(element).trim()
  if (!hasMarkup) {
    const value = mode === "base64" || (mode === "" && isBinary(type)) ? fromBase64(text).trim() : text
    return (isPlain(type) ? value : cleanHtml(value, base)) || null
  }
  const inner = innerMarkup(type === "xhtml" || type === "html" ? unwrapped(element) : element).trim()
  // Escaped markup inside real markup was meant as markup too.
  return cleanHtml(type === "html" || mode === "escaped" ? decodeOnce(inner) : inner, base) || null
}

export const textField = (parent: XmlElement, source: Source, names: ReadonlyArray<string>): string | null => {
  for (const name of names) {
    const values = all(parent, source, name).flatMap((it) => contentOf(it, source.base) ?? [])
    if (values[0] !== undefined) return values[0]
  }
  return null
}

export const attributeOf = (element: XmlElement, name: string): string | null =>
  element.attributes[name]?.trim() || null

/** ISO 8601 in UTC of the first kind of date that is given; of several of a kind the last, which corrects the others. */
export const dateOf = (
  parent: XmlElement,
  source: Source,
  names: ReadonlyArray<string>,
  hints: FeedHints
): string | null => {
  for (const name of names) {
    for (const it of all(parent, source, name).toReversed()) {
      const found = parseDate(textOf(it), { ...hints, source: "feed" })
      if (found !== null) return found.at
    }
  }
  return null
}

/** An address against `xml:base`, else the outer base; absolute ones and what cannot be resolved stay as written. */
export const resolveLink = (href: string, element: XmlElement, outer: string): string => {
  const text = href.trim().replace(/[\t\r\n]+/g, "")
  return URL.parse(text) === null ? (URL.parse(text, baseOf(element, outer))?.href ?? text) : text
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
export const linkOf = (parent: XmlElement, source: Source): string | null => {
  const links = all(parent, source, "link")
  const written = links.find((it) => textOf(it).trim() !== "" && it.attributes.href === undefined)
  const atom = atomLink(links)
  if (written !== undefined) return resolveLink(textOf(written), written, source.base)
  return atom === undefined ? null : resolveLink(atom.attributes.href ?? "", atom, source.base)
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

const structured = (author: XmlElement, source: Source): string | null => {
  const name = textField(author, source, ["name", "itunes:name"])
  const mail = textField(author, source, ["email", "itunes:email"])
  if (name === null) return mail
  return mail === null ? name : `${name} (${mail})`
}

/** Who wrote it, as one text. */
export const authorOf = (parent: XmlElement, source: Source): string | null => {
  const names = ["author", "dc:creator", "dc:author", "managingeditor", "itunes:author", "itunes:owner"]
  for (const name of names) {
    for (const it of all(parent, source, name)) {
      const text = elements(it).length > 0 ? structured(it, source) : person(textOf(it))
      if (text !== null && text !== "") return text
    }
  }
  return null
}
