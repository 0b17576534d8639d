import { decodeOnce } from "../xml/reference.ts"
import { inlineText, words } from "./element.ts"
import { textOf } from "./json.ts"
import type { Linked } from "./linked.ts"
import { type Meta, metaOf } from "./meta.ts"

/** Titles are cut here, in characters. */
const titleMax = 1000
const separator = /\s+[|–—·•»«:/>›-]{1,2}\s+|\s*[|ㅣ│｜»]\s*|\s*-{2,}\s*|\s+::\s+/gu

/** Letters and digits only, lower case: how titles are compared. */
export const plain = (text: string): string =>
  isAscii.test(text)
    ? text.toLowerCase().replace(/[^a-z0-9]+/g, "")
    : text
        .normalize("NFKC")
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, "")
const isAscii = /^[\u0000-\u007f]*$/

/** So few letters and digits are no title. */
const titleMin = 4
/** Letters or digits that stay the first ones, whatever is made of what follows; and how many. */
const settled = /^[a-z0-9가-힣]{2}[\u0020-\u007f가-힣]/i
const beginning = 2

/** What a page calls its title, made plain; shorter ones are left out. */
export class Titles {
  private readonly all: ReadonlySet<string>
  private readonly beginnings: ReadonlySet<string>
  constructor(titles: ReadonlyArray<string>) {
    this.all = new Set(titles.map(plain).filter((it) => it.length >= titleMin))
    this.beginnings = new Set([...this.all].map((it) => it.slice(0, beginning)))
  }
  /** Most texts begin otherwise than any title: they are not made plain. */
  has(text: string): boolean {
    const isOther = settled.test(text) && !this.beginnings.has(text.slice(0, beginning).toLowerCase())
    return !isOther && this.all.has(plain(text))
  }
}

/** Some sites escape twice: what is left of an entity after one decoding is decoded once more. Tags go too. */
export const unescaped = (text: string): string =>
  text.includes("&") || text.includes("<") ? decodeOnce(text.replace(/<\/?[a-z][^<>]{0,200}>/giu, "")) : text

/** Where words may be parted at a line's end, which is of no interest. */
const softHyphen = "\u00ad"
const tidy = (text: string | null): string =>
  text === null ? "" : words(unescaped(text)).replaceAll(softHyphen, "").slice(0, titleMax)

/** What follows a site's name is still its name if it is no longer than this share of it ("Mirror Online"). */
const nameGrowthMax = 2

/** Whether the end of a title names the site: it is its name, its host or a piece of one. */
const namesSite = (part: string, site: ReadonlyArray<string>): boolean => {
  const it = plain(part)
  const isPiece = (name: string): boolean =>
    name.startsWith(it) || name.endsWith(it) || (it.startsWith(name) && it.length <= name.length * nameGrowthMax)
  return it !== "" && site.some((name) => it === name || (it.length > 3 && isPiece(name)))
}

/** What stands between title and site's name: sections of the Korean press, and what an old blog calls its entries. */
const sections =
  "정치 경제 사회 국제 세계 문화 스포츠 연예 생활 과학 it 전국 지역 오피니언 사설 칼럼 산업 증권 금융 부동산 북한 뉴스 blogarchiv blogarchive".split(
    " "
  )

/** A name set behind a title without a blank ("…-정치", "…：朝日新聞デジタル") is known by being exactly one. */
const tight = /[-：:]([^-：:]+)$/u

/**
 * Drops the site's name (or the section's) from the ends of a title; what stands between separators otherwise stays. At
 * its beginning a title may well speak of what the site is named after, so there only the very name goes.
 */
export const withoutSite = (title: string, site: ReadonlyArray<string>): string => {
  const marks = [...title.matchAll(separator)]
  const last = marks.at(-1)
  const [head] = marks
  if (last !== undefined && namesSite(title.slice(last.index + last[0].length), site))
    return withoutSite(title.slice(0, last.index).trim(), site)
  const end = tight.exec(title)
  if (end !== null && end.index > 0 && site.includes(plain(end[1] ?? "")))
    return withoutSite(title.slice(0, end.index).trim(), site)
  if (head !== undefined && site.includes(plain(title.slice(0, head.index))))
    return withoutSite(title.slice(head.index + head[0].length).trim(), site)
  return title
}

