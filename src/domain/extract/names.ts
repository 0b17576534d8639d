import { words } from "./element.ts"
import { plain, unescaped } from "./title.ts"

/** Names kept per article, and characters per name. */
const namesMax = 20
export const nameMax = 60
/** Characters of a statement of authors that are looked at. */
export const statementMax = 600

const prefix =
  /^(?:(?:written|story|words|report(?:ed|ing)?|posted|post|published|by|text|article|interview|(?:view )?all posts|more|articles?)\s+by|show all articles of|(?:zeige )?alle (?:beiträge|artikel) von|by|von|par|por|di|de|door|av|af|przez|od|oleh|(?:eine? )?(?:analyse|kommentar|gastbeitrag|beitrag|artikel|interview|reportage|kolumne|essay|bericht) von|autor(?:in|en)?|autore|auteur|author|authors|texte?|redaktion|foto|από|автор|текст|글|사진|기자|作者|記者|文)\s*[:：/]?\s+|^(?:by|von|autor|author|자|글|作者|記者|文)\s*[:：/|]\s*/iu
/** "ByJane Doe": what only a style sheet sets apart. */
const glued = /^(?:By|Von|Par)(?=\p{Lu}\p{Ll})/u
/** "Von der Leyen, Ursula": such a word is a part of the name where one name stands behind the comma. */
const familyAhead =
  /^(?:[Vv]on|[Vv]an|[Dd][aei])(?:\s(?:der|den|la|las|los))?\s\p{Lu}[\p{L}'’-]+,\s\p{Lu}[\p{L}'’.-]+$/u
/** "John Smith, Jr.": the younger of two is no other person. */
const generation = /,\s*(?=(?:[JS]r\b|I{2,3}\b|IV\b))/gu
/** Who did something else than write. */
const other =
  /^(?:updated|edited|reviewed|researched|photograph(?:y|ed)|photos?|styled|illustrat(?:ed|ions?)|translated|fact[- ]checked|contributions?) (?:by|from)\b|^(?:written|posted|by|von|text)(?: by)?:?$/iu
/** A role that follows a name: after a comma, bar or dash in any language. */
const suffix =
  /\s*(?:,|\||\s[–—-]\s|·)\s*(?:\p{L}+\s){0,3}(?:기자|특파원|논설위원|앵커|리포터|記者|编辑|編輯|correspondent|reporter|editor|writer|contributor|freelancer?|journalist(?:in)?|columnist|redakteur(?:in)?|korrespondent(?:in)?|producer|chief|director|fellow|analyst|professor|author)(?:[\s,].*)?$/iu
/** A part between commas that is a role, not a name. */
const role =
  /^(?:\p{L}+\s){0,3}(?:correspondent|reporter|editor|writer|contributor|freelancer?|journalist(?:in)?|columnist|redakteur(?:in)?|korrespondent(?:in)?|producer|analyst)$/iu
const koreanRole = /\s*(?:선임|인턴|객원|전문|수습)?(?:기자|특파원|논설위원|앵커|리포터|記者)(?:[\s=·].*)?$/u
const credentials =
  /(?:,\s*(?:M\.?D|Ph\.?\s?D|M\.?S|B\.?S|M\.?A|B\.?A|R\.?D(?:N)?|L\.?D(?:N)?|M\.?B\.?A|M\.?P\.?H|R\.?N|J\.?D|CPT|CSCS|Psy\.?D|LCSW|D\.?O|FAAD|CFA|CFP|CPA)\.?)+$/iu
