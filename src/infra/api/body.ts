import { Effect } from "effect"
import { type Answer, failure } from "./envelope.ts"

/** Deepest nesting of a JSON body: parsers and schemas recurse, so depth is bounded before either sees it (B088). */
const JSON_DEPTH_MAX = 32

/** Nesting of a JSON text, strings skipped; stops counting one above the bound. */
export const jsonDepth = (text: string): number => {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let at = 0; at < text.length && deepest <= JSON_DEPTH_MAX; at++) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === 0x5c) at += 1
      else if (code === 0x22) inString = false
    } else if (code === 0x22) inString = true
    else if (code === 0x5b || code === 0x7b) deepest = Math.max(deepest, ++depth)
    else if (code === 0x5d || code === 0x7d) depth -= 1
  }
  return deepest
}

const tooLarge = (bytesMax: number) =>
  // The rest of the body is still on its way: the connection cannot be used again.
  failure(413, "body_too_large", `the body is over ${bytesMax} bytes (HTTP_BODY_MAX_BYTES)`, {
    headers: { connection: "close" }
  })

const missing = failure(400, "body_missing", "a JSON body is expected")

const collect = async (body: ReadableStream<Uint8Array>, bytesMax: number): Promise<Uint8Array | null> => {
  const parts: Array<Uint8Array> = []
  let bytes = 0
  for await (const part of body) {
    bytes += part.byteLength
    if (bytes > bytesMax) return null
    parts.push(part)
  }
  return Buffer.concat(parts)
}

const headerFault = (headers: Headers, bytesMax: number): Answer | null => {
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase()
  if (type !== "application/json") {
    return failure(415, "content_type", "Content-Type must be application/json")
  }
  if (!/^(identity)?$/i.test(headers.get("content-encoding") ?? "")) {
    return failure(415, "content_encoding", "Content-Encoding is not taken: send the body as it is")
  }
  return Number(headers.get("content-length") ?? 0) > bytesMax ? tooLarge(bytesMax) : null
}

const parse = (bytes: Uint8Array): Effect.Effect<unknown, Answer> =>
  Effect.gen(function* () {
    if (bytes.byteLength === 0) return yield* Effect.fail(missing)
    const text = yield* Effect.try({
      try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
      catch: () => failure(400, "json_invalid", "the body is not UTF-8")
    })
    if (jsonDepth(text) > JSON_DEPTH_MAX) {
      return yield* Effect.fail(failure(400, "json_too_deep", `the body nests deeper than ${JSON_DEPTH_MAX}`))
    }
    return yield* Effect.try({
      try: (): unknown => JSON.parse(text),
      catch: (cause) => failure(400, "json_invalid", `the body is not JSON: ${String(cause).slice(0, 200)}`)
    })
  })

/** The JSON of a request and its bytes. Bytes are counted as read, so a body without a length is bounded too (B083). */
export const readJson = Effect.fn("readJson")(function* (request: Request, bytesMax: number) {
  const body = request.body
  if (body === null) return yield* Effect.fail(missing)
  const fault = headerFault(request.headers, bytesMax)
  if (fault !== null) return yield* Effect.fail(fault)
  const bytes = yield* Effect.tryPromise({
    try: () => collect(body, bytesMax),
    catch: () => failure(400, "body_broken", "the body ended early")
  })
  if (bytes === null) return yield* Effect.fail(tooLarge(bytesMax))
  return { bytes, value: yield* parse(bytes) }
})
