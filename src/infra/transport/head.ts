/** How long a body is: so many bytes, in chunks until the last, or all that comes until the connection ends. */
export type Framing = number | "chunked" | "close"

/** Status line and headers of an answer. */
export interface Head {
  readonly status: number
  readonly headers: Headers
  readonly body: Framing
  /** The server would answer another request on this connection. */
  readonly persistent: boolean
}

export type Method = "GET" | "HEAD"

/** Lines of a head; with more, each takes longer than the one before. */
const LINES_MAX = 1000
const LF = 10
const CR = 13
const STATUS = /^HTTP\/(\d)(?:\.(\d))? +([1-9]\d\d)(?: |$)/
const NAME = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/

/** Where the line after an empty one begins, looked for from `from`; -1: not here yet. Lines may end without CR (RFC 9112 §2.2). */
export const endOfHead = (bytes: Buffer, from: number): number => {
  for (let at = bytes.indexOf(LF, from); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    const next = bytes[at + 1] === CR ? at + 2 : at + 1
    if (bytes[next] === LF) return next + 1
  }
  return -1
}

/** Lines without their ends; one that begins with a blank continues the one before (obs-fold, RFC 9112 §5.2). */
const unfolded = (text: string): ReadonlyArray<string> =>
  (/\n[ \t]/.test(text) ? text.replace(/\r?\n[ \t]+/g, " ") : text)
    .split("\n")
    .map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line))

/** Tells whether all lines were headers: what is none is passed over, as browsers do. */
const fill = (headers: Headers, lines: ReadonlyArray<string>): boolean => {
  let clean = true
  for (const line of lines) {
    if (line === "") continue
    const colon = line.indexOf(":")
    const name = line.slice(0, Math.max(0, colon)).trimEnd()
    const value = line.slice(colon + 1)
    if (NAME.test(name) && !/[\0\r]/.test(value)) headers.append(name, value)
    else clean = false
  }
  return clean
}

const tokens = (header: string | null): ReadonlyArray<string> =>
  header === null
    ? []
    : header
        .toLowerCase()
        .split(",")
        .map((it) => it.trim())

/** RFC 9112 §6.3; null: two lengths, and nobody knows which. One that is no number says nothing. */
const framingOf = (status: number, headers: Headers, method: Method): Framing | null => {
  if (method === "HEAD" || status < 200 || status === 204 || status === 304) return 0
  // An old word for none at all (RFC 2616 §3.6), still said beside a length.
  const codings = tokens(headers.get("transfer-encoding")).filter((it) => it !== "identity" && it !== "")
  if (codings.length > 0) return codings.at(-1) === "chunked" ? "chunked" : "close"
  const [length, ...others] = new Set(tokens(headers.get("content-length")))
  if (length === undefined || !/^\d+$/.test(length)) return "close"
  return others.length > 0 ? null : Number(length)
}

/** Reads the text of a head, from its status line to its empty line; null: this is no HTTP/1. Bytes are characters. */
export const parseHead = (text: string, method: Method): Head | null => {
  const [first = "", ...lines] = unfolded(text)
  const [, major, minor, code] = STATUS.exec(first) ?? []
  if (major === undefined || code === undefined || lines.length > LINES_MAX) return null
  const status = Number(code)
  const headers = new Headers()
  const clean = fill(headers, lines)
  const body = framingOf(status, headers, method)
  if (body === null) return null
  const connection = tokens(headers.get("connection"))
  const modern = major === "1" && minor === "1"
  const asked = modern ? !connection.includes("close") : connection.includes("keep-alive")
  // Who says two things of one body, or speaks of what came after its version, is not asked a second time (RFC 9112 §6.1).
  const odd = headers.has("transfer-encoding") && (headers.has("content-length") || !modern)
  return { status, headers, body, persistent: asked && clean && !odd && body !== "close" }
}
