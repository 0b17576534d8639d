import { Schema } from "effect"

/** @source ISO 3166-1 alpha-2, officially assigned codes */
const codes =
  "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK " +
  "CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS " +
  "GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV " +
  "LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM " +
  "PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR " +
  "TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW"

const known: ReadonlySet<string> = new Set(codes.split(" "))

/** Names of the countries that queries are most often made for; others go by their code. */
const names = new Intl.DisplayNames(["en"], { type: "region" })

export const isCountry = (code: string): boolean => known.has(code.toUpperCase())

/** The country of a top-level domain; null: it is no country's. `uk` is the one that is not its ISO code. */
export const countryOfTld = (tld: string): string | null => {
  const code = tld === "uk" ? "GB" : tld.toUpperCase()
  return known.has(code) ? code : null
}

/** The top-level domain of a country. */
export const tldOf = (country: string): string => (country === "GB" ? "uk" : country.toLowerCase())

/** The country's English name. @example countryName("SG") // => "Singapore" */
export const countryName = (country: string): string => names.of(country) ?? country

/** An ISO 3166-1 alpha-2 code in either case; `countryCode` gives its canonical form. */
export const Country = Schema.String.check(
  Schema.makeFilter((text: string) => isCountry(text) || "Expected an ISO 3166-1 alpha-2 country code such as SG")
)
export const countryCode = (text: string): string => text.toUpperCase()
