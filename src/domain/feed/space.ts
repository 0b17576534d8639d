import type { XmlElement } from "../xml.ts"
import type { Feed } from "./model.ts"

/** Vocabularies by beginning of their namespace; the core ones (RSS, Atom) have no prefix here. */
const SPACES: ReadonlyArray<readonly [uri: string, prefix: string]> = [
  ["http://www.w3.org/2005/atom", ""],
  ["http://purl.org/atom/", ""],
  ["http://example.com/necho", ""],
  ["http://purl.org/rss/", ""],
  ["http://purl.org/net/rss1.1", ""],
  ["http://my.netscape.com/", ""],
  ["http://channel.netscape.com/", ""],
  ["http://backend.userland.com/", ""],
  ["http://blogs.law.harvard.edu/tech/rss", ""],
  ["http://cyber.law.harvard.edu/rss", ""],
  ["http://purl.org/rss/1.0/modules/content", "content"],
  ["http://purl.org/dc/elements/", "dc"],
  ["http://purl.org/dc/terms/", "dcterms"],
  ["http://www.w3.org/1999/02/22-rdf-syntax-ns", "rdf"],
  ["http://search.yahoo.com/mrss", "media"],
  ["http://www.itunes.com/", "itunes"],
  ["http://www.w3.org/1999/xhtml", "xhtml"],
  ["http://rssnamespace.org/feedburner/ext", "feedburner"]
]
/** Prefixes that mean the same when nobody declares them. */
const USUAL = new Set(["content", "dc", "dcterms", "rdf", "media", "itunes", "xhtml", "feedburner"])

/** Namespaces met so far; forgotten when somebody invents too many. */
const met = new Map<string, string | undefined>()
const MET_MAX = 500

const prefixOf = (space: string): string | undefined => {
  if (met.has(space)) return met.get(space)
  const prefix = lookUp(space)
  if (met.size >= MET_MAX) met.clear()
  met.set(space, prefix)
  return prefix
}

const lookUp = (space: string): string | undefined => {
  const uri = space.toLowerCase()
  const fits = SPACES.filter(([it]) => uri.startsWith(it))
  return fits.sort(([a], [b]) => b.length - a.length)[0]?.[1]
}

/**
 * A field's name for look-up, lower case: `title`, `dc:creator`. An element of an unknown vocabulary gets the prefix `x`,
 * so that an `svg` title is never taken for the item's; without a prefix it is core if the document's root is alike.
 */
export const keyOf = (element: XmlElement, root: XmlElement): string => {
  const written = element.name.includes(":") ? (element.name.split(":")[0]?.toLowerCase() ?? "") : ""
  const declared = element.space === "" ? undefined : prefixOf(element.space)
  const undeclared =
    written === "" ? "" : USUAL.has(written) ? written : written === "atom" || written === "a10" ? "" : "x"
  const isLikeRoot = written === "" && element.space === root.space
  const prefix = declared ?? (element.space === "" || isLikeRoot ? undeclared : USUAL.has(written) ? written : "x")
  return prefix === "" ? element.local : `${prefix}:${element.local}`
}

export const kindOf = (root: XmlElement): Feed["kind"] =>
  root.local === "feed"
    ? "atom"
    : root.local === "rdf"
      ? "rdf"
      : root.local === "rss" || root.local === "channel"
        ? "rss"
        : "unknown"
