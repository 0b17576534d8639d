import { Effect, Option, Schema } from "effect"
import { type Retryable, Suspendable } from "../domain/errors.ts"
import type { Find } from "../domain/research/assemble.ts"
import { type Asked, decoded, get, hostOf, type Reply, refusal, type Way, withQuery } from "./discovery.json.ts"

/** Results of one page, and of one query: the API gives no more than ten pages of ten. */
const PAGE = 10
const QUERY_MAX = 100

const text = Schema.optionalKey(Schema.NullOr(Schema.String))
/** What is read of a Programmable Search answer; a query without results has no `items`. */
const Answer = Schema.Struct({
  kind: Schema.Literal("customsearch#search"),
  items: Schema.optionalKey(Schema.Array(Schema.Struct({ link: Schema.String, title: text, snippet: text }))),
  queries: Schema.optionalKey(
    Schema.Struct({
      nextPage: Schema.optionalKey(Schema.Array(Schema.Struct({ startIndex: Schema.optionalKey(Schema.Int) })))
    })
  )
})
/** Google's error form: the reason beats the status. */
const Trouble = Schema.fromJsonString(
  Schema.Struct({
    error: Schema.Struct({
      message: text,
      status: text,
      errors: Schema.optionalKey(Schema.Array(Schema.Struct({ reason: text }))),
      details: Schema.optionalKey(Schema.Array(Schema.Struct({ reason: text })))
    })
  })
)

/** The day's queries are used up. A limit per minute, or `rateLimitExceeded` without a quota, is a matter of seconds. */
const QUOTA = /dailyLimit|quota/i
const BRIEF = /per (?:second|minute|100 seconds)/i
const AUTH =
  /keyInvalid|API_KEY_|accessNotConfigured|forbidden|PERMISSION_DENIED|UNAUTHENTICATED|key not valid|required/i

/** What an unhappy answer means: quota and keys wait for an operator, the rest for a better moment. */
const trouble = (url: string, reply: Reply): Retryable | Suspendable => {
  const { status } = reply
  const said = Option.getOrNull(Schema.decodeUnknownOption(Trouble)(reply.text))?.error
  const reasons = [
    said?.status,
    said?.message,
    ...[...(said?.errors ?? []), ...(said?.details ?? [])].map((it) => it.reason)
  ]
  const all = reasons.flatMap((it) => it ?? []).join(" ")
  const message = `${hostOf(url)} answered ${status}: ${said?.message ?? "no reason"}`.slice(0, 300)
  if ((status === 429 || status === 403) && QUOTA.test(all) && !BRIEF.test(all))
    return new Suspendable({ code: "quota", message })
  if (status === 401 || ((status === 400 || status === 403) && AUTH.test(all))) {
    return new Suspendable({ code: "auth", message })
  }
  return refusal(url, reply)
}

interface Access {
  readonly url: string
  readonly key: string | null
  readonly engine: string | null
}

/** Google Programmable Search (S5.8): structured queries, in pages of ten up to RESEARCH_RESULTS_MAX. */
export const google = (way: Way, { url, key, engine }: Access): Asked => ({
  host: hostOf(url),
  ask: Effect.fnUntraced(function* (query: string) {
    if (key === null || engine === null) {
      return yield* new Suspendable({ code: "auth", message: "google_search needs GOOGLE_API_KEY and GOOGLE_CSE_ID" })
    }
    const most = Math.min(QUERY_MAX, way.resultsMax)
    const finds: Array<Find> = []
    let start: number | undefined = 1
    while (start !== undefined && start + PAGE - 1 <= QUERY_MAX && finds.length < most) {
      const asked = withQuery(url, { key, cx: engine, q: query, num: String(PAGE), start: String(start) })
      const reply = yield* get(way, asked)
      if (reply.status !== 200) return yield* trouble(url, reply)
      const page = yield* decoded(url, Answer, reply.text)
      for (const { link, title, snippet } of page.items ?? []) {
        finds.push({ url: link, title: title ?? null, description: snippet ?? null, language: null })
      }
      const next: number | undefined = page.queries?.nextPage?.[0]?.startIndex
      start = next !== undefined && next > start && (page.items ?? []).length > 0 ? next : undefined
    }
    return finds.filter((it) => URL.canParse(it.url)).slice(0, most)
  })
})
