import { countryZone } from "./zones.ts"

/** Country-code domains that the world uses for their letters. */
const GENERIC = new Set([
  "ai",
  "am",
  "cc",
  "co",
  "fm",
  "ga",
  "gg",
  "io",
  "is",
  "la",
  "ly",
  "me",
  "ml",
  "nu",
  "sh",
  "to",
  "tv",
  "ws"
])

/** Languages whose press sits in one country nearly always. */
const BY_LANGUAGE: Readonly<Record<string, string>> = {
  ko: "kr",
  ja: "jp",
  fi: "fi",
  sv: "se",
  da: "dk",
  no: "no",
  nb: "no",
  nn: "no",
  is: "is",
  et: "ee",
  lv: "lv",
  lt: "lt",
  pl: "pl",
  cs: "cz",
  sk: "sk",
  hu: "hu",
  bg: "bg",
  hr: "hr",
  sl: "si",
  mk: "mk",
  el: "gr",
  tr: "tr",
  he: "il",
  th: "th",
  vi: "vn",
  id: "id",
  uk: "ua",
  ka: "ge",
  hy: "am",
  hi: "in",
  it: "it"
}

const region = (language: string): string | undefined =>
  /^[a-z]{2,3}[-_]([a-z]{2})\b/i.exec(language)?.[1]?.toLowerCase()

/**
 * The country whose clocks a document goes by when no source states one: the region of its language tag, the
 * country-code domain, a language of one country. `undefined` for the rest (`.com` in English), whose times are taken as UTC.
 */
export const likelyCountry = (url: string, language: string | null): string | undefined => {
  const tag = region(language ?? "")
  const domain = URL.parse(url)?.hostname.split(".").at(-1) ?? ""
  const byDomain = GENERIC.has(domain) || countryZone(domain) === undefined ? undefined : domain
  const stated = tag !== undefined && tag !== "us" && countryZone(tag) !== undefined ? tag : undefined
  return byDomain ?? stated ?? BY_LANGUAGE[(language ?? "").slice(0, 2).toLowerCase()]
}
