import { elements, textOf, type XmlElement } from "../xml.ts"
import { all, attributeOf, authorOf, contentOf, dateOf, linkOf, resolveLink, textField } from "./field.ts"
import type { FeedEntry, FeedHints, Source } from "./model.ts"
import { keyOf } from "./space.ts"

/** Tags kept of one item. */
const TAGS_MAX = 50

const tagsOf = (item: XmlElement, source: Source): ReadonlyArray<string> => {
  const fields = elements(item).filter(
    (it) => it.closed && ["category", "dc:subject", "media:category"].includes(keyOf(it, source.root))
  )
  const tags = fields.flatMap((it) => {
    const text = attributeOf(it, "label") ?? attributeOf(it, "term") ?? textOf(it).trim()
    return text === "" ? [] : [text.replace(/\s+/g, " ")]
  })
  return [...new Set(tags)].slice(0, TAGS_MAX)
}

const isAddress = (text: string): boolean => /^https?:\/\//i.test(text)

/** A guid is the page's address unless it says otherwise (RSS 2.0 `isPermaLink`). */
const permalink = (item: XmlElement, source: Source): string | null => {
  const guid = all(item, source, "guid").find((it) => textOf(it).trim() !== "")
  if (guid === undefined) return null
  const text = textOf(guid).trim()
  const flag = guid.attributes.ispermalink?.trim().toLowerCase()
  if (flag === "false") return null
  return flag === "true" || isAddress(text) ? resolveLink(text, guid, source.base) : null
}

const linkOfItem = (item: XmlElement, source: Source): string | null => {
  const original = textField(item, source, ["feedburner:origlink"])
  if (original !== null && isAddress(original)) return original
  const about = attributeOf(item, "rdf:about")
  return linkOf(item, source) ?? permalink(item, source) ?? (about !== null && isAddress(about) ? about : null)
}

/** Long form and short form: what calls itself content, or the second of two descriptions. */
const bodies = (item: XmlElement, source: Source): Pick<FeedEntry, "summary" | "content"> => {
  const fields = elements(item).filter((it) => it.closed)
  const short = fields.filter((it) =>
    ["description", "dc:description", "summary", "abstract", "itunes:summary"].includes(keyOf(it, source.root))
  )
  const long = fields.filter((it) =>
    ["content:encoded", "content", "body", "xhtml:body", "fullitem", "xhtml:div"].includes(keyOf(it, source.root))
  )
  const summaries = short.flatMap((it) => contentOf(it, source.base) ?? [])
  const contents = long.flatMap((it) => contentOf(it, source.base) ?? [])
  return { summary: summaries[0] ?? null, content: contents[0] ?? summaries[1] ?? null }
}

/** One item; an item without a link, title, id and text is no item. */
export const entryOf = (item: XmlElement, source: Source, hints: FeedHints): ReadonlyArray<FeedEntry> => {
  const entry: FeedEntry = {
    title: textField(item, source, ["title", "dc:title", "media:title", "itunes:title"]),
    link: linkOfItem(item, source),
    id: textField(item, source, ["guid", "id", "dc:identifier"]) ?? attributeOf(item, "rdf:about"),
    published: dateOf(item, source, ["pubdate", "published", "issued", "dcterms:issued"], hints),
    updated: dateOf(item, source, ["updated", "modified", "dcterms:modified", "dc:date"], hints),
    author: authorOf(item, source),
    ...bodies(item, source),
    language: textField(item, source, ["language", "dc:language"]) ?? (item.language.replace("_", "-") || null),
    tags: tagsOf(item, source)
  }
  const isCut = !item.closed && entry.link === null
  return isCut ? [] : [entry]
}
