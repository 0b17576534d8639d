import type { Block } from "./blocks.ts"
import { ancestors, attribute, type Element, inlineText, subtree, type Tree, words } from "./element.ts"
import { isFields, listOf } from "./json.ts"
import { deref, type Linked, namesOf, typesOf } from "./linked.ts"
import { allMeta, type Meta } from "./meta.ts"
import { cleanNames, desksOf, type IsPlace, looksLikePerson, nameMax, publisher, statementMax } from "./names.ts"
import { hasDay } from "./published.ts"
import { plain, withoutSite } from "./title.ts"

const metaNames = [
  "author",
  "article:author",
  "article:author_name",
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

/** The nearest marked-up item that an element is a part of. */
const itemOf = (element: Element): Element | null => {
  for (const it of ancestors(element)) if (attribute(it, "itemscope") !== undefined) return it
  return null
}

/** Authors by `itemprop`, of the first item that has one: the others wrote replies and comments. */
const fromProps = (tree: Tree, meta: Meta): ReadonlyArray<string> => {
  const named = (meta.props.get("author") ?? []).flatMap((it) => {
    if (it.tag === "meta" || it.tag === "link") return []
    const name = subtree(tree, it).find((inner) => attribute(inner, "itemprop")?.toLowerCase() === "name")
    const text = name === undefined ? inlineText(it) : (attribute(name, "content") ?? inlineText(name))
    return text !== "" && text.length <= nameMax * 2 ? [{ text, item: itemOf(it) }] : []
  })
  return named.filter(({ item }) => item === named[0]?.item).map(({ text }) => text)
}

const korean = /(?<=^|[\s=\])】,·])([가-힣]{2,4})\s*(?:선임|인턴|객원|전문|수습)?(?:기자|특파원)(?=[\s=(\d,·]|$)/gu
/** "(서울=통신) 홍길동 기자 = " at the beginning of an agency's report. */
const dateline = /^[([【][^)\]】]{1,24}[)\]】]\s*([가-힣]{2,4})(?:\s*[·,]\s*([가-힣]{2,4}))?\s*기자\s*=/u
/** A name with its role or its address, and nothing more: how Korean pages sign below the text. */
const signed =
  /^[\s/·[(=]*([가-힣]{2,4})\s*(?:(?:선임|인턴|객원|전문|수습)?\s*기자|(?=[\w.+-]+@))[\s)\]=]*(?:[\w.+-]+@[\w.-]+)?[\s)\]]*$/u

/** A longer line is no byline, in characters. */
const lineMax = 120
/** "By …", "Posted by …", "Ein Artikel von …": what stands before a name and nowhere else at the beginning of a line. */
const byline =
  /^(?:(?:eine? (?:artikel|beitrag|gastbeitrag|kommentar|analyse|bericht|kolumne|reportage|essay|interview)|propos recueillis|text|words|story|interview|article|written|posted|post|published|gespeichert|veröffentlicht|publié)\s+)?(?:by|von|par|por|di|de|door|av|af)\s*:?\s+(\S.{1,80})/iu
/** "Author: …": words that need their colon. */
const labelled =
  /^(?:autor(?:in|en)?|authors?|autore|auteur|texte?|words|interview|reporter|verfasser(?:in)?|written by|by|von|글|취재|文|記者|取材|執筆|筆者|كتبت?|بقلم|إعداد)(?: (?:und|and) \p{L}+)?\s*[:：]\s*(\S.{1,80})/iu
/** A label in a block of its own: the name stands in the next one. */
const label = /^(?:by|von|par|por|written by|autor(?:in|en)?|authors?|autore|auteur|texte?)\s*[:：]?$/iu
/** Where a date or a section begins behind a name. */
const behind =
  /\s*(?:[/|»⋅•·]|(?:published|updated|posted)\b|\sIllustration\s|\s(?:under|um|am|on|at|le|with|avec|mit|con)\s|[,–-]?\s+(?:\p{L}+(?:day|tag),?\s+)?(?:(?:[Jj]an|[Ff]eb|[Mm][aä]r|[Aa]pr|[Mm]a[iy]|[Jj]u[nl]|[Aa]ug|[Ss]ep|[Oo][ck]t|[Nn]ov|[Dd]e[cz])\p{L}*\.?\s+)?\d).*$/u

