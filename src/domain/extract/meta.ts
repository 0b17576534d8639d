import { attribute, type Element, type Tree } from "./element.ts"

/** What the head of a page and its marked-up elements say, gathered in one pass. */
export interface Meta {
  /** By lower-case `name`, `property`, `itemprop` or `http-equiv`, in document order. */
  readonly values: ReadonlyMap<string, ReadonlyArray<string>>
  readonly canonical: string | null
  readonly title: Element | null
  readonly headings: ReadonlyArray<Element>
  readonly times: ReadonlyArray<Element>
  /** Visible elements by `itemprop`. */
  readonly props: ReadonlyMap<string, ReadonlyArray<Element>>
  /** `rel=author` links. */
  readonly authors: ReadonlyArray<Element>
  /** `rel=tag` links. */
  readonly tags: ReadonlyArray<Element>
  /** Elements with a data attribute that names a date. */
  readonly stamps: ReadonlyArray<readonly [Element, string]>
  readonly language: string | null
  /** Names of the schema.org types of marked-up elements. */
  readonly types: ReadonlySet<string>
  /** Classes and ids of `<html>` and `<body>`, each between blanks, ids with their `#`: many systems say there what a page is. */
  readonly names: string
  /** Fields to fill in. */
  readonly fields: number
  /** Preformatted blocks. */
  readonly listings: number
}

/** Values kept per name. */
const valuesMax = 20
/** Characters of a root element's classes that are looked at. */
const namesMax = 1000

const push = <K, V>(map: Map<K, Array<V>>, key: K, value: V): void => {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else if (list.length < valuesMax) list.push(value)
}

const stampName =
  /^data-(?:date-?time|datetime|published|publish(?:ed)?-?(?:date|time|at)|pub-?date|timestamp|time|date|created)$/u

class Gatherer {
  readonly values = new Map<string, Array<string>>()
  readonly props = new Map<string, Array<Element>>()
  readonly headings: Array<Element> = []
  readonly times: Array<Element> = []
  readonly authors: Array<Element> = []
  readonly tags: Array<Element> = []
  readonly stamps: Array<readonly [Element, string]> = []
  canonical: string | null = null
  title: Element | null = null
  language: string | null = null
  readonly types = new Set<string>()
  names = " "
  fields = 0
  listings = 0

  see(element: Element): void {
    switch (element.tag) {
      case "meta":
        this.meta(element)
        return
      case "title":
        this.title ??= element
        break
      case "h1":
        this.headings.push(element)
        break
      case "time":
        this.times.push(element)
        break
      case "html":
        this.language = attribute(element, "lang") ?? attribute(element, "xml:lang") ?? null
        this.name(element)
        break
      case "body":
        this.name(element)
        break
      case "input":
      case "textarea":
        this.fields += 1
        break
      case "pre":
        this.listings += 1
        break
      default:
        break
    }
    if (element.attributes.length > 0) this.attributes(element)
  }
  private name(element: Element): void {
    const id = attribute(element, "id")
    const classes = attribute(element, "class")?.slice(0, namesMax) ?? ""
    this.names += `${classes.replace(/\s+/gu, " ")} ${id === undefined ? "" : `#${id} `}`
  }
  private meta(element: Element): void {
    const content = attribute(element, "content") ?? attribute(element, "value")
    if (content === undefined || content.trim() === "") return
    for (const name of ["property", "name", "itemprop", "http-equiv"]) {
      const key = attribute(element, name)
      if (key !== undefined) push(this.values, key.trim().toLowerCase(), content.trim())
    }
  }
  private attributes(element: Element): void {
    const list = element.attributes
    for (let i = 0; i < list.length; i += 2) {
      const name = list[i] ?? ""
      const value = list[i + 1] ?? ""
      if (name === "itemprop") for (const prop of value.toLowerCase().split(/\s+/u)) push(this.props, prop, element)
      else if (name === "rel") this.rel(element, value.toLowerCase())
      else if (name === "itemtype" && this.types.size < valuesMax) this.types.add(value.trim().replace(/^.*[/#:]/u, ""))
      else if (name.startsWith("data-") && value !== "" && stampName.test(name) && this.stamps.length < valuesMax)
        this.stamps.push([element, value])
    }
  }
  private rel(element: Element, rel: string): void {
    if (element.tag === "link" && rel === "canonical") this.canonical ??= attribute(element, "href")?.trim() ?? null
    else if (element.tag === "a" && /\bauthor\b/u.test(rel)) this.authors.push(element)
    else if (element.tag === "a" && /\btag\b/u.test(rel)) this.tags.push(element)
  }
}

export const readMeta = (tree: Tree): Meta => {
  const gatherer = new Gatherer()
  for (const element of tree.elements) gatherer.see(element)
  return gatherer
}

/** The first value of the first of these names that has one. */
export const metaOf = (meta: Meta, ...names: ReadonlyArray<string>): string | null => {
  for (const name of names) {
    const value = meta.values.get(name)?.[0]
    if (value !== undefined) return value
  }
  return null
}

export const allMeta = (meta: Meta, ...names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.flatMap((name) => meta.values.get(name) ?? [])
