import { getDomain } from "tldts"
import { literalAddress } from "../address.ts"

const ascii = (host: string): string => URL.parse(`http://${host}/`)?.hostname ?? host

/**
 * The registrable domain by the public suffix list with its private section; `null` for an address, a public suffix
 * and a name without one. Unicode names are answered in Unicode.
 */
export const publicDomain = (host: string): string | null => {
  const name = host.toLowerCase().replace(/\.$/, "")
  if (name === "" || name.startsWith(".") || name.includes("..")) return null
  if (literalAddress(name) !== null) return null
  const options = { allowPrivateDomains: true, extractHostname: false, validateHostname: false }
  const found = getDomain(name, options)
  if (found !== null || /^[\u0000-\u007f]*$/.test(name)) return found
  const labels = getDomain(ascii(name), options)?.split(".").length
  return labels === undefined ? null : name.split(".").slice(-labels).join(".")
}

/** The scope of a site: its registrable domain, or the host itself where there is none. */
export const registrableDomain = (host: string): string => {
  const bare = host.toLowerCase().replace(/:\d+$/, "").replace(/\.$/, "")
  return publicDomain(bare) ?? bare
}
