import { Option, Result } from "effect"

/** An address as bytes: 4 of them for IPv4, 16 for IPv6. An IPv4-mapped IPv6 address is kept as the IPv4 it carries. */
type Bytes = ReadonlyArray<number>

/**
 * Ranges no fetch may dial, with the reason. IPv4 first; the IPv6 ranges lie inside 2000::/3, for everything outside it
 * is refused anyway.
 * @source IANA special-purpose address registries (RFC 6890, RFC 8190), bad inputs B001–B036
 */
const REFUSED: ReadonlyArray<readonly [range: string, why: string]> = [
  ["0.0.0.0/8", "this network"],
  ["10.0.0.0/8", "private"],
  ["100.64.0.0/10", "carrier-grade NAT, and a metadata service at 100.100.100.200"],
  ["127.0.0.0/8", "loopback"],
  ["168.63.129.16/32", "a cloud's wire server, though the address is public"],
  ["169.254.0.0/16", "link-local and metadata services"],
  ["172.16.0.0/12", "private"],
  ["192.0.0.0/24", "protocol assignments, and a metadata service at 192.0.0.192"],
  ["192.0.2.0/24", "documentation"],
  ["192.31.196.0/24", "AS112"],
  ["192.52.193.0/24", "AMT"],
  ["192.88.99.0/24", "6to4 relay"],
  ["192.168.0.0/16", "private"],
  ["192.175.48.0/24", "AS112"],
  ["198.18.0.0/15", "benchmarks"],
  ["198.51.100.0/24", "documentation"],
  ["203.0.113.0/24", "documentation"],
  ["224.0.0.0/4", "multicast"],
  ["240.0.0.0/4", "reserved and broadcast"],
  ["2001::/23", "protocol assignments: Teredo, ORCHID, benchmarks"],
  ["2001:db8::/32", "documentation"],
  ["2002::/16", "6to4: carries any IPv4 address"],
  ["2620:4f:8000::/48", "AS112"],
  ["3fff::/20", "documentation"]
]

/** The one IPv6 block that is handed out to the public. */
const GLOBAL_UNICAST = "2000::/3"
/** NAT64: the last four bytes are the IPv4 address that is dialled (RFC 6052). */
const NAT64 = "64:ff9b::/96"

/** Names that lead inside whatever they resolve to (RFC 6761, RFC 6762, RFC 8375, cloud metadata). */
const INSIDE_NAMES = ["localhost", "local", "internal", "intranet", "lan", "home.arpa", "localdomain", "onion"]

const fromV4 = (text: string): Bytes | null => {
  const parts = text.split(".").map(Number)
  return /^\d{1,3}(\.\d{1,3}){3}$/.test(text) && parts.every((it) => it <= 255) ? parts : null
}

const groups = (text: string): ReadonlyArray<number> =>
  text === "" ? [] : text.split(":").flatMap((it) => [Number.parseInt(it, 16) >> 8, Number.parseInt(it, 16) & 255])

/** `text` is a canonical IPv6 text (lower-case groups, at most one `::`), as the URL parser writes it. */
const fromV6 = (text: string): Bytes => {
  const [head = "", tail] = text.split("::")
  const before = groups(head)
  const after = groups(tail ?? "")
  return [...before, ...Array.from({ length: 16 - before.length - after.length }, () => 0), ...after]
}

const isMapped = (bytes: Bytes) => bytes.slice(0, 10).every((it) => it === 0) && bytes[10] === 255 && bytes[11] === 255

/** Reads any spelling the URL standard reads: decimal, hex, octal, short forms, brackets, a zone id, a trailing dot. */
const bytesOf = (ip: string): Bytes | null => {
  const bare = ip
    .trim()
    .replace(/^\[|\]$/g, "")
    .replace(/%.*$/, "")
  const plain = fromV4(bare)
  if (plain !== null) return plain
  if (bare.includes(":")) {
    const host = URL.parse(`http://[${bare}]/`)?.hostname
    if (host === undefined) return null
    const bytes = fromV6(host.slice(1, -1))
    return isMapped(bytes) ? bytes.slice(12) : bytes
  }
  const host = URL.parse(`http://${bare}/`)?.hostname
  return host === undefined ? null : fromV4(host)
}

