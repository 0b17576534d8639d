import { createHash } from "node:crypto"

/** Parameters that say where a reader came from, never what the page is; by exact name, lower case. */
const TRACKING = new Set(
  (
    "fbclid gclid gclsrc dclid gbraid wbraid msclkid yclid ysclid twclid ttclid tclid li_fat_id igshid igsh srsltid " +
    "mc_cid mc_eid _ga _gl _hsenc _hsmi __hssc __hstc __hsfp hsctatracking mkt_tok vero_id vero_conv xtor xtref " +
    "wt_mc wt_zmc wt.mc_id wtrid s_cid sc_cid cmpid cmp icid ito ocid ncid smid smtyp fb_action_ids fb_action_types fb_ref " +
    "fb_source ref_src ref_url __twitter_impression spm scm _openstat efid ef_id guccounter guce_referrer " +
    "guce_referrer_sig rb_clickid trk trkcampaign zanpid mbid share_id sharetype sfnsn sh_kit fref dicbo obclid " +
    "oly_anon_id oly_enc_id jsessionid phpsessid aspsessionid sessionid __cf_chl_tk __cf_chl_rt_tk amp_js_v"
  ).split(" ")
)
/** The same by prefix. */
const TRACKING_PREFIXES = ["utm_", "utm-", "pk_", "mtm_", "piwik_", "matomo_", "at_campaign", "at_medium", "at_custom"]

const isTracking = (key: string): boolean => {
  const name = key.toLowerCase()
  return TRACKING.has(name) || TRACKING_PREFIXES.some((it) => name.startsWith(it))
}

/** Unreserved characters are decoded, hex is upper case, a stray `%` becomes `%25` (RFC 3986 §6.2.2). */
const percent = (text: string): string =>
  text.replace(/%([0-9a-f]{2})?/gi, (whole: string, hex: string | undefined) => {
    if (hex === undefined) return "%25"
    const char = String.fromCharCode(Number.parseInt(hex, 16))
    return /[A-Za-z0-9._~-]/.test(char) ? char : whole.toUpperCase()
  })

const code = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`

const path = (pathname: string): string =>
  percent(pathname)
    .replace(/[[\]^`{|}"<>\\]/g, code)
    .replace(/;(?:jsessionid|phpsessid)=[^/;]*/gi, "")
    .replace(/\/{2,}/g, "/")

const parameter = (text: string): string =>
  percent(text)
    .replace(/%20/g, "+")
    .replace(/[[\]^`{|}"<>\\]/g, code)

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const query = (search: string): string => {
  const kept = search
    .replace(/^\?/, "")
    .split("&")
    .map(parameter)
    .filter((it) => it !== "" && !it.startsWith("=") && !isTracking(it.split("=")[0] ?? ""))
    .map((it) => it.replace(/^([^=]*)=$/, "$1"))
  const pairs = kept.map((it) => ({ text: it, key: it.split("=")[0] ?? "", value: it.slice(it.indexOf("=") + 1) }))
  const sorted = pairs.sort((a, b) => byText(a.key, b.key) || byText(a.value, b.value)).map(({ text }) => text)
  return sorted.length === 0 ? "" : `?${sorted.join("&")}`
}

/** Percent-encoding can hide a dot segment or a session id from the first pass; the second leaves nothing to do. */
const once = (text: string): string => {
  const url = URL.parse(text)
  if (url === null) return text
  const host = url.host.replace(/\.(?=:\d+$|$)/, "")
  const authority = url.host === "" ? "" : `//${host}`
  return `${url.protocol}${authority}${path(url.pathname)}${query(url.search)}`
}

/**
 * The identity of an address: scheme and host in lower case and punycode, no default port, no fragment, no tracking
 * parameters, the rest sorted, one spelling of percent-encoding, no dot segments, no doubled slashes. A trailing slash
 * is kept. Never used for fetching: what is fetched is the URL as the site gave it (field case B51).
 * Text that is no URL comes back trimmed.
 * @example normaliseUrl("HTTP://H:80/%7Ea/../b?utm_source=x#f") // => "http://h/b"
 */
export const normaliseUrl = (url: string): string => {
  const text = url.trim()
  const first = once(text)
  return first === text ? first : once(first)
}

/** Fixed-length key of a normalised URL (a btree key may not exceed 2.7 kB): SHA-256 in base64url, 43 characters. */
export const urlKey = (normalised: string): string => createHash("sha256").update(normalised).digest("base64url")
