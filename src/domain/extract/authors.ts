import type { Block } from "./blocks.ts"
import { attribute, contains, type Element, inlineText } from "./element.ts"
import { isFields, listOf } from "./json.ts"
import { deref, type Linked, namesOf, typesOf } from "./linked.ts"
import { allMeta, type Meta } from "./meta.ts"
import { cleanNames, looksLikePerson, nameMax } from "./names.ts"
import { plain } from "./title.ts"

const metaNames = [
  "author",
  "article:author",
  "dc.creator",
  "dcterms.creator",
  "parsely-author",
  "sailthru.author",
  "byl",
  "dcsext.author",
  "cxenseparse:author",
  "og:article:author",
  "og:author",
  "citation_author"
]

const fromProps = (meta: Meta): ReadonlyArray<string> =>
  (meta.props.get("author") ?? []).flatMap((it) => {
    if (it.tag === "meta" || it.tag === "link") return []
    const name = (meta.props.get("name") ?? []).find((inner) => contains(it, inner))
    const text = name === undefined ? inlineText(it) : (attribute(name, "content") ?? inlineText(name))
    return text.length <= nameMax * 2 ? [text] : []
  })

const textsOf = (elements: ReadonlyArray<Element>): ReadonlyArray<string> =>
  elements.map(inlineText).filter((it) => it !== "" && it.length <= nameMax * 2)

const korean = /(?:^|[\s=\])】])([가-힣]{2,4})\s*(?:선임|인턴|객원|전문|수습)?기자(?:\s|$|[=(\d])/u
/** "(서울=통신) 홍길동 기자 = " at the beginning of an agency's report. */
const dateline = /^[([【][^)\]】]{1,24}[)\]】]\s*([가-힣]{2,4})(?:\s*[·,]\s*([가-힣]{2,4}))?\s*기자\s*=/u
/** A name with its role or its address, and nothing more: how Korean pages sign below the text. */
const signed =
  /^[\s/·[(=]*([가-힣]{2,4})\s*(?:(?:선임|인턴|객원|전문|수습)?\s*기자|(?=[\w.+-]+@))[\s)\]=]*(?:[\w.+-]+@[\w.-]+)?[\s)\]]*$/u
const byline = /^(?:(?:written )?by|von|par|por|di|door|av)\s+(\p{Lu}[^\d|–\n]{2,80})/iu
const behindByline = /\s*[,|–-]\s*(?:\d|am\b|on\b|\p{Lu}\p{Ll}+ \d).*$/u

/** Short lines that are a byline by their words, near the headline. */
const fromLines = (lines: ReadonlyArray<Block>): ReadonlyArray<string> =>
  lines.flatMap(({ text }) => {
    const reporter = text.length < 100 ? korean.exec(text)?.[1] : undefined
    if (reporter !== undefined) return [reporter]
    const by = text.length < 120 ? byline.exec(text)?.[1] : undefined
    return by === undefined ? [] : [by.replace(behindByline, "")]
  })

/** Who signs: the beginning of the text first, then the lines at its end and behind it. */
const fromSignatures = ({ lead, tail }: Bylines): ReadonlyArray<string> => {
  const [, ...named] = dateline.exec(lead) ?? []
  if (named.length > 0) return named.filter((it) => it !== undefined)
  return tail.flatMap((it) => signed.exec(it)?.[1] ?? [])
}

/** People before bodies: where a list names both, the bodies are its publishers. */
const linkedNames = (linked: Linked): ReadonlyArray<string> => {
  const stated = listOf(linked.article?.author ?? linked.article?.creator)
  const isBody = (it: unknown): boolean => {
    const node = deref(linked, it)
    return isFields(node) && typesOf(node).some((type) => /Organization/u.test(type))
  }
  const people = stated.filter((it) => !isBody(it))
  return namesOf(linked, people.length > 0 ? people : stated)
}

/** Where a byline is looked for: lines near the headline, elements named after authors (innermost first). */
export interface Bylines {
  readonly lines: ReadonlyArray<Block>
  readonly people: ReadonlyArray<Element>
  /** The beginning of the text. */
  readonly lead: string
  /** Its last lines and those right behind it. */
  readonly tail: ReadonlyArray<string>
}

/** The people (or, if none is named, the bodies) that wrote the article. `site` are the names of the site itself. */
export const authorsOf = (
  meta: Meta,
  linked: Linked,
  near: Bylines,
  site: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const stated = [
    () => linkedNames(linked),
    () => allMeta(meta, ...metaNames).filter((it) => !/^https?:/iu.test(it)),
    () => fromProps(meta),
    () => textsOf(meta.authors)
  ]
  const shown = [() => textsOf(near.people), () => fromLines(near.lines), () => fromSignatures(near)]
  const isForeign = (it: string): boolean => !site.includes(plain(it))
  let own: ReadonlyArray<string> = []
  for (const source of stated) {
    const names = cleanNames(source())
    const people = names.filter(isForeign)
    if (people.length > 0) return people
    if (own.length === 0) own = names
  }
  for (const source of shown) {
    const people = cleanNames(source()).filter((it) => isForeign(it) && looksLikePerson(it))
    if (people.length > 0) return people
  }
  return own
}
