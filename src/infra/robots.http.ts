import { Cache, Clock, Duration, Effect, Exit, Layer } from "effect"
import type { Millis } from "../domain/crawl.ts"
import { type Fatal, Retryable } from "../domain/errors.ts"
import { Robots, type RobotsAnswer } from "../domain/ports.ts"
import { parseRobots, ROBOTS_BYTES_MAX, type RobotsRules, verdict } from "../domain/robots.ts"
import { Settings } from "./config.ts"
import { type Answer, Dialler } from "./dial.ts"
import { type InflateLimits, inflate } from "./inflate.ts"
import { redirectOf } from "./location.ts"

/** Origins remembered. */
const ORIGINS_MAX = 10_000
/** Bytes of all files remembered: few are larger than some kilobytes, so this is met only by mischief. */
const MEMORY_BYTES_MAX = 134_217_728
/** Redirects followed; a longer chain counts as no file (RFC 9309 §2.3.1.2). */
const REDIRECTS_MAX = 5
/** A coded file may inflate to this: more than is read of it anyway. */
const LIMITS: InflateLimits = { bytesMax: 8 * ROBOTS_BYTES_MAX, ratioMax: 200 }

/** What is known of an origin: its rules, or why it has none. */
type Known =
  | { readonly tag: "rules"; readonly rules: RobotsRules; readonly bytes: number }
  | { readonly tag: "none"; readonly why: string }
  | { readonly tag: "unreachable"; readonly why: string; readonly until: Millis }
  /** The guard refuses the very origin, as it will refuse the page: that is its word to say, not that of robots.txt. */
  | { readonly tag: "barred"; readonly why: string }

type Step = { readonly tag: "redirect"; readonly to: string } | Exclude<Known, { tag: "unreachable" }> | Failed
interface Failed {
  readonly tag: "failed"
  readonly why: string
}

const looksLikeHtml = (body: Uint8Array): boolean =>
  new TextDecoder().decode(body.subarray(0, 256)).trimStart().startsWith("<")

const read = Effect.fnUntraced(function* (answer: Answer, agent: string) {
  const wire = yield* answer.read(ROBOTS_BYTES_MAX)
  // Half a file may lack the very rule that matters.
  if (wire.end === "broken") return yield* new Retryable({ code: "partial", message: "connection lost" })
  const { bytes } = yield* inflate(wire.bytes, answer.headers.get("content-encoding"), LIMITS)
  const rules = parseRobots(bytes, agent)
  const step: Step =
    rules.groups === 0 && looksLikeHtml(bytes)
      ? { tag: "none", why: "robots.txt is a page of HTML: no groups" }
      : { tag: "rules", rules, bytes: bytes.length }
  return step
})

const barred = ({ message }: Fatal): Effect.Effect<Step> => Effect.succeed({ tag: "barred", why: message })

/** What an answer means (RFC 9309 §2.3.1): no file allows, an origin in trouble does not. */
const judge =
  (agent: string) =>
  (answer: Answer): Effect.Effect<Step> => {
    const { status } = answer
    const to = redirectOf(status, answer.headers, answer.url.href)
    if (to !== null) return Effect.as(answer.discard, { tag: "redirect", to })
    if (status >= 500 || status === 429) return Effect.succeed({ tag: "failed", why: `robots.txt answered ${status}` })
    if (status >= 300) return Effect.as(answer.discard, { tag: "none", why: `robots.txt answered ${status}` })
    return read(answer, agent).pipe(
      Effect.catch((error) => Effect.succeed<Step>({ tag: "failed", why: `robots.txt: ${error.message}` }))
    )
  }

/** Trouble refuses until it is asked for again. */
const settled = (step: Exclude<Step, { tag: "redirect" }>, errorLife: Duration.Duration): Effect.Effect<Known> =>
  step.tag !== "failed"
    ? Effect.succeed(step)
    : Effect.map(Clock.currentTimeMillis, (now) => ({
        tag: "unreachable",
        why: step.why,
        until: now + Duration.toMillis(errorLife)
      }))

