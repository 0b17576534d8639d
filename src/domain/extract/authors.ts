import type { Block } from "./blocks.ts"
import { attribute, contains, type Element, inlineText, words } from "./element.ts"
import { type Linked, namesOf } from "./linked.ts"
import { allMeta, type Meta } from "./meta.ts"
import { plain, unescaped } from "./title.ts"

/** Authors kept per article, and characters per name. */
const authorsMax = 20
const nameMax = 60

const prefix =
  /^(?:(?:written|story|words|report(?:ed|ing)?|posted|published|edited|photos?|by|text|article|interview)\s+by|by|von|par|por|di|de|door|av|af|przez|od|oleh|eine analyse von|ein kommentar von|ein gastbeitrag von|ein beitrag von|autor(?:in|en)?|autore|auteur|author|authors|texte?|redaktion|foto|από|автор|текст|글|사진|기자|作者|記者|文)\s*[:：/]?\s+|^(?:by|von|autor|author|автор|글|作者|記者|文)\s*[:：/|]\s*/iu
const suffix =
  /\s*(?:,|\||–|-|\s|·)\s*(?:선임기자|인턴기자|객원기자|전문기자|수습기자|기자|특파원|논설위원|앵커|리포터|記者|编辑|編輯|correspondent|reporter|editor|staff writer|contributor|freelance|journalist|redakteur(?:in)?|korrespondent(?:in)?).*$/iu
const koreanRole = /\s*(?:선임|인턴|객원|전문|수습)?(?:기자|특파원|논설위원|앵커|리포터|記者)(?:[\s=·].*)?$/u
const mail = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/gu
const noise =
  /^(?:admin|administrator|editor|editors|staff|user|guest|anonymous|author|by|unknown|null|undefined|none|webmaster|root|redacteur|redaktion|www|http.*|n\/a|\d+|-+)$/iu
const joiner = /\s*(?:;|\||\n|•|·|\u2022| & | and | und | et | y | e | og | och | en | и | i | 및 )\s*/u

const cleanName = (raw: string): string => {
  let name = words(unescaped(raw))
    .replace(mail, " ")
    .replace(/^[@([]|[)\]]$/gu, "")
    .replace(/\((?:[^()]*)\)/gu, " ")
  for (let i = 0; i < 3 && prefix.test(name); i++) name = name.replace(prefix, "")
  name = name
    .replace(koreanRole, "")
    .replace(suffix, "")
    .replace(/\s*[,:;|/=·-]+\s*$/u, "")
    .replace(/^[\s,:;|/=·-]+/u, "")
  return words(name)
}

/** `A, B and C` → A, B, C; `Doe, John` stays one where the comma cannot part two names. */
const split = (raw: string): ReadonlyArray<string> =>
  raw.split(joiner).flatMap((it) => {
    const parts = it.split(/\s*[,、，]\s*/u).filter((part) => part !== "")
    return parts.length > 1 && parts.every((part) => /\s/u.test(part.trim()) || /^[가-힣]{2,4}$/u.test(part))
      ? parts
      : [it]
  })

export const cleanAuthors = (raw: ReadonlyArray<string>): ReadonlyArray<string> => {
  const names: Array<string> = []
  const seen = new Set<string>()
  for (const name of raw.flatMap(split).map(cleanName)) {
    const key = plain(name)
    if (
      key.length < 2 ||
      name.length > nameMax ||
      noise.test(name) ||
      /https?:|www\.|\.(?:com|de|org|net)\b.*\//iu.test(name) ||
      seen.has(key)
    )
      continue
    seen.add(key)
    names.push(name)
  }
  return names.slice(0, authorsMax)
}

const fromProps = (meta: Meta): ReadonlyArray<string> =>
  (meta.props.get("author") ?? []).flatMap((it) => {
    if (it.tag === "meta" || it.tag === "link") return []
    const name = (meta.props.get("name") ?? []).find((inner) => contains(it, inner))
    const text = name === undefined ? inlineText(it) : (attribute(name, "content") ?? inlineText(name))
    return text.length <= nameMax * 2 ? [text] : []
  })

const fromLinks = (elements: ReadonlyArray<Element>): ReadonlyArray<string> =>
  elements.map(inlineText).filter((it) => it !== "" && it.length <= nameMax)

/** Short lines that begin with a byline's word, near the headline. */
const fromLines = (lines: ReadonlyArray<Block>): ReadonlyArray<string> =>
  lines.flatMap(({ text }) => {
    const korean = /(?:^|[\s=\])】])([가-힣]{2,4})\s*(?:선임|인턴|객원|전문|수습)?기자(?:\s|$|=)/u.exec(text)
    if (korean?.[1] !== undefined && text.length < 100) return [korean[1]]
    const by = /^(?:by|von|par|por|di|door|av)\s+(\p{Lu}[^\d|–\n]{2,80})/iu.exec(text)
    return by?.[1] !== undefined && text.length < 120
      ? [by[1].replace(/\s*[,|–-]\s*(?:\d|am\b|on\b|\p{Lu}\p{Ll}+ \d).*$/u, "")]
      : []
  })

/** The people (or, if none is named, the bodies) that wrote the article. */
export const authorsOf = (
  meta: Meta,
  linked: Linked,
  lines: ReadonlyArray<Block>,
  named: ReadonlyArray<Element>
): ReadonlyArray<string> => {
  const sources = [
    () => (linked.article === null ? [] : namesOf(linked, linked.article.author ?? linked.article.creator)),
    () =>
      allMeta(
        meta,
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
      ).filter((it) => !/^https?:/iu.test(it)),
    () => fromProps(meta),
    () => fromLinks(meta.authors),
    () => named.map(inlineText).filter((it) => it.length <= nameMax * 2),
    () => fromLines(lines)
  ]
  for (const source of sources) {
    const names = cleanAuthors(source())
    if (names.length > 0) return names
  }
  return []
}
