import { Result } from "effect"
import { detect, hasJapaneseEscapes, sample } from "./charset/detect.ts"
import { encodingName } from "./charset/label.ts"
import { lenientMeta, markOf, prescan, xmlDeclaration } from "./charset/prescan.ts"
import { decodeUtf32, utf32Order } from "./charset/utf32.ts"
import type { Charset as CharsetSchema } from "./reading.ts"

export { encodingName } from "./charset/label.ts"
export { prescan } from "./charset/prescan.ts"

type Charset = typeof CharsetSchema.Type

/** A detection less sure than this is worth the verdict `charset_uncertain`, never a silent guess (field case B3). */
export const CONFIDENCE_FLOOR = 0.5
/** A declared charset may leave this share of the non-ASCII text unread (a cut page, a stray byte) before it is doubted. */
const REPLACED_SHARE_MAX = 0.05
/** With so few characters outside ASCII a share says nothing: one broken byte is forgiven. */
const REPLACED_FEW = 1
/** UTF-16 text of any language has at least this share of zero bytes on one side (spaces, digits, markup). */
const ZERO_SHARE_MIN = 0.1
/** How much of a document tells whether it is UTF-16. */
const ZERO_SAMPLE_BYTES = 4096

/** So many characters outside ASCII that read as UTF-8 without a fault are UTF-8, whatever a label says. */
const UTF8_PROOF = 10

export interface Decoded {
  readonly text: string
  readonly charset: Charset
  /** A declaration names another charset than the bytes were read by. */
  readonly contradicted: boolean
  /** Replacement characters that decoding put in; 0 where the bytes were right. */
  readonly replaced: number
}

export interface CharsetHints {
  readonly content_type: string | null
  readonly url: string
}

interface Declared {
  readonly name: string
  readonly source: Charset["source"]
}

interface Attempt extends Declared {
  readonly text: string
  readonly replaced: number
  /** Share of what is not ASCII that could not be read. */
  readonly share: number
}

const strict = (bytes: Uint8Array, name: string): string | null =>
  Result.getOrNull(Result.try(() => new TextDecoder(name, { fatal: true }).decode(bytes)))

const lenient = (bytes: Uint8Array, name: string): string => new TextDecoder(name).decode(bytes)

const isAscii = (text: string): boolean => !/[^\u0000-\u007f]/.test(text)

/** Characters outside ASCII; one of two code units counts once. */
const countOutsideAscii = (text: string): number => {
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const isSecond = code >= 0xdc00 && code <= 0xdfff && isFirst(text.charCodeAt(at - 1))
    if (code > 0x7f && !isSecond) count += 1
  }
  return count
}
const isFirst = (code: number): boolean => code >= 0xd800 && code <= 0xdbff

/** Read without a fault, or null. */
const exactly = (bytes: Uint8Array, declared: Declared): Attempt | null => {
  const text = strict(bytes, declared.name)
  return text === null ? null : { ...declared, text, replaced: 0, share: 0 }
}

const roughly = (bytes: Uint8Array, declared: Declared): Attempt => {
  const text = lenient(bytes, declared.name)
  const replaced = text.match(/\ufffd/g)?.length ?? 0
  return { ...declared, text, replaced, share: replaced / Math.max(1, countOutsideAscii(text)) }
}
const attempt = (bytes: Uint8Array, declared: Declared): Attempt => exactly(bytes, declared) ?? roughly(bytes, declared)

type Found = Omit<Decoded, "contradicted">

const decoded = (it: Attempt, confidence: number): Found => ({
  text: it.text,
  charset: { name: it.name, source: it.source, confidence: Math.max(0, Math.min(1, confidence)) },
  replaced: it.replaced
})

const byBom = (bytes: Uint8Array): Declared | null => {
  const name = markOf(bytes)
  return name === null ? null : { name, source: "bom" }
}

/** UTF-16 without a mark: zero bytes stand on one side only. */
const byZeros = (bytes: Uint8Array): Declared | null => {
  const head = bytes.subarray(0, ZERO_SAMPLE_BYTES)
  const sides = [0, 0]
  for (let at = head.indexOf(0); at >= 0; at = head.indexOf(0, at + 1)) sides[at % 2] = (sides[at % 2] ?? 0) + 1
  const [even = 0, odd = 0] = sides.map((it) => it / Math.max(1, head.length / 2))
  if (odd > ZERO_SHARE_MIN && even < odd / 10) return { name: "utf-16le", source: "detected" }
  return even > ZERO_SHARE_MIN && odd < even / 10 ? { name: "utf-16be", source: "detected" } : null
}