/** Loads the file of an origin. Never fails: all trouble is an answer. */
const loader = (settings: Settings["Service"], dialler: Dialler["Service"]) => {
  const headers = {
    "User-Agent": settings.USER_AGENT,
    Accept: "text/plain,*/*;q=0.5",
    "Accept-Encoding": "gzip, br, zstd"
  }
  const walk = Effect.fnUntraced(function* (origin: string) {
    let at = `${origin}/robots.txt`
    for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
      const get = dialler.get(at, headers, judge(settings.USER_AGENT_TOKEN))
      const step: Step = yield* hop === 0 ? Effect.catchTag(get, "Fatal", barred) : get
      if (step.tag !== "redirect") return step
      at = step.to
    }
    return { tag: "none", why: `robots.txt redirects more than ${REDIRECTS_MAX} times` } as const
  })
  return (origin: string) =>
    walk(origin).pipe(
      Effect.timeoutOrElse({
        duration: settings.FETCH_TIMEOUT,
        orElse: () => Effect.succeed<Failed>({ tag: "failed", why: "robots.txt: no whole answer in time" })
      }),
      Effect.catch((error) => Effect.succeed<Failed>({ tag: "failed", why: `robots.txt: ${error.message}` })),
      Effect.flatMap((step) => settled(step, settings.ROBOTS_ERROR_TTL))
    )
}

const make = Effect.gen(function* () {
  const settings = yield* Settings
  const lives = {
    rules: settings.ROBOTS_TTL,
    none: settings.ROBOTS_TTL,
    unreachable: settings.ROBOTS_ERROR_TTL,
    barred: Duration.zero
  }
  const files = yield* Cache.makeWith(loader(settings, yield* Dialler), {
    capacity: ORIGINS_MAX,
    timeToLive: (exit) => (Exit.isSuccess(exit) ? lives[exit.value.tag] : Duration.zero)
  })
  const remembered = bounded((origin) => Cache.invalidate(files, origin))

  const check = Effect.fnUntraced(function* (url: string) {
    const { origin = "", pathname } = URL.parse(url) ?? {}
    if (!/^https?:/.test(origin)) return refusal(`${url} is no http or https URL`)
    if (pathname === "/robots.txt") return allowance("robots.txt itself may always be read")
    const file = yield* Cache.get(files, origin)
    if (file.tag === "rules") yield* remembered(origin, file.bytes)
    return answerOf(file, url)
  })
  const known = (url: string) => Cache.has(files, URL.parse(url)?.origin ?? "")
  return Robots.of({ check, known })
})

const allowance = (reason: string): RobotsAnswer => ({ allowed: true, reason, crawl_delay_ms: null })
const refusal = (reason: string): RobotsAnswer => ({ allowed: false, reason, crawl_delay_ms: null })

const answerOf = (file: Known, url: string): RobotsAnswer => {
  if (file.tag === "none" || file.tag === "barred") return allowance(`allowed: ${file.why}`)
  if (file.tag === "unreachable") return { ...refusal(file.why), until: file.until }
  const { ai_opt_outs, crawl_delay_ms } = file.rules
  const { allowed, rule } = verdict(file.rules, url)
  const answer = { allowed, reason: rule ?? "allowed by robots.txt", crawl_delay_ms }
  return ai_opt_outs.length === 0 ? answer : { ...answer, ai_opt_outs }
}

/** Keeps the sum of remembered files below its bound: the file remembered first is forgotten first. */
const bounded = (forget: (origin: string) => Effect.Effect<void>) => {
  const sizes = new Map<string, number>()
  let sum = 0
  return Effect.fnUntraced(function* (origin: string, bytes: number) {
    const before = sizes.get(origin)
    if (before === bytes) return
    sizes.set(origin, bytes)
    sum += bytes - (before ?? 0)
    for (const [oldest, size] of sizes) {
      if (sum <= MEMORY_BYTES_MAX && sizes.size <= ORIGINS_MAX) return
      sizes.delete(oldest)
      sum -= size
      yield* forget(oldest)
    }
  })
}

/** robots.txt over HTTP, through the guard, remembered by origin; one load of an origin at a time. */
export const layer: Layer.Layer<Robots, never, Dialler | Settings> = Layer.effect(Robots, make)