/** Where a date, an agency or a role begins behind a name. */
const behind =
  /\s+(?:(?:the )?associated press|reuters|afp|dpa|bloomberg news|(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?(?:\s+\d.*)?$|\d{1,2}[./]\d.*|\d{4}.*|(?:staff|senior) (?:writer|reporter|editor)$|updated\b.*|published\b.*)$/iu
/** Where somebody reports from: "John Roe in Berlin". */
const whence = /\sin\s\p{Lu}.*$/u
/** The same ahead of a Korean name: "(서울=연합뉴스) 홍길동 기자", "워싱턴=홍길동". */
const koreanPlace = /^(?:\([^()]*\)\s*|[가-힣]{2,6}\s?=\s?)(?=[가-힣])/u
const mail = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/gu
const noise =
  /^(?:admin|administrator|editor|editors|staff|user|guest|anonymous|author|by|unknown|null|undefined|none|webmaster|root|redacteur|redaktion|www|http.*|n\/a|\d+|-+|\w+(?:\.\w+){2,}|sponsored|(?:images?|photos?|picture|credit|getty)\b.*|.*\bgetty images.*)$/iu
const address = /https?:|www\.|\.(?:com|de|org|net)\b.*\//iu
const joiner = /\s*(?:;|\||\n|•|·| & | [Aa]nd | [Uu]nd | et | y | e | og | och | en | и | i | 및 )\s*/u
const slug = /^\p{Ll}+(?:-\p{Ll}+)+$/u

const cleanName = (raw: string): string => {
  let name = words(raw)
    .replace(mail, " ")
    .replace(/(?<=.)\([^()]*\)/gu, " ")
    .replace(koreanPlace, "")
    .replace(/^[@([]|[)\]]$/gu, "")
    .trim()
  name = name.replace(glued, "").replace(/\s@\w+$/u, "")
  for (let i = 0; i < 3 && prefix.test(name) && !familyAhead.test(name); i++) name = name.replace(prefix, "")
  name = name.replace(koreanRole, "").replace(suffix, "").replace(credentials, "")
  const ahead = name.replace(behind, "").replace(whence, "")
  if (ahead.includes(" ")) name = ahead
  if (slug.test(name)) name = name.replace(/(?:^|-)(\p{Ll})/gu, (_, first) => ` ${String(first).toUpperCase()}`)
  return words(name.replace(/\s*[,:;|/=·-]+\s*$/u, "").replace(/^[\s,:;|/=·-]+/u, ""))
}

/** Whether the page speaks of what stands behind a name and a comma as of a place; a given or another name may stand there. */
export type IsPlace = (word: string, name: string) => boolean
/** What stands behind names and a comma and may be where they were: one to three words. */
const placeName = /^(?:\p{Lu}\p{Ll}+(?:[ -]\p{Lu}\p{Ll}+){0,2}|[가-힣]{2})$/u
/** A name that is written without a blank. */
const unspaced = /^(?:[가-힣]{2,4}|\p{Script=Han}{2,4})$/u
/**
 * `A B, C D and E F` → three; `Doe, John` and `A. Moffit, PhD` stay one: the comma cannot part two names. `A B, Nairobi` is
 * `A B` where the page speaks of Nairobi.
 */
const split = (raw: string, isPlace: IsPlace): ReadonlyArray<string> =>
  words(raw.slice(0, statementMax))
    .replace(credentials, "")
    .replace(generation, " ")
    .split(joiner)
    .flatMap((it) => {
      const parts = it.split(/\s*[,、，،]\s*/u).filter((part) => part !== "" && !role.test(part))
      const [names, place = ""] = [parts.slice(0, -1), parts.at(-1)]
      const areNamed = names.every((name) => (name.includes(" ") && looksLikePerson(name)) || koreanRole.test(name))
      const [name] = names
      const mayBePlace = areNamed && placeName.test(place) && !familyAhead.test(it) && !suffix.test(it)
      if (name !== undefined && mayBePlace && isPlace(place, name)) return names
      const isList = parts.length > 2 && parts.filter(isNamed).length > 1 && !suffix.test(it)
      const areNames = parts.every((part) => /\s/u.test(part.trim()) || unspaced.test(part))
      return parts.length > 1 && (areNames || isList) ? parts : [it]
    })

/** Names of houses: left out where a person is named. */
export const publisher =
  /^the\s|\b(?:press|news|journal|media|times|agency|network|magazine|\p{L}+\.(?:com|de|org|net))\b|[가-힣](?:뉴스|일보|신문|통신|방송|미디어|저널|타임스|투데이)\d?$/iu

const isNamed = (name: string): boolean => looksLikePerson(name) && !publisher.test(name)

/** Names as people write them: without "By", role, e-mail, degree, date; each once. */
export const cleanNames = (raw: ReadonlyArray<string>, isPlace: IsPlace = () => false): ReadonlyArray<string> => {
  const names = new Map<string, string>()
  for (const name of raw
    .map((it) => unescaped(it.slice(0, statementMax)))
    .flatMap((it) => split(it, isPlace))
    .map(cleanName)) {
    const key = plain(name)
    if (
      key.length < 2 ||
      name.length > nameMax ||
      noise.test(name) ||
      other.test(name) ||
      address.test(name) ||
      names.has(key)
    )
      continue
    names.set(key, name)
  }
  const all = [...names.values()]
  const people = all.filter((it) => !publisher.test(it))
  return (people.some(looksLikePerson) ? people : all).slice(0, namesMax)
}

/** What an editorial office calls itself: where nobody else is named, that is who wrote. */
const desk =
  /^(?:by|von)?\s*(redaktion|newsroom|editorial (?:staff|team|board)|redacción|rédaction|redazione|편집국|편집부),?$/iu
export const desksOf = (raw: ReadonlyArray<string>): ReadonlyArray<string> => {
  const found = raw.map((it) => desk.exec(words(it))?.[1]).find((it) => it !== undefined)
  return found === undefined ? [] : [found]
}

/** Whether a text can be the name of a person: two to five capitalised words, or a name in Hangul or Han. */
export const looksLikePerson = (name: string): boolean =>
  /^[가-힣]{2,4}$/u.test(name) ||
  /^\p{Script=Han}{2,4}(?:[\s・]?\p{Script=Han}{1,3})?$/u.test(name) ||
  /^\p{Lu}[\p{L}.'’-]*(?:\s(?:\p{Lu}[\p{L}.'’-]*|von|van|de|der|den|di|da|del|la|le|al|bin|ter|ten|zu)){1,4}$/u.test(
    name
  )