const headerLabel = (contentType: string | null): string | null =>
  /charset\s*=\s*["']?\s*([^\s"';,]+)/i.exec(contentType ?? "")?.[1] ?? null

/** What the document and its header declare, best first; an unknown label is the same as none (field case B5). */
const declarations = (bytes: Uint8Array, hints: CharsetHints): ReadonlyArray<Declared> => {
  const stated: ReadonlyArray<readonly [Charset["source"], string | null]> = [
    ["header", encodingName(headerLabel(hints.content_type))],
    ["meta", prescan(bytes) ?? lenientMeta(bytes)],
    ["xml", xmlDeclaration(bytes)]
  ]
  const named = stated.flatMap(([source, name]) => (name === null ? [] : [{ source, name }]))
  return named.filter((it, at) => named.findIndex(({ name }) => name === it.name) === at)
}

/** Encodings that read any bytes at all, so that reading without a fault proves nothing; servers send them by default. */
const readsAnything = (name: string): boolean =>
  name === "windows-1252" || name === "iso-8859-15" || name === "macintosh"

const acceptable = (it: Attempt): boolean => it.replaced <= REPLACED_FEW || it.share <= REPLACED_SHARE_MAX

/**
 * The first declaration that reads the bytes without a fault wins; then the first that nearly does. A default like
 * ISO-8859-1 yields to a declaration that can fail and did not; every legacy label yields to bytes that are UTF-8 beyond doubt.
 */
const byDeclaration = (bytes: Uint8Array, found: ReadonlyArray<Declared>): Found | null => {
  const exact = found.map((it) => exactly(bytes, it)).filter((it) => it !== null)
  const best =
    exact.find((it) => !readsAnything(it.name)) ?? exact[0] ?? found.map((it) => roughly(bytes, it)).find(acceptable)
  if (best === undefined) return null
  if (best.name !== "utf-8" && !/^utf-16|^iso-2022/.test(best.name)) {
    const utf8 = strict(bytes, "utf-8")
    const foreign = utf8 === null ? 0 : countOutsideAscii(utf8)
    if (utf8 !== null && foreign >= (readsAnything(best.name) ? 1 : UTF8_PROOF))
      return decoded({ name: "utf-8", source: "detected", text: utf8, replaced: 0, share: 0 }, 1)
  }
  return decoded(best, 1 - best.share)
}

const byDetection = (bytes: Uint8Array, hints: CharsetHints, found: ReadonlyArray<Declared>): Found => {
  const utf8 = attempt(bytes, { name: "utf-8", source: "detected" })
  if (isAscii(utf8.text)) {
    if (hasJapaneseEscapes(bytes)) return decoded(attempt(bytes, { name: "iso-2022-jp", source: "detected" }), 0.95)
    return decoded({ ...utf8, source: "default" }, 1)
  }
  if (utf8.replaced === 0 || (utf8.share <= REPLACED_SHARE_MAX && countOutsideAscii(utf8.text) > 20))
    return decoded(utf8, 1 - utf8.share)
  const guess = detect(
    sample(bytes),
    hints.url,
    found.map(({ name }) => name)
  )
  const [declared] = found
  if (guess !== null && (guess.confidence >= CONFIDENCE_FLOOR || declared === undefined)) {
    return decoded(attempt(bytes, { name: guess.name, source: "detected" }), guess.confidence)
  }
  const fallback = declared === undefined ? { ...utf8, source: "default" as const } : attempt(bytes, declared)
  return decoded(fallback, Math.min(CONFIDENCE_FLOOR, 1 - fallback.share))
}

const found = (bytes: Uint8Array, hints: CharsetHints, stated: ReadonlyArray<Declared>): Found => {
  const order = utf32Order(bytes)
  if (order !== null)
    return { ...decodeUtf32(bytes, order), charset: { name: `utf-32${order}`, source: "bom", confidence: 1 } }
  const marked = byBom(bytes)
  if (marked !== null) {
    const it = attempt(bytes, marked)
    if (acceptable(it) || marked.name !== "utf-8") return decoded(it, 1 - it.share)
  }
  const wide = byZeros(bytes)
  if (wide !== null) return decoded(attempt(bytes, wide), 0.9)
  return byDeclaration(bytes, stated) ?? byDetection(bytes, hints, stated)
}

/**
 * Bytes to text: byte order mark, header, meta, XML declaration, detection, UTF-8. Never fails, whatever the bytes.
 * @source WHATWG Encoding; field cases B1, B3, B5; bad inputs B170–B172
 */
export const decode = (bytes: Uint8Array, hints: CharsetHints): Decoded => {
  const stated = declarations(bytes, hints)
  const it = found(bytes, hints, stated)
  return { ...it, contradicted: stated.some(({ name }) => name !== it.charset.name) }
}