/** An archive's own address is not the page's: the address it keeps stands behind it. */
export const ownAddress = (url: string): string =>
  /^https?:\/\/[^/]+\/.*?(https?:\/\/.*)$/u.exec(url)?.[1] ?? url.replace(/\/web\/\d{14}\w*\//u, "/")

/** The names a site goes by, made comparable. */
export const siteNames = (meta: Meta, linked: Linked, url: string): ReadonlyArray<string> => {
  const host = URL.parse(ownAddress(url))?.hostname.replace(/^www\./u, "") ?? ""
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
/** A longer one, in characters, is not closed where it ends, and holds the text. */
const headingMax = 300

/** Statements of so many letters and digits are long enough to be recognised inside another. */
const insideMin = 10

interface Vote {
  readonly key: string
  text: string
  readonly by: Set<keyof typeof trust>
  weight: number
}

/** Whether what a statement says beyond a heading is set off by a separator: a site's or a section's name. */
const isSetOff = (long: Vote, short: Vote): boolean => {
  const [mark] = long.text.slice(short.text.length - 1).matchAll(separator)
  return (
    short.by.has("heading") &&
    mark !== undefined &&
    plain(long.text.slice(0, short.text.length + mark.index)) === short.key
  )
}

/**
 * A title of so many letters and digits stands alone: what a bar sets off behind it is a name, if no heading shows it. What is
 * much longer than all before it is no name, but the title behind a kicker.
 */
const barMin = 10
const withoutTail = (text: string): string => {
  const [head = "", ...tail] = text.split(/\s\|\s/u)
  const isShort = tail.every((it) => it.length <= head.length * nameGrowthMax)
  return isShort && plain(head).length > barMin ? head.trim() : text
}

/** Whether only the window and one network show it. */
const isAside = (vote: Vote): boolean => [...vote.by].every((it) => it === "document" || it === "twitter")

/** A heading that carries a kicker before the title, or a document title with more behind it, speaks for the title. */
const merge = (votes: ReadonlyArray<Vote>): void => {
  for (const long of votes)
    for (const short of votes) {
      if (short.key.length <= insideMin || short.key.length >= long.key.length) continue
      const isShown = long.by.has("heading")
      const isSeconded = long.by.size > 2 && isAside(short)
      const hasKicker = isShown && long.key.endsWith(short.key) && !isSeconded
      const isLoose = !isShown && !long.by.has("linked")
      const hasTail = long.key.startsWith(short.key) && (isAside(long) || (isLoose && isSetOff(long, short)))
      const hasName = isShown && plain(withoutTail(long.text)) === short.key
      if (!hasKicker && !hasTail && !hasName) continue
      short.weight += long.weight
      long.weight = 0
    }
}

const pairs = (key: string): ReadonlySet<string> =>
  new Set(Array.from({ length: Math.max(0, key.length - 1) }, (_, i) => key.slice(i, i + 2)))

/** How much two texts share, from 0 to 1: pairs of characters. */
const likeness = (a: string, b: string): number => {
  const [one, other] = [pairs(a), pairs(b)]
  const shared = [...one].filter((it) => other.has(it)).length
  return (2 * shared) / Math.max(1, one.size + other.size)
}

/** From here on a heading says what another statement says, in other words. */
const reworded = 0.4
/** Below this it says something else. */
const unlike = 0.2
/** What is shown then outweighs what is stated for sharing, in the document's title and for one network together. */
const rewordedTrust = 1.9
/** A short heading that no statement is like is a label ("Details"). */
const labelTrust = 0.5
const labelWords = 4
const labelMax = 30

/** Weighs a heading by what the other statements make of it. */
const weigh = (votes: ReadonlyArray<Vote>): void => {
  const heading = votes.find((it) => it.by.has("heading"))
  const others = votes.filter((it) => it !== heading && (it.by.size > 1 || !it.by.has("twitter")))
  if (heading === undefined || others.length === 0) return
  const most = Math.max(...others.map((it) => likeness(heading.key, it.key)))
  const isShort = heading.key.length <= labelMax && heading.text.split(" ").length <= labelWords
  if (most < unlike && isShort && heading.by.size === 1) heading.weight = labelTrust
  else if (most >= reworded && !others.some((it) => it.key.startsWith(heading.key)))
    heading.weight += rewordedTrust - trust.heading
}

/** All that a page but its headings states as its title, as it stands. */
export const statedTitles = (meta: Meta, linked: Linked): ReadonlyArray<string> =>
  [
    metaOf(meta, "og:title", "dc.title"),
    textOf(linked.article?.headline),
    meta.title === null ? null : inlineText(meta.title)
  ].flatMap((it) => (it === null ? [] : [plain(it)]))

/** A page's main heading may be the site's name: then the document's title ends in it, and nothing else is called so. */
const isSiteName = (heading: string, meta: Meta): boolean => {
  const key = plain(heading)
  const title = meta.title === null ? "" : inlineText(meta.title).slice(0, titleMax)
  const last = [...title.matchAll(separator)].find(
    ({ 0: mark, index }) => plain(title.slice(index + mark.length)) === key
  )
  const rest = last === undefined ? "" : plain(title.slice(0, last.index))
  return rest.length > key.length && !plain(metaOf(meta, "og:title") ?? "").startsWith(key)
}

const unspaced = (text: string): string => text.replaceAll(" ", "")
/** Colons and dashes between words, which part a title. */
const marksOf = (text: string): number => text.match(/(?<=[\p{L}\p{N}]):\s\S|\s[–—-]\s/gu)?.length ?? 0

/**
 * Of two texts of equal letters: parts of a heading that only a style sheet sets apart run into each other, elsewhere blank
 * and colon are written.
 */
const isBetter = (text: string, than: string): boolean =>
  text.length > than.length && (unspaced(text) === unspaced(than) || marksOf(text) > marksOf(than))

/** The statements of the title without the names of the site, equal ones together. */
const votesOf = (
  stated: ReadonlyArray<readonly [keyof typeof trust, string | null]>,
  site: ReadonlyArray<string>
): ReadonlyArray<Vote> => {
  const votes = new Map<string, Vote>()
  for (const [by, raw] of stated) {
    const text = withoutSite(tidy(raw), site)
    const key = plain(text)
    if (text === "" || (key.length < plainMin && by === "heading")) continue
    const vote = votes.get(key) ?? { key, text, by: new Set(), weight: 0 }
    votes.set(key, vote)
    if (isBetter(text, vote.text)) vote.text = text
    vote.by.add(by)
    vote.weight += trust[by]
  }
  return [...votes.values()]
}

/**
 * What the page states as its title most insistently: its statements vote, without the site's `names`. `shown` is what the
 * article's heading says, `banners` what headings say that lead to the front page.
 */
export const titleOf = (
  meta: Meta,
  linked: Linked,
  names: ReadonlyArray<string>,
  shown: string,
  banners: ReadonlyArray<string>
): string => {
  const section = plain(metaOf(meta, "article:section", "section") ?? textOf(linked.article?.articleSection) ?? "")
  const isName = shown !== "" && (names.includes(plain(shown)) || isSiteName(shown, meta))
  const more = [...banners, section, ...(isName ? [shown] : [])].map(plain).filter((it) => it.length > 1)
  const stated: ReadonlyArray<readonly [keyof typeof trust, string | null]> = [
    ["heading", isName || shown.length > headingMax ? null : shown],
    ["openGraph", metaOf(meta, "og:title", "dc.title")],
    ["linked", textOf(linked.article?.headline)],
    ["document", meta.title === null ? null : inlineText(meta.title)],
    ["twitter", metaOf(meta, "twitter:title", "title")]
  ]
  const votes = votesOf(stated, [...names, ...more, ...sections])
  weigh(votes)
  merge(votes)
  const best = votes.toSorted((a, b) => b.weight - a.weight)[0]
  if (best === undefined) return tidy(shown)
  return best.by.has("heading") ? best.text : withoutTail(best.text)
}
