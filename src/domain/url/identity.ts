import { registrableDomain } from "./domain.ts"
import { normaliseUrl } from "./normalise.ts"

/** What decides which article a page is. */
export interface IdentityFacts {
  /** The URL of the page, after redirects. */
  readonly url: string
  /** What the page states as its canonical URL, absolute. */
  readonly canonical: string | null
  /**
   * The rule's identity pattern: alternatives separated by spaces, each a path of segments where `{name}` takes a
   * segment, `*` any one segment and a final `**` the rest; or `?a={a}&b={b}` for query parameters.
   */
  readonly rulePattern: string | null
}

export interface Identity {
  readonly identity: string
  readonly by: "rule" | "canonical" | "url"
}

/**
 * Sites that show one article under many addresses and whose numbering is public, by registrable domain; a rule's
 * pattern goes first. Naver numbers by press (oid) and article (aid).
 */
const KNOWN: Readonly<Record<string, string>> = {
  "naver.com":
    "/article/{oid}/{aid} /mnews/article/{oid}/{aid} /mnews/ranking/article/{oid}/{aid} /*/article/{oid}/{aid} " +
    "/sports/*/article/{oid}/{aid} ?oid={oid}&aid={aid} ?office_id={oid}&article_id={aid}"
}

type Values = ReadonlyArray<readonly [name: string, value: string]>

const placeholder = (text: string): string | undefined => /^\{([\w-]+)\}$/.exec(text)?.[1]

const segmentsOf = (path: string): ReadonlyArray<string> => path.split("/").filter((it) => it !== "")

const matchPath = (pattern: string, path: string): Values | null => {
  const wanted = segmentsOf(pattern)
  const given = segmentsOf(path)
  const open = wanted.at(-1) === "**"
  const fixed = open ? wanted.slice(0, -1) : wanted
  if (given.length < fixed.length || (!open && given.length > fixed.length)) return null
  const fits = fixed.every((it, at) => it === "*" || placeholder(it) !== undefined || it === given[at])
  if (!fits) return null
  return fixed.flatMap((it, at) => {
    const name = placeholder(it)
    return name === undefined ? [] : [[name, given[at] ?? ""] as const]
  })
}

const matchQuery = (pattern: string, query: URLSearchParams): Values | null => {
  const wanted = [...new URLSearchParams(pattern)]
  const values = wanted.flatMap(([key, template]) => {
    const name = placeholder(template)
    const value = query.get(key)
    if (value === null || value === "") return []
    return name === undefined ? (value === template ? [["", ""] as const] : []) : [[name, value] as const]
  })
  return values.length === wanted.length ? values.filter(([name]) => name !== "") : null
}

const matchOne = (pattern: string, url: URL): Values | null => {
  const [path = "", search] = pattern.split("?")
  const fromPath = path === "" ? [] : matchPath(path, url.pathname)
  const fromQuery = search === undefined ? [] : matchQuery(search, url.searchParams)
  return fromPath === null || fromQuery === null ? null : [...fromPath, ...fromQuery]
}

const byRule = (pattern: string, url: URL): string | null => {
  for (const it of pattern.split(/\s+/).filter((it) => it !== "")) {
    const values = matchOne(it, url)
    if (values !== null && values.length > 0) {
      const pairs = values.map(([name, value]) => `${name}=${value}`)
      return pairs.sort().join("&")
    }
  }
  return null
}

const LISTS =
  /^\/(?:[a-z]{2}(?:[-_][a-z]{2})?\/?)?(?:index\.\w+|home|main|news|list|latest|search|category|tag|topics?)?\/?$/i

/** A canonical that names the front page or a list says nothing of this page. */
const namesOnePage = (url: URL): boolean => {
  if (url.search !== "" && url.pathname !== "/") return true
  return !(url.search === "" && LISTS.test(url.pathname))
}

/**
 * Which article a page is: the rule's pattern or the site's known one, else its canonical if that is of the same site and names one page, else
 * its own address. Whether pages with different titles share a canonical is for the store to see.
 * @source DESIGN "Identity of a page"
 */
export const identityOf = (facts: IdentityFacts): Identity => {
  const url = URL.parse(facts.url)
  if (url === null) return { identity: normaliseUrl(facts.url), by: "url" }
  const pattern = facts.rulePattern ?? KNOWN[registrableDomain(url.hostname)]
  const ruled = pattern === undefined ? null : byRule(pattern, url)
  if (ruled !== null) return { identity: ruled, by: "rule" }
  const canonical = facts.canonical === null ? null : URL.parse(facts.canonical, facts.url)
  const http = canonical !== null && /^https?:$/.test(canonical.protocol)
  if (http && registrableDomain(canonical.hostname) === registrableDomain(url.hostname) && namesOnePage(canonical)) {
    return { identity: normaliseUrl(canonical.href), by: "canonical" }
  }
  return { identity: normaliseUrl(facts.url), by: "url" }
}

/** Pages with one text under this many addresses teach a pattern (field case B15). */
const LEARN_FROM = 3

/**
 * The identity pattern behind several addresses of one text: the segment that names the article stays, what follows
 * it varies. `null` when they share no segment that looks like an id.
 * @example learnPattern(["https://a.example/story/ID1/2026/x", "https://a.example/story/ID1/2026/y", "https://a.example/story/ID1/2026/z"]) // => "/story/{id}/**"
 */
export const learnPattern = (urls: ReadonlyArray<string>): string | null => {
  const paths = [...new Set(urls)].flatMap((it) => {
    const url = URL.parse(it)
    return url === null ? [] : [segmentsOf(url.pathname)]
  })
  const [first] = paths
  if (first === undefined || paths.length < LEARN_FROM) return null
  const shared = first.findIndex((it, at) => paths.some((path) => path[at] !== it))
  const head = shared < 0 ? first : first.slice(0, shared)
  const id = head.findIndex((it) => /\d/.test(it) && !/^(?:19|20)\d\d$/.test(it) && it.length >= 3)
  if (id < 0 || shared < 0) return null
  return `/${[...head.slice(0, id), "{id}"].join("/")}/**`
}
