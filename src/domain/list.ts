import { likelyCountry, parseDate } from "./dates.ts"
import { type Anchor, anchorsOf, type Place } from "./list/anchor.ts"
import { looksFrom, shapeOf } from "./list/looks.ts"
import type { Hints, Link } from "./reading.ts"
import { attribute, type Element, inlineText, subtree, type Tree } from "./tree.ts"
import { registrableDomain } from "./url/domain.ts"
import { normaliseUrl } from "./url/normalise.ts"

export { looksOf } from "./list/looks.ts"

type ReadLink = typeof Link.Type
type ReadHints = typeof Hints.Type

/** Most links taken from one page. */
export const LINKS_MAX = 5_000
/** Links of one template that make a list of articles. */
const REPEATED = 4
/** A headline has at least this width; a navigation entry has less. East Asian characters count twice. */
const HEADLINE_WIDTH = 18
/** Text of a date element, in characters: longer ones are paragraphs. */
const DATE_CHARS = 60

const width = (text: string): number => [...text].reduce((sum, it) => sum + (it >= "\u1100" ? 2 : 1), 0)

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

const isDateElement = (it: Element): boolean =>
  it.tag === "time" ||
  /(?:^|[\s_-])(?:date|time|datetime|timestamp|ago|published|pubdate|datum|fecha|byline|day|info_date)(?:$|[\s_-])|date|time(?:$|stamp)/i.test(
    `${attribute(it, "class") ?? ""} ${attribute(it, "id") ?? ""}`
  )

const readDate = (text: string, hints: ReadHints): string | null => {
  const zone = hints.zone === undefined ? {} : { zone: hints.zone }
  const likely = hints.country ?? likelyCountry(hints.url, null)
  const country = likely === undefined ? {} : { country: likely }
  const options = { fetched_at: hints.fetched_at, relative: true, source: "list", ...zone, ...country }
  return text === "" || text.length > DATE_CHARS ? null : (parseDate(text, options)?.at ?? null)
}

/** The date in an item's box: a `time` element first, else what its class calls a date. */
const dateBeside = (tree: Tree, box: Element | null, hints: ReadHints): string | null => {
  if (box === null) return null
  const candidates = subtree(tree, box).filter(isDateElement)
  const ordered = candidates.toSorted((a, b) => Number(b.tag === "time") - Number(a.tag === "time"))
  for (const it of ordered.slice(0, 6)) {
    const stated = attribute(it, "datetime") ?? attribute(it, "data-date-time") ?? ""
    const found = readDate(stated, hints) ?? readDate(inlineText(it), hints)
    if (found !== null) return found
  }
  return null
}

interface Found {
  readonly url: string
  readonly anchors: ReadonlyArray<Anchor>
}

/** One entry per page, in the order and the spelling of its first anchor; picture and headline of an item are one. */
const merged = (anchors: ReadonlyArray<Anchor>): ReadonlyArray<Found> => {
  const groups = new Map<string, Array<Anchor>>()
  const keys = new Map<string, string>()
  for (const it of anchors) {
    const key = keys.get(it.url) ?? normaliseUrl(it.url)
    keys.set(it.url, key)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [it])
    else group.push(it)
  }
  return [...groups.values()].slice(0, LINKS_MAX).map((found) => ({ url: found[0]?.url ?? "", anchors: found }))
}

/** A heading's text before the longest other; "Read more" is never the longest beside a headline. */
const titleOf = (anchors: ReadonlyArray<Anchor>): string | null => {
  const headings = anchors.filter(({ isHeading }) => isHeading)
  const pool = headings.length > 0 ? headings : anchors
  const best = pool.toSorted((a, b) => width(b.title) - width(a.title))[0]?.title ?? ""
  return best === "" ? null : best
}

/** Templates that repeat with headlines: lists of articles whatever their URLs look like. */
const articleTemplates = (found: ReadonlyArray<Found>): ReadonlySet<string> => {
  const widths = new Map<string, Array<number>>()
  for (const { anchors } of found) {
    for (const it of anchors) {
      if (it.place !== "main") continue
      const known = widths.get(it.template)
      if (known === undefined) widths.set(it.template, [width(it.title)])
      else known.push(width(it.title))
    }
  }
  const repeated = [...widths].filter(([, it]) => it.length >= REPEATED && median(it) >= HEADLINE_WIDTH)
  return new Set(repeated.map(([template]) => template))
}

interface Signs {
  readonly title: string | null
  readonly place: Place
  readonly isRepeated: boolean
  readonly isHeading: boolean
  readonly isDated: boolean
}

/** Is a host of another site than the page? Remembered by host, for a page links to few. */
const foreignness = (base: string): ((hostname: string) => boolean) => {
  const own = registrableDomain(URL.parse(base)?.hostname ?? "")
  const known = new Map<string, boolean>()
  return (hostname) => {
    const before = known.get(hostname)
    if (before !== undefined) return before
    const answer = registrableDomain(hostname) !== own
    known.set(hostname, answer)
    return answer
  }
}

const judge = (url: URL, isForeign: boolean, signs: Signs): ReadLink["looks"] => {
  const shape = shapeOf(url)
  const looks = looksFrom(shape, isForeign)
  if (looks === "feed" || looks === "sitemap" || isForeign) return looks
  const isHeadline = width(signs.title ?? "") >= HEADLINE_WIDTH
  if (looks === "article") {
    const isLikely = shape.sure || isHeadline || signs.isDated || signs.isHeading || signs.isRepeated
    return isLikely ? "article" : "list"
  }
  if (shape.sure || signs.place === "navigation" || !isHeadline || url.pathname === "/") return looks
  return signs.isRepeated || signs.isDated || signs.isHeading ? "article" : looks
}

/** What the page is about comes before what every page of its site repeats: whoever wants a few articles is done sooner. */
const inOrder = (found: ReadonlyArray<Found>): ReadonlyArray<Found> => {
  const isMain = ({ anchors }: Found) => anchors.some(({ place }) => place === "main")
  return [...found.filter(isMain), ...found.filter((it) => !isMain(it))]
}

/**
 * The links of a page in document order, navigation last, without repetition: resolved against its base, entities decoded once, no
 * scripts, mail addresses or data. An article is told from navigation by the shape of its URL, by a template that
 * repeats with headlines, and by a date beside it.
 * @source S3.5; field cases B17, B53
 */
export const listLinks = (tree: Tree, hints: ReadHints): ReadonlyArray<ReadLink> => {
  const { anchors, base } = anchorsOf(tree, hints.url)
  const found = merged(anchors)
  const templates = articleTemplates(found)
  const isForeign = foreignness(base)
  return inOrder(found).map(({ url, anchors: own }): ReadLink => {
    const stated = own.find(({ looks }) => looks !== null)?.looks ?? null
    const title = titleOf(own)
    if (stated !== null) return { url, looks: stated, title, published_at: null }
    const box = own.find((it) => it.box !== null)?.box ?? null
    const published_at = dateBeside(tree, box, hints)
    const parsed = URL.parse(url)
    if (parsed === null) return { url, looks: "other", title, published_at: null }
    const looks = judge(parsed, isForeign(parsed.hostname), {
      title,
      place: own.some(({ place }) => place === "main") ? "main" : "navigation",
      isRepeated: own.some(({ template }) => templates.has(template)),
      isHeading: own.some(({ isHeading }) => isHeading),
      isDated: published_at !== null
    })
    return { url, looks, title, published_at: looks === "article" ? published_at : null }
  })
}
