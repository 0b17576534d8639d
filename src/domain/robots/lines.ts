/** Bytes read of a robots.txt; a longer one is cut, not dropped (RFC 9309 §2.5 asks for at least 500 KiB). */
export const ROBOTS_BYTES_MAX = 512_000
/** Bytes kept of one line: eight of the longest URLs that old browsers took. */
const LINE_BYTES_MAX = 16_663

export type Key = "user-agent" | "allow" | "disallow" | "sitemap" | "crawl-delay" | "content-signal"
export interface Line {
  readonly key: Key
  /** One character per byte; rule values have their percent-encoding normalised. */
  readonly value: string
}

/** Beginnings that make a key, spelled right and wrong. Whatever follows the beginning is not looked at. */
const KEYS: ReadonlyArray<readonly [Key, ReadonlyArray<string>]> = [
  ["user-agent", ["user-agent", "useragent", "user agent"]],
  ["allow", ["allow"]],
  ["disallow", ["disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"]],
  ["sitemap", ["sitemap", "site-map"]],
  ["content-signal", ["content-signal", "content-usage"]],
  ["crawl-delay", ["crawl-delay", "crawldelay", "crawl delay"]]
]

const keyOf = (text: string): Key | null => {
  const lower = text.toLowerCase()
  return KEYS.find(([, starts]) => starts.some((it) => lower.startsWith(it)))?.[0] ?? null
}

const latin1 = new TextDecoder("latin1")

/** ISO-8859-1 by hand: `TextDecoder("latin1")` is windows-1252 and would move the bytes 0x80–0x9f. */
const text = (bytes: Uint8Array): string =>
  latin1.decode(bytes).replace(/[^\u0000-\u007f\u00a0-\u00ff]/g, (char) => WINDOWS.get(char) ?? char)

const WINDOWS: ReadonlyMap<string, string> = new Map(
  Array.from({ length: 32 }, (_, index) => [
    latin1.decode(Uint8Array.of(128 + index)),
    String.fromCharCode(128 + index)
  ])
)

/** A UTF-16 file is read as the UTF-8 it should have been; of a UTF-8 mark also a part is skipped. */
const unmarked = (body: Uint8Array): Uint8Array => {
  const [first, second] = body
  if (first === 0xff && second === 0xfe) return new TextEncoder().encode(new TextDecoder("utf-16le").decode(body))
  if (first === 0xfe && second === 0xff) return new TextEncoder().encode(new TextDecoder("utf-16be").decode(body))
  const mark = [0xef, 0xbb, 0xbf]
  const length = mark.findIndex((byte, index) => body[index] !== byte)
  return body.subarray(length < 0 ? mark.length : length)
}

/** Cut at a line's end: half a rule could forbid a whole site. */
const bounded = (body: Uint8Array): Uint8Array => {
  if (body.length <= ROBOTS_BYTES_MAX) return body
  const cut = body.subarray(0, ROBOTS_BYTES_MAX)
  return cut.subarray(0, Math.max(cut.lastIndexOf(10), cut.lastIndexOf(13), 0))
}

const blanks = /^[ \t\v\f\r\n]+|[ \t\v\f\r\n]+$/g
const trim = (value: string): string => value.replace(blanks, "")

/** `key: value`, or `key value` with nothing else on the line. */
const split = (line: string): readonly [string, string] | null => {
  const colon = line.indexOf(":")
  if (colon >= 0) return [trim(line.slice(0, colon)), trim(line.slice(colon + 1))]
  const words = /^([^ \t]+)[ \t]+([^ \t]+)$/.exec(line)
  return words === null ? null : [words[1] ?? "", words[2] ?? ""]
}

const hex = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`

/** Percent-encoding in upper case, bytes outside ASCII encoded: the form in which URLs come. */
const normal = (value: string): string =>
  /[%\u0080-\u00ff]/.test(value)
    ? value.replace(/%[0-9a-f]{2}/gi, (it) => it.toUpperCase()).replace(/[\u0080-\u00ff]/g, hex)
    : value

const parse = (raw: string): Line | null => {
  const comment = raw.indexOf("#")
  const parts = split(trim(comment < 0 ? raw : raw.slice(0, comment)))
  if (parts === null || parts[0] === "") return null
  const key = keyOf(parts[0])
  if (key === null) return null
  return { key, value: key === "allow" || key === "disallow" ? normal(parts[1]) : parts[1] }
}

/** The lines of a robots.txt that mean something. Line ends: LF, CR, CR LF. */
export const lines = (body: Uint8Array): ReadonlyArray<Line> =>
  text(bounded(unmarked(body)))
    .split(/\r\n|\r|\n/)
    .flatMap((it) => {
      const line = parse(it.slice(0, LINE_BYTES_MAX))
      return line === null ? [] : [line]
    })