/** "Published on 3 March 2026 by …": what ends a line that begins with its date. */
const ending = /^(.+)\s(?:by|von|par|por|door|av)\s+(\S.{1,60})$/u
const afterDate = (text: string): string | undefined => {
  const [, date, name] = ending.exec(text) ?? []
  return date !== undefined && hasDay(date) ? name : undefined
}

/** Short lines near the headline that are a byline by their words; a label and the line behind it are one. */
const fromLines = (lines: ReadonlyArray<string>, form: RegExp): ReadonlyArray<string> =>
  lines
    .map((it) => it.replace(/^(By|Von|Par)(?=\p{Lu}\p{Ll})/u, "$1 "))
    .flatMap((line, i) => {
      const text = label.test(line) ? `${line.replace(/[:：]$/u, "")}: ${lines[i + 1] ?? ""}` : line
      if (text.length >= lineMax) return []
      const name = form.exec(text)?.[1] ?? labelled.exec(text)?.[1] ?? afterDate(text)
      return name === undefined ? [] : [name.replace(behind, "")]
    })

/** Korean names: a family's name of these and two syllables, but no office, city or word of a page's tools. */
const koreanName =
  /^(?!.*[부시팀글]$|이메일|이미지|모바일|전라도|강원도|기자명|이전|구독|공유)(?:[김이박최정강조윤장임한오서신권황안송류전홍유고문양손배백허남심노하곽성차주우구민나지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모탁국은편용][가-힣]{2}|(?:남궁|황보|제갈|사공|선우|서문|독고)[가-힣]{1,2})$/u
/** Where the date begins in a line that begins with a name. */
const entered = /\s*(?:기사)?(?:입력|등록|승인|작성|발행).*$/u
/** Lines near the headline where a name may stand beside the date. */
const besideMax = 6
const isDated = (line: string | undefined): boolean =>
  line !== undefined && line.length < 80 && (hasDay(line) || /(?<!\d)\d\d\.\d\d\.\d\d(?!\d)/u.test(line))

/** A person's name that shares a line with a date; a Korean one may be a line of its own next to it. */
const besideDate = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.slice(0, besideMax).flatMap((line, i) => {
    const parts = line.length < 80 ? line.split(/\s+[|·•–-]\s+/u) : []
    if (parts.length === 2 && parts.some(hasDay)) return parts.filter(looksLikePerson)
    const name = isDated(line) ? line.replace(entered, "") : line
    return koreanName.test(name) && [line, lines[i - 1], lines[i + 1]].some(isDated) ? [name] : []
  })

