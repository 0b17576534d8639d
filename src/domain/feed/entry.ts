import { elements, textOf, type XmlElement } from "../xml.ts"
import { all, attributeOf, authorOf, contentOf, dateOf, linkOf, resolveLink, textField } from "./field.ts"
import type { FeedEntry, FeedHints } from "./model.ts"
import { keyOf } from "./space.ts"

/** Tags kept of one item. */
const TAGS_MAX = 50

const tagsOf = (item: XmlElement, root: XmlElement): ReadonlyArray<string> => {
  const fields = elements(item).filter(
    (it) => it.closed && ["category", "dc:subject", "media:category"].includes(keyOf(it, root))
  )
  const tags = fields.flatMap((it) => {
    const text = attributeOf(it, "label") ?? attributeOf(it, "term") ?? textOf(it).trim()
    return text === "" ? [] : [text.replace(/\s+/g, " ")]
  })
  return [...new Set(tags)].slice(0, TAGS_MAX)
}

const isAddress = (text: string): boolean => /^https?:\/\//i.test(text)

/** A guid is the page's address unless it says otherwise (RSS 2.0 `isPermaLink`). */
const permalink = (item: XmlElement, root: XmlElement, base: string): string | null => {
  const guid = all(item, root, "guid").find((it) => textOf(it).trim() !== "")
  if (guid === undefined) return null
  const text = textOf(guid).trim()
  const flag = guid.attributes.ispermalink?.trim().toLowerCase()
  if (flag === "false") return null
  return flag === "true" || isAddress(text) ? resolveLink(text, guid, base) : null
}

const linkOfItem = (item: XmlElement, root: XmlElement, base: string): string | null => {
  const original = textField(item, root, ["feedburner:origlink"])
  if (original !== null && isAddress(original)) return original
  const about = attributeOf(item, "rdf:about")
  return linkOf(item, root, base) ?? permalink(item, root, base) ?? (about !== null && isAddress(about) ? about : null)
}

/** Long form and short form: what calls itself content, or the second of two descriptions. */
const bodies = (item: XmlElement, root: XmlElement): Pick<FeedEntry, "summary" | "content"> => {
  const fields = elements(item).filter((it) => it.closed)
  const short = fields.filter((it) =>
    ["description", "dc:description", "summary", "abstract", "itunes:summary"].includes(keyOf(it, root))
  )
  const long = fields.filter((it) =>
    ["content:encoded", "content", "body", "xhtml:body", "fullitem", "xhtml:div"].includes(keyOf(it, root))
  )
  const summaries = short.flatMap((it) => contentOf(it) ?? [])
  const contents = long.flatMap((it) => contentOf(it) ?? [])
  return { summary: summaries[0] ?? null, content: contents[0] ?? summaries[1] ?? null }
}

/** One item; an item without a link, title, id and text is no item. */
export const entryOf = (
  item: XmlElement,
  root: XmlElement,
  base: string,
  hints: FeedHints
): ReadonlyArray<FeedEntry> => {
  const entry: FeedEntry = {
    title: textField(item, root, ["title", "dc:title", "media:title", "itunes:title"]),
    link: linkOfItem(item, root, base),
    id: textField(item, root, ["guid", "id", "dc:identifier"]) ?? attributeOf(item, "rdf:about"),
    published: dateOf(item, root, ["pubdate", "published", "issued", "dcterms:issued"], hints),
    updated: dateOf(item, root, ["updated", "modified", "dcterms:modified", "dc:date"], hints),
    author: authorOf(item, root),
    ...bodies(item, root),
    tags: tagsOf(item, root)
  }
  const isCut = !item.closed && entry.link === null
  return isCut ? [] : [entry]
}
