import { type Stats, statSync } from "node:fs"
import { Effect, Result } from "effect"
import { checkHost, inCidrs, literalAddress } from "../../domain/address.ts"
import { type HttpUrl, normaliseUrl, parseHttpUrl, urlKey } from "../../domain/url.ts"
import { saidOf } from "../descriptor.ts"
import { Refusal } from "../exit.ts"
import { visible } from "../logging.ts"
import { decodeText } from "./encoding.ts"

/** Largest list of seeds, in bytes: some 300,000 URLs; more belongs in several lists (bad input B137). */
export const SEED_BYTES_MAX = 16 * 1024 * 1024
/** Rejected URLs are quoted up to this many characters. */
const QUOTED_MAX = 200

/** A URL that is left out, and why. */
export interface Refused {
  /** Where it stands: `seeds.txt:37`, `argument 2`. */
  readonly where: string
  readonly input: string
  readonly code: string
  readonly message: string
}
export interface Seeds {
  /** Each page once, in the order given. */
  readonly urls: ReadonlyArray<HttpUrl>
  readonly refused: ReadonlyArray<Refused>
  /** Lines that name a page named before. */
  readonly repeated: number
}

/**
 * May this URL be fetched, as far as its text tells? Private addresses and odd ports only inside ALLOW_PRIVATE_CIDRS; a
 * name is checked again by its addresses when it is dialled.
 * @source bad inputs B045–B079, B144
 */
export const checkUrl = (
  text: string,
  cidrs: ReadonlyArray<string>
): Result.Result<HttpUrl, { readonly code: string; readonly message: string }> => {
  const url = parseHttpUrl(text, { anyPort: true })
  if (Result.isFailure(url)) return url
  const { hostname } = url.success
  const literal = literalAddress(hostname)
  const mayBeInside = cidrs.length > 0 && (literal === null || inCidrs(literal, cidrs))
  if (mayBeInside) return url
  const host = checkHost(hostname)
  return Result.isFailure(host)
    ? Result.fail({ code: "address_refused", message: `${hostname}: ${host.failure} (see ALLOW_PRIVATE_CIDRS)` })
    : parseHttpUrl(text)
}

/** Sorts URLs into those to crawl, those refused and those that came before under another spelling. */
export const sift = (
  lines: Iterable<{ readonly where: string; readonly text: string }>,
  cidrs: ReadonlyArray<string>
): Seeds => {
  const urls = new Map<string, HttpUrl>()
  const refused: Array<Refused> = []
  let repeated = 0
  for (const { where, text } of lines) {
    const checked = checkUrl(text, cidrs)
    if (Result.isFailure(checked)) {
      refused.push({ where, input: text.slice(0, QUOTED_MAX), ...checked.failure })
      continue
    }
    const key = urlKey(normaliseUrl(checked.success.href))
    if (urls.has(key)) repeated += 1
    else urls.set(key, checked.success)
  }
  return { urls: [...urls.values()], refused, repeated }
}

/** Lines that say something: not blank, no `#` comment. CRLF, CR and LF end a line alike (B138). */
export const seedLines = (
  name: string,
  text: string
): ReadonlyArray<{ readonly where: string; readonly text: string }> =>
  text
    .split(/\r\n|\n|\r/)
    .map((line, at) => ({ where: `${name}:${at + 1}`, text: line.trim() }))
    .filter((it) => it.text !== "" && !it.text.startsWith("#"))

/** An input file as messages name it. */
export const inputName = (path: string): string => (path === "-" ? "stdin" : path)

const unreadable = (path: string, why: string) =>
  new Refusal({
    exit: "input",
    message: `${visible(inputName(path))}: ${why}; expected a text file of at most ${SEED_BYTES_MAX} bytes`
  })

const kindOf = (stats: Stats): string | null =>
  stats.isFile()
    ? null
    : stats.isDirectory()
      ? "is a directory"
      : stats.isFIFO()
        ? "is a pipe (use - for standard input)"
        : "is no regular file"

const readBounded = async (stream: ReadableStream<Uint8Array>): Promise<Uint8Array | null> => {
  const parts: Array<Uint8Array> = []
  let bytes = 0
  for await (const part of stream) {
    bytes += part.byteLength
    if (bytes > SEED_BYTES_MAX) return null
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** The bytes of an input file, `-` being standard input. Only regular files: a device or pipe may never end (B137). */
export const readInput = Effect.fn("readInput")(function* (path: string): Effect.fn.Return<Uint8Array, Refusal> {
  if (path !== "-") {
    const stats = yield* Effect.try({
      try: () => statSync(path),
      catch: (cause) => unreadable(path, saidOf(cause))
    })
    const kind = kindOf(stats)
    if (kind !== null) return yield* unreadable(path, kind)
    if (stats.size > SEED_BYTES_MAX) return yield* unreadable(path, `has ${stats.size} bytes`)
  }
  const bytes = yield* Effect.tryPromise({
    try: () => readBounded(path === "-" ? Bun.stdin.stream() : Bun.file(path).stream()),
    catch: (cause) => unreadable(path, saidOf(cause))
  })
  return bytes ?? (yield* unreadable(path, "is larger"))
})

/** A text file in UTF-8, UTF-16 or EUC-KR. What is none of them is exit 65 with the first bad byte (B139). */
export const readText = Effect.fn("readText")(function* (path: string): Effect.fn.Return<string, Refusal> {
  const decoded = decodeText(yield* readInput(path))
  return Result.isSuccess(decoded)
    ? decoded.success
    : yield* new Refusal({ exit: "data", message: `${visible(inputName(path))}: ${decoded.failure}` })
})

/** URLs given on the command line and in a list. With `strict` the first bad line refuses all (exit 65, B142). */
export const readSeeds = Effect.fn("readSeeds")(function* (given: {
  readonly words: ReadonlyArray<string>
  readonly file: string | null
  readonly strict: boolean
  readonly cidrs: ReadonlyArray<string>
}): Effect.fn.Return<Seeds, Refusal> {
  const { words, file, strict, cidrs } = given
  const inFile = file === null ? [] : seedLines(inputName(file), yield* readText(file))
  const seeds = sift([...words.map((text, at) => ({ where: `argument ${at + 1}`, text })), ...inFile], cidrs)
  const [first] = seeds.refused
  if (strict && first !== undefined) {
    return yield* new Refusal({ exit: "data", message: `${refusedText(first)} (--strict: nothing was taken)` })
  }
  if (file !== null && words.length === 0 && inFile.length === 0) {
    return yield* new Refusal({ exit: "nothing", message: `${visible(inputName(file))}: no URL in it` })
  }
  return seeds
})

/** One line per refused URL, for standard error. */
export const refusedText = ({ where, input, code, message }: Refused): string =>
  `${visible(where)}: ${visible(input)} is left out: ${code}: ${visible(message)}`
