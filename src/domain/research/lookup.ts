import { countryName, tldOf } from "./countries.ts"
import { domainsOf } from "./place.ts"
import type { Method } from "./record.ts"

/** One question to one discovery source. `subject`: the domain it is about, or the query itself. */
export interface Lookup {
  readonly method: Method
  readonly subject: string
  /** As datasets record it (`discovery_query`). */
  readonly query: string
}

/**
 * Structured queries for one country and category (S5.8): what authorities, organisations and the trade publish. `{year}` keeps
 * results current.
 */
const templates: ReadonlyArray<string> = [
  "{country} government {category} site:.gov.{tld}",
  "{country} ministry {category} {year}",
  "{country} {category} site:.{tld}",
  "{country} {category} organisations site:.org.{tld}"
]

/** @example searchQueries("SG", "news", 2026)[0] // => "Singapore government news site:.gov.sg" */
export const searchQueries = (country: string, category: string, year: number): ReadonlyArray<string> =>
  templates.map((template) =>
    template
      .replaceAll("{country}", countryName(country))
      .replaceAll("{category}", category.replaceAll(/[-_]/g, " "))
      .replaceAll("{tld}", tldOf(country))
      .replaceAll("{year}", String(year))
  )

const queryOf = (method: Method, domain: string): string =>
  method === "crtsh" ? `%.${domain}` : method === "wayback_machine" ? `*.${domain}` : domain

/** The questions of one message, each once: queries for a search engine, registrable domains for the others. */
export const lookupsOf = (
  part: { readonly urls: ReadonlyArray<string>; readonly methods: ReadonlyArray<Method> },
  country: string,
  category: string,
  year: number
): ReadonlyArray<Lookup> => {
  const domains = domainsOf(part.urls)
  return part.methods.flatMap(
    (method): ReadonlyArray<Lookup> =>
      method === "google_search"
        ? searchQueries(country, category, year).map((query) => ({ method, subject: query, query }))
        : domains.map((subject) => ({ method, subject, query: queryOf(method, subject) }))
  )
}