interface Range {
  readonly bytes: Bytes
  readonly bits: number
}

const rangeOf = (cidr: string): Range | null => {
  const [ip = "", length] = cidr.trim().split("/")
  const bytes = bytesOf(ip)
  if (bytes === null) return null
  const bits = length === undefined ? bytes.length * 8 : Number(length)
  return Number.isInteger(bits) && bits >= 0 && bits <= bytes.length * 8 && length !== "" ? { bytes, bits } : null
}

const holds = (range: Range, bytes: Bytes): boolean =>
  range.bytes.length === bytes.length &&
  range.bytes.every((byte, index) => {
    const bits = Math.min(8, Math.max(0, range.bits - index * 8))
    const mask = (0xff << (8 - bits)) & 0xff
    return (byte & mask) === ((bytes[index] ?? 0) & mask)
  })

const compiled = (cidrs: ReadonlyArray<string>): ReadonlyArray<Range> =>
  cidrs.flatMap((it) => Option.toArray(Option.fromNullishOr(rangeOf(it))))

const refused = compiled(REFUSED.map(([range]) => range))
const globalUnicast = compiled([GLOBAL_UNICAST])
const nat64 = compiled([NAT64])

const isPublic = (bytes: Bytes): boolean => {
  if (bytes.length === 4) return !refused.some((range) => holds(range, bytes))
  if (nat64.some((range) => holds(range, bytes))) return isPublic(bytes.slice(12))
  return globalUnicast.some((range) => holds(range, bytes)) && !refused.some((range) => holds(range, bytes))
}

/**
 * May a packet go to this address? Anything that is not an address is refused too.
 * @source DESIGN "Security", bad inputs B001–B036
 * @example isPublicAddress("0x7f000001") // => false
 */
export const isPublicAddress = (ip: string): boolean => {
  const bytes = bytesOf(ip)
  return bytes !== null && isPublic(bytes)
}

/** Does the address lie in one of the ranges (`10.0.0.0/8`, or a single address)? A malformed range holds nothing. */
export const inCidrs = (ip: string, cidrs: ReadonlyArray<string>): boolean => {
  const bytes = bytesOf(ip)
  return bytes !== null && compiled(cidrs).some((range) => holds(range, bytes))
}

/** The first malformed range of a list, for the message of a refused setting; `null` when all are well formed. */
export const badCidr = (cidrs: ReadonlyArray<string>): string | null => cidrs.find((it) => rangeOf(it) === null) ?? null

/** The address a URL's hostname spells (`127.0.0.1`, `[::1]`), without brackets; `null` for a name. */
export const literalAddress = (hostname: string): string | null => {
  const bare = hostname.replace(/\.$/, "")
  if (bare.startsWith("[")) return bytesOf(bare) === null ? null : bare.slice(1, -1)
  return fromV4(bare) === null ? null : bare
}

/**
 * What the name alone says, before any lookup: a literal address that is not public, or a name that always leads
 * inside, is `refused` with the reason. A name that passes must still be resolved and each of its addresses checked.
 * @example checkHost("localhost.") // => Result.fail("name leads inside")
 */
export const checkHost = (hostname: string): Result.Result<void, string> => {
  const name = hostname.toLowerCase().replace(/\.$/, "")
  const ip = literalAddress(name)
  if (ip !== null) return isPublicAddress(ip) ? Result.succeed(undefined) : Result.fail("address is not public")
  const inside = INSIDE_NAMES.some((it) => name === it || name.endsWith(`.${it}`))
  return inside ? Result.fail("name leads inside") : Result.succeed(undefined)
}
