import { Result } from "effect"

export { publicDomain, registrableDomain } from "./url/domain.ts"
export { identityOf, learnPattern } from "./url/identity.ts"
export { normaliseUrl, urlKey } from "./url/normalise.ts"
export { trapReason } from "./url/trap.ts"

/** Longest URL taken, in bytes: longer ones are traps or attacks (B076). */
export const URL_BYTES_MAX = 2048
/** Longest host name and label, in ASCII characters (RFC 1035 §2.3.4); `new URL` checks neither. */
const HOST_MAX = 253
const LABEL_MAX = 63
/** Ports a public news site may use. */
export const PORTS: ReadonlyArray<number> = [80, 443, 8080, 8443]

export type UrlCode =
  | "scheme_not_allowed"
  | "userinfo_not_allowed"
  | "port_not_allowed"
  | "url_invalid"
  | "control_character"
  | "host_invalid"
  | "url_too_long"

/** Why a URL is refused; `message` names the part, its value and the form expected. */
export interface UrlRefused {
  readonly code: UrlCode
  readonly message: string
}

/** A URL that may be fetched as far as its text tells; its host is still to be resolved and checked. */
export interface HttpUrl {
  readonly href: string
  /** Host with its port, as in `URL.host`. */
  readonly host: string
  /** Lower case, punycode, IPv6 in brackets, no trailing dot. */
  readonly hostname: string
  /** The effective port. */
  readonly port: number
  /** Path and query, as sent on the wire. */
  readonly path: string
}

const refuse = (code: UrlCode, message: string): Result.Result<never, UrlRefused> => Result.fail({ code, message })

const hostFault = (hostname: string): string | null => {
  if (hostname.startsWith("[")) return null
  const labels = hostname.replace(/\.$/, "").split(".")
  if (labels.some((it) => it === "")) return `host "${hostname}" has an empty label`
  if (labels.some((it) => it.length > LABEL_MAX)) return `host has a label over ${LABEL_MAX} characters`
  return hostname.length > HOST_MAX ? `host is over ${HOST_MAX} characters` : null
}

/**
 * Reads a URL that someone gave us: an operator, a page, a feed. Stricter than `new URL`, which strips control
 * characters silently and takes empty labels.
 * @source bad inputs B045–B079; WHATWG URL
 * @example parseHttpUrl("http://example.com@127.0.0.1/") // fails with code userinfo_not_allowed
 */
export const parseHttpUrl = (
  input: string,
  options: { readonly anyPort?: boolean } = {}
): Result.Result<HttpUrl, UrlRefused> => {
  const text = input.replace(/^ +| +$/g, "")
  // No character takes more than three bytes for its part of `length`.
  if (text.length * 3 > URL_BYTES_MAX && new TextEncoder().encode(text).length > URL_BYTES_MAX) {
    return refuse("url_too_long", `URL is over ${URL_BYTES_MAX} bytes`)
  }
  if (/[\u0000-\u001f\u007f]/.test(text)) return refuse("control_character", "URL holds a control character")
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined) return refuse("url_invalid", `"${text}" is not an absolute URL like https://host/path`)
  if (scheme !== "http" && scheme !== "https") {
    return refuse("scheme_not_allowed", `scheme "${scheme}" is not allowed: use http or https`)
  }
  const url = URL.parse(text)
  if (url === null || url.hostname === "") return refuse("url_invalid", `"${text}" is not a valid URL`)
  if (url.username !== "" || url.password !== "") {
    return refuse("userinfo_not_allowed", "a URL with a user name or password is not allowed")
  }
  const fault = hostFault(url.hostname)
  if (fault !== null) return refuse("host_invalid", fault)
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port)
  if (options.anyPort !== true && !PORTS.includes(port)) {
    return refuse("port_not_allowed", `port ${port} is not allowed: use ${PORTS.join(", ")}`)
  }
  const hostname = url.hostname.replace(/\.$/, "")
  return Result.succeed({ href: url.href, host: url.host, hostname, port, path: `${url.pathname}${url.search}` })
}
