import { type Element, inlineText, words } from "./element.ts"
import { textOf } from "./json.ts"
import type { Linked } from "./linked.ts"
import { type Meta, metaOf } from "./meta.ts"

/** Titles are cut here, in characters. */
const titleMax = 1000
const separator = /\s+[|–—·•»«:/>-]{1,2}\s+|\s*[|ㅣ│｜»]\s*|\s*-{2,}\s*|\s+::\s+/gu

/** Letters and digits only, lower case: how titles are compared. */
export const plain = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "")

const entity: Readonly<Record<string, string>> = {
  amp: "&",
  quot: '"',
  apos: "'",
  lt: "<",
  gt: ">",
  nbsp: " ",
  hellip: "…",
  ndash: "–",
  mdash: "—",
  rsquo: "’",
  lsquo: "‘",
  rdquo: "”",
  ldquo: "“"
}

/** Some sites escape twice: what is left of an entity after one decoding is decoded once more. Tags go too. */
export const unescaped = (text: string): string =>
  text.includes("&") || text.includes("<")
    ? text
        .replace(/<\/?[a-z][^<>]{0,200}>/giu, "")
        .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/giu, (whole, decimal, hex, name) => {
          const point = decimal !== undefined ? Number(decimal) : hex !== undefined ? Number.parseInt(hex, 16) : 0
          if (point > 0) return point <= 0x10ffff ? String.fromCodePoint(point) : ""
          return entity[String(name).toLowerCase()] ?? whole
        })
    : text

const tidy = (text: string | null): string => (text === null ? "" : words(unescaped(text)).slice(0, titleMax))

/** Whether a part of a title names the site: it is its name, its host or a piece of one. */
const namesSite = (part: string, site: ReadonlyArray<string>): boolean => {
  const it = plain(part)
  return (
    it !== "" &&
    site.some(
      (name) =>
        name !== "" &&
        (it === name || (it.length > 3 && (name.startsWith(it) || it.startsWith(name) || name.endsWith(it))))
    )
  )
}

/** Drops the site's name from the ends of a title; what stands between separators otherwise stays. */
export const withoutSite = (title: string, site: ReadonlyArray<string>): string => {
  const marks = [...title.matchAll(separator)]
  const last = marks.at(-1)
  const [head] = marks
  if (last !== undefined && namesSite(title.slice(last.index + last[0].length), site))
    return withoutSite(title.slice(0, last.index).trim(), site)
  if (head !== undefined && namesSite(title.slice(0, head.index), site))
    return withoutSite(title.slice(head.index + head[0].length).trim(), site)
  return title
}

/** The names a site goes by, made comparable. */
export const siteNames = (meta: Meta, linked: Linked, url: string): ReadonlyArray<string> => {
  const host = URL.parse(url)?.hostname.replace(/^www\./u, "") ?? ""
  const publisher = linked.article === null ? null : textOf(linked.article.publisher)
  const names = [
    metaOf(meta, "og:site_name"),
    metaOf(meta, "application-name"),
    publisher,
    host,
    host.split(".").slice(0, -1).join("."),
    host.split(".")[0] ?? ""
  ]
  return [
    ...new Set(
      names
        .filter((it) => it !== null)
        .map(plain)
        .filter((it) => it.length > 1)
    )
  ]
}

/** How far each statement of the title is trusted; equal ones add up. Weights found on pages with known titles. */
const trust = { heading: 1.6, openGraph: 1.3, linked: 0.9, document: 0.3, twitter: 0.2 }
/** A shorter heading (letters and digits) is a label, not a title. */
const plainMin = 4

/** Statements of so many letters and digits are long enough to be recognised inside another. */
const insideMin = 10

interface Vote {
  readonly key: string
  readonly text: string
  readonly by: Set<keyof typeof trust>
  weight: number
}

/** A heading that carries a kicker before the title, or a document title with more behind it, speaks for the title. */
const merge = (votes: ReadonlyArray<Vote>): void => {
  for (const long of votes)
    for (const short of votes) {
      if (short.key.length <= insideMin || short.key.length >= long.key.length) continue
      const hasKicker = long.by.has("heading") && long.key.endsWith(short.key)
      const isDocument = [...long.by].every((it) => it === "document" || it === "twitter")
      if (!hasKicker && !(isDocument && long.key.startsWith(short.key))) continue
      short.weight += long.weight
      long.weight = 0
    }
}

/** What the page states as its title most insistently: its statements vote, without the site's name. */
export const titleOf = (meta: Meta, linked: Linked, url: string, heading: Element | null): string => {
  const site = siteNames(meta, linked, url)
  const stated: ReadonlyArray<readonly [keyof typeof trust, string | null]> = [
    ["heading", heading === null ? null : inlineText(heading)],
    ["openGraph", metaOf(meta, "og:title", "dc.title")],
    ["linked", textOf(linked.article?.headline)],
    ["document", meta.title === null ? null : inlineText(meta.title)],
    ["twitter", metaOf(meta, "twitter:title", "title")]
  ]
  const votes = new Map<string, Vote>()
  for (const [by, raw] of stated) {
    const text = withoutSite(tidy(raw), site)
    const key = plain(text)
    if (text === "" || (key.length < plainMin && by === "heading")) continue
    const vote = votes.get(key) ?? { key, text, by: new Set(), weight: 0 }
    votes.set(key, vote)
    vote.by.add(by)
    vote.weight += trust[by]
  }
  const all = [...votes.values()]
  merge(all)
  return all.toSorted((a, b) => b.weight - a.weight)[0]?.text ?? ""
}
