import { Clock, Effect } from "effect"
import type { Millis } from "../domain/crawl.ts"
import { Fatal, Retryable } from "../domain/errors.ts"
import type { RawPage, Validators } from "../domain/fetching.ts"
import { headerOptOuts } from "../domain/optout.ts"
import { retryAfter } from "../domain/retryafter.ts"
import type { Answer } from "./dial.ts"
import { type InflateLimits, inflate } from "./inflate.ts"
import { redirectOf } from "./location.ts"

/** The page at the end of a redirect chain: all of a raw page that its last answer tells. */
export type Arrived = Pick<
  RawPage,
  "final_url" | "status" | "content_type" | "fetcher" | "bytes" | "truncated" | "validators" | "ai_opt_outs"
> & { readonly body: Uint8Array }

/** What one answer means for the chain. */
export type Step =
  | {
      readonly tag: "redirect"
      readonly to: string
      readonly status: number
      readonly setCookie: ReadonlyArray<string>
    }
  | { readonly tag: "page"; readonly page: Arrived }

export interface BodyLimits extends InflateLimits {
  /** Bytes on the wire (FETCH_BODY_MAX_BYTES). */
  readonly wireMax: number
}

/** 408, 429 and 5xx: the page may be there later. */
const passing = ({ status, headers, url }: Answer, now: Millis): Retryable | null => {
  if (status !== 408 && status !== 429 && status < 500) return null
  const after = retryAfter(headers.get("retry-after"), now)
  const code = status === 429 ? "http_429" : "http_5xx"
  return new Retryable({ code, message: `${url.hostname} answered ${status}`, ...(after === null ? {} : { after }) })
}

const notModified = (headers: Headers, url: string, validators: Validators): Arrived => ({
  final_url: url,
  status: 304,
  content_type: headers.get("content-type"),
  fetcher: "http",
  bytes: 0,
  truncated: false,
  // A 304 need not repeat them; those replayed stay good.
  validators: {
    etag: headers.get("etag") ?? validators.etag,
    last_modified: headers.get("last-modified") ?? validators.last_modified
  },
  body: new Uint8Array(0)
})

const bodyOf = Effect.fnUntraced(function* (answer: Answer, url: string, limits: BodyLimits) {
  const { wireMax } = limits
  const tooLarge = () =>
    new Fatal({ code: "body_too_large", message: `${url} has more than ${wireMax} bytes on the wire` })
  if (answer.length > wireMax) return yield* tooLarge()
  const wire = yield* answer.read(wireMax)
  if (wire.end === "over") return yield* tooLarge()
  const { bytes, truncated } = yield* inflate(wire.bytes, answer.headers.get("content-encoding"), limits).pipe(
    Effect.catchTags({
      TooLarge: ({ code, message }) => Effect.fail(new Fatal({ code, message: `${url}: ${message}` })),
      Undecodable: ({ message }) => Effect.fail(new Retryable({ code: "partial", message: `${url}: ${message}` }))
    })
  )
  return { bytes, truncated: truncated || wire.end === "broken" }
})

const pageOf = Effect.fnUntraced(function* (answer: Answer, url: string, limits: BodyLimits, agent: string) {
  const { status, headers } = answer
  const { bytes, truncated } = yield* bodyOf(answer, url, limits)
  const page: Arrived = {
    final_url: url,
    status,
    content_type: headers.get("content-type"),
    fetcher: "http",
    bytes: bytes.length,
    // Nobody asked for a part.
    truncated: truncated || status === 206,
    validators: { etag: headers.get("etag"), last_modified: headers.get("last-modified") },
    ai_opt_outs: headerOptOuts((name) => headers.get(name), agent),
    body: bytes
  }
  return page
})

/**
 * Reads one answer, as the crawler with this product token. Every status that has something to judge is a page, also 404; 408, 429 and 5xx are Retryable.
 * @source DESIGN "Security", field cases B21 and B23
 */
export const stepOf = Effect.fnUntraced(function* (
  answer: Answer,
  url: string,
  validators: Validators | null,
  limits: BodyLimits,
  agent: string
) {
  const { status, headers } = answer
  const to = redirectOf(status, headers, url)
  if (to !== null) {
    yield* answer.discard
    const step: Step = { tag: "redirect", to, status, setCookie: headers.getSetCookie() }
    return step
  }
  const trouble = passing(answer, yield* Clock.currentTimeMillis)
  if (trouble !== null) {
    yield* answer.discard
    return yield* trouble
  }
  if (status === 304 && validators === null) {
    return yield* new Retryable({ code: "partial", message: `${url} answered 304 to an unconditional request` })
  }
  const page =
    status === 304 && validators !== null
      ? notModified(headers, url, validators)
      : yield* pageOf(answer, url, limits, agent)
  const step: Step = { tag: "page", page }
  return step
})
