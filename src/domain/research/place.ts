import { getPublicSuffix } from "tldts"
import { registrableDomain } from "../url.ts"
import { countryOfTld } from "./countries.ts"

/** The library whose list decides what a registrable domain is; recorded in every dataset. */
export const suffixList = "tldts 7.6.0"

export const sourceTypes = ["gov", "org", "com"] as const
export type SourceType = (typeof sourceTypes)[number]

/** Second-level labels under which a country (or `.gov` itself) registers its authorities, and its organisations. */
const GOV = new Set("gov go gob gouv govt gub gv gc gov2 government mil mi admin".split(" "))
const ORG = new Set("org or ngo ong asso".split(" "))

/** Where a URL lives. All names are in ASCII (punycode) and lower case. */
export interface Place {
  readonly raw_url: string
  /** The host without a leading `www.` (settled 15). */
  readonly normalized_domain: string
  /** By the public suffix list with its private section; the host itself where there is none (an address). */
  readonly registrable_domain: string
  /** What stands before the registrable domain; empty for the domain itself. */
  readonly subdomain: string
  /** `gov|org|com:{country}:{registrable domain}` (S5.10). */
  readonly domain_id: string
  readonly source_type: SourceType
}

/**
 * The class of a domain by its ICANN suffix: `gov.sg`, `go.kr` and `gouv.fr` are authorities, `org.sg` and `or.jp`
 * organisations; all else is `com` (settled 15).
 */
export const sourceType = (host: string): SourceType => {
  const suffix = getPublicSuffix(host, { allowPrivateDomains: false, extractHostname: false, validateHostname: false })
  const label = (suffix ?? "").replace(/\..*$/, "")
  return GOV.has(label) ? "gov" : ORG.has(label) ? "org" : "com"
}

/** The country by the domain's own top-level domain, else the batch's; lower case. */
const countryOf = (domain: string, country: string): string =>
  (countryOfTld(domain.slice(domain.lastIndexOf(".") + 1)) ?? country).toLowerCase()

/**
 * @source S5.10, settled 15
 * @example domainId("mom.gov.sg", "SG") // => "gov:sg:mom.gov.sg"
 */
export const domainId = (host: string, country: string): string => {
  const domain = registrableDomain(host)
  return idOf(domain, sourceType(domain), country)
}
const idOf = (domain: string, type: SourceType, country: string): string =>
  `${type}:${countryOf(domain, country)}:${domain}`

const hostOf = (url: string): string | null => {
  const parsed = URL.parse(url)
  if (parsed === null || (parsed.protocol !== "http:" && parsed.protocol !== "https:")) return null
  const host = parsed.hostname.replace(/\.$/, "")
  return host === "" ? null : host
}

/**
 * Where a URL lives (S5.9); null for what is no http(s) URL.
 * @example placeOf("https://www.mom.gov.sg/newsroom", "SG")?.subdomain // => "www"
 */
export const placeOf = (url: string, country: string): Place | null => {
  const host = hostOf(url)
  if (host === null) return null
  const domain = registrableDomain(host)
  const type = sourceType(domain)
  return {
    raw_url: url,
    normalized_domain: host.startsWith("www.") && host.length > 4 ? host.slice(4) : host,
    registrable_domain: domain,
    subdomain: host === domain ? "" : host.slice(0, -domain.length - 1),
    domain_id: idOf(domain, type, country),
    source_type: type
  }
}

/** Registrable domains of these URLs, each once, in their order: what a discovery source is asked about. */
export const domainsOf = (urls: ReadonlyArray<string>): ReadonlyArray<string> => {
  const hosts = urls.flatMap((url) => hostOf(url) ?? [])
  return [...new Set(hosts.map(registrableDomain))]
}
