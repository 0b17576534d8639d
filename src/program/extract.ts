import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import { Clock, Effect, Schema } from "effect"
import type { Article } from "../domain/article.ts"
import type { CrawlJob } from "../domain/crawl.ts"
import type { RawPage } from "../domain/fetching.ts"
import { articleOf } from "../domain/identity.ts"
import { Policy } from "../domain/policy.ts"
import { Reader } from "../domain/ports.ts"
import type { DocumentKind, Reading } from "../domain/reading.ts"
import { seedJob } from "../domain/seed.ts"
import { type HttpUrl, identityOf, parseHttpUrl, registrableDomain } from "../domain/url.ts"
import { validateArticle } from "../domain/validate.ts"
import { inputName } from "../infra/cli/seeds.ts"
import { Settings } from "../infra/config.ts"
import { saidOf } from "../infra/descriptor.ts"
import { Refusal } from "../infra/exit.ts"

/** One saved page to read: a line of a manifest, or the one page of the command line. */
export const Saved = Schema.Struct({ id: Schema.optionalKey(Schema.String), path: Schema.String, url: Schema.String })
export type Saved = typeof Saved.Type

/** A line of output: the article, or why there is none. */
export type Line =
  | (Article & {
      readonly rejected?: ReadonlyArray<string>
      readonly kind: DocumentKind
      readonly is_article: boolean
    })
  | { readonly id: string | null; readonly url: string; readonly error: string; readonly [fact: string]: unknown }

/** The bytes of a file, at most `max`; a pipe is read to its end. Fails with why it cannot be read, in words. */
const bytesOf = (path: string, max: number): Effect.Effect<Uint8Array, string> =>
  Effect.try({
    try: () => {
      const file = path === "-" ? 0 : openSync(path, "r")
      const stat = fstatSync(file)
      if (stat.isDirectory()) return "is a directory"
      const parts: Array<Uint8Array> = []
      let total = 0
      for (let read = -1; read !== 0; ) {
        const part = Buffer.allocUnsafe(65_536)
        read = readSync(file, part, 0, part.length, null)
        total += read
        if (total > max) return `is larger than FETCH_INFLATED_MAX_BYTES (${max})`
        parts.push(part.subarray(0, read))
      }
      if (file !== 0) closeSync(file)
      return Buffer.concat(parts)
    },
    catch: saidOf
  }).pipe(Effect.flatMap((it) => (typeof it === "string" ? Effect.fail(it) : Effect.succeed(it))))

const pageOf = (url: HttpUrl, bytes: number, now: number): { readonly job: CrawlJob; readonly raw: RawPage } => {
  const { job } = seedJob(url, { type: "auto", hops: 0, lists: false, category: null, visit: 0 }, now)
  const raw: RawPage = {
    id: job.id,
    url: url.href,
    final_url: url.href,
    host: url.hostname,
    status: 200,
    content_type: null,
    fetcher: "file",
    fetched_at: now,
    elapsed_ms: 0,
    bytes,
    truncated: false,
    hops: [],
    validators: { etag: null, last_modified: null }
  }
  return { job, raw }
}

/** What a page is (its first reading), and whether the text of its second is an article's. */
interface Shown {
  readonly codes: ReadonlyArray<string>
  readonly shown: Pick<Reading, "kind" | "verdict">
}

const lineOf = (
  saved: Saved,
  url: HttpUrl,
  bytes: number,
  reading: Reading,
  now: number,
  { codes, shown }: Shown
): Line => {
  const { content, kind, verdict, evidence, links } = reading
  if (content === null) {
    const facts = { kind, verdict, evidence, links: links.length }
    return { id: saved.id ?? null, url: saved.url, error: `no article: ${kind}, ${verdict}`, ...facts }
  }
  const { job, raw } = pageOf(url, bytes, now)
  const { identity } = identityOf({ url: url.href, canonical: content.canonical_url, rulePattern: null })
  const article = articleOf(job, raw, content, verdict, { scope: registrableDomain(url.hostname), identity }, now)
  const is_article = shown.kind === "article" && codes.length === 0
  return {
    ...article,
    id: saved.id ?? article.id,
    kind: shown.kind,
    is_article,
    ...(codes.length === 0 ? {} : { rejected: codes })
  }
}

/** Verdicts of pages whose text is their own. */
const readable: ReadonlySet<Reading["verdict"]> = new Set(["ok", "paywall", "charset_uncertain"])

/** Reads one saved page. What is no article is a line that says so; fails where the input itself is wrong: its URL, or its file. */
export const extract = Effect.fnUntraced(function* (saved: Saved) {
  const { FETCH_INFLATED_MAX_BYTES } = yield* Settings
  const { article: bounds, html } = yield* Policy
  const failed = (error: string): Line => ({ id: saved.id ?? null, url: saved.url, path: saved.path, error })
  const url = parseHttpUrl(saved.url, { anyPort: true })
  if (url._tag === "Failure") {
    return yield* new Refusal({ exit: "data", message: `url: ${url.failure.code}: ${url.failure.message}` })
  }
  const body = yield* Effect.mapError(
    bytesOf(saved.path, FETCH_INFLATED_MAX_BYTES),
    (why) => new Refusal({ exit: "input", message: `${inputName(saved.path)}: ${why}` })
  )
  const now = yield* Clock.currentTimeMillis
  const reader = yield* Reader
  const hints = {
    url: url.success.href,
    expected: "auto",
    status: 200,
    content_type: null,
    truncated: false,
    fetched_at: now,
    html
  } as const
  const key = `${saved.id ?? ""} ${saved.path}`
  const reading = yield* Effect.result(reader.read(key, body, hints))
  if (reading._tag === "Failure") return failed(reading.failure.message)
  const shown = reading.success
  // Who asks for a page's text gets it, whatever the page is: `kind` and `is_article` say what a crawl would make of it.
  const isText = (shown.kind === "list" || shown.kind === "unknown") && readable.has(shown.verdict)
  const again = isText
    ? yield* Effect.result(reader.read(`${key} as article`, body, { ...hints, expected: "article" }))
    : reading
  if (again._tag === "Failure") return failed(again.failure.message)
  const { content } = again.success
  const codes = content === null ? [] : validateArticle(content, bounds).map((it) => it.code)
  const found = content === null || content.text === "" ? shown : again.success
  return lineOf(saved, url.success, body.length, found, now, { codes, shown })
})