/** Who signs: the beginning of the text first, then the lines at its end and behind it. */
const fromSignatures = ({ lead, tail }: Signatures): ReadonlyArray<string> => {
  const [, ...named] = dateline.exec(lead) ?? []
  if (named.length > 0) return named.filter((it) => it !== undefined)
  const korean = tail.flatMap((it) => signed.exec(it)?.[1] ?? [])
  return korean.length > 0 ? korean : fromLines(tail, labelled)
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

/** What an element that is named after authors says; `sure` if its own name says so, not only where it leads. */
export interface Person {
  readonly text: string
  readonly sure: boolean
}

/** Where a byline is looked for: lines near the headline, elements named after authors (innermost first). */
export interface Bylines {
  readonly lines: ReadonlyArray<Block>
  readonly people: () => ReadonlyArray<Person>
  /** Looked for only where nobody is named elsewhere. */
  readonly signatures: () => Signatures
  readonly isPlace: IsPlace
}

/** Where a text is signed. */
export interface Signatures {
  /** The beginning of the text. */
  readonly lead: string
  /** Its last lines and those right behind it. */
  readonly tail: ReadonlyArray<string>
}

/** One word, as people call themselves in forums and blogs. */
const isNickname = (name: string): boolean => /^[\p{L}\p{N}][\p{L}\p{N}._-]{2,30}$/u.test(name)
/** Words of a script without capitals, where only the place says that they are a name. */
const isUncased = (name: string): boolean =>
  /^(?![\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{Lo}\p{M}]{2,}(?:\s[\p{Lo}\p{M}]{2,}){1,3}$/u.test(
    name
  )
/** The name in a byline: all of it, or what stands before a place or an agency ("Jane Doe, Hamburg"). */
const bylineName = (text: string): ReadonlyArray<string> => {
  const [name = ""] = text.split(/\s*,\s/u)
  if (looksLikePerson(text) || isUncased(text)) return [text]
  return looksLikePerson(name) ? [name] : []
}
/** How an account is called, not a person. */
const isAccount = (name: string): boolean => /^[\p{Ll}\p{N}._-]+$/u.test(name)

/** People that the page shows near its headline; where there are none, who goes by one word that stands alone. */
const shownPeople = (people: ReadonlyArray<Person>, isPlace: IsPlace): ReadonlyArray<string> => {
  const names = people.flatMap(({ sure, text }) => {
    const said = cleanNames([text.replace(behind, "")], isPlace)
    return sure ? said.flatMap(bylineName) : said.filter(looksLikePerson)
  })
  if (names.length > 0) return cleanNames(names)
  const isAlone = ({ sure, text }: Person): boolean => sure && (!behind.test(text) || byline.test(text))
  return cleanNames(people.filter(isAlone).map(({ text }) => text.replace(behind, ""))).filter(isNickname)
}

const fromText = (near: Bylines): ReadonlyArray<string> => {
  const lines = near.lines.map((it) => it.text.replaceAll("\n", " "))
  const reporters = lines.flatMap((it) =>
    it.length < 100 ? [...it.matchAll(korean)].map(([, name = ""]) => name) : []
  )
  if (reporters.length > 0) return reporters
  const named = cleanNames(fromLines(lines, byline), near.isPlace).flatMap((it) =>
    isNickname(it) ? [it] : bylineName(it)
  )
  return named.length > 0 ? named : cleanNames(besideDate(lines))
}

/** Whether the second list names all of the first, and more. */
const extendsTo = (names: ReadonlyArray<string>, more: ReadonlyArray<string>): boolean => {
  const keys = new Set(more.map(plain))
  return more.length > names.length && names.every((it) => keys.has(plain(it)))
}

/** Whether none is a person's name, nor what somebody may go by: then whoever is named elsewhere wrote. */
const areHouses = (names: ReadonlyArray<string>): boolean =>
  names.every((it) => publisher.test(it) || (!looksLikePerson(it) && !isUncased(it) && !isNickname(it)))

/** Names that the page states, by one that is shown if they are accounts, or by a meta tag that names them and more. */
const completed = (
  named: ReadonlyArray<string>,
  metas: ReadonlyArray<string>,
  near: Bylines
): ReadonlyArray<string> => {
  if (named.every(isAccount)) {
    const shown = [
      ...shownPeople(
        near.people().filter((it) => it.sure),
        near.isPlace
      ),
      ...fromText(near)
    ].filter(looksLikePerson)
    if (shown.length > 0) return cleanNames(shown)
  }
  return metas.map((it) => cleanNames([it], near.isPlace)).find((it) => extendsTo(named, it)) ?? named
}

/**
 * The people (or, if none is named, the bodies) that wrote the article: by the most trusted statement that names some,
 * completed by one that names them and more; an account's name gives way to a name that is shown. `site` are the names of
 * the site itself.
 */
export const authorsOf = (
  tree: Tree,
  meta: Meta,
  linked: Linked,
  near: Bylines,
  site: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const isForeign = (it: string): boolean => !site.includes(plain(it))
  const metas = allMeta(meta, ...metaNames).filter((it) => !/^https?:/iu.test(it))
  const sources = [
    () => linkedNames(linked),
    () => metas,
    () => fromProps(tree, meta),
    () => meta.authors.map(inlineText).filter((it) => it.length <= nameMax * 2)
  ]
  const said: Array<ReadonlyArray<string>> = []
  // Whoever is named in the end if no person is: another house first, then the site itself.
  let house: ReadonlyArray<string> = []
  let own: ReadonlyArray<string> = []
  for (const source of sources) {
    const raw = source().map((it) => words(it.slice(0, statementMax)))
    const stated = cleanNames(
      raw.map((name) => withoutSite(name, site)),
      near.isPlace
    )
    const named = stated.filter(isForeign)
    if (named.length > 0 && !areHouses(named)) return completed(named, metas, near)
    if (house.length === 0) house = named
    if (own.length === 0) own = stated
    said.push(raw)
  }
  const rest = house.length > 0 ? house : own
  const found = [
    () => shownPeople(near.people(), near.isPlace),
    () => fromText(near),
    () => cleanNames(fromSignatures(near.signatures())).filter(looksLikePerson)
  ]
  for (const source of found) {
    const names = source().filter(
      (it) => isForeign(it) && (rest.length === 0 || (looksLikePerson(it) && !publisher.test(it)))
    )
    if (names.length > 0) return names
  }
  return rest.length > 0 ? rest : desksOf([...said.flat(), ...near.people().map((it) => it.text)])
}
