import { Duration, Effect, Layer, Result } from "effect"
import type { Unavailable } from "../domain/errors.ts"
import { Hosts, Robots } from "../domain/ports.ts"
import { feedsIn } from "../domain/research/feeds.ts"
import { Sites } from "../domain/research.ts"
import { parseRobots } from "../domain/robots.ts"
import { Settings } from "./config.ts"
import { Dialler } from "./dial.ts"
import { hostOf, visiting } from "./hop.ts"
import { inflate } from "./inflate.ts"
import { redirectOf } from "./location.ts"

/** Bytes taken of a front page: its head names the feeds; and of a robots.txt (RFC 9309 2.5). */
const PAGE_BYTES = 1_048_576
const ROBOTS_BYTES = 512_000
/** Hops to a front page, and the whole look. */
const HOPS_MAX = 5
const LOOK_TIMEOUT = Duration.seconds(20)
/** Longest wait for a site's slot. */
const WAIT_MAX = Duration.seconds(10)
const FOUND_MAX = 20

interface Way {
  readonly dialler: Dialler["Service"]
  readonly hosts: Hosts["Service"]
  readonly robots: Robots["Service"]
  readonly agent: string
  readonly token: string
}

type May = (url: string) => Effect.Effect<boolean, Unavailable>

/** One document as text and where it came from; null: there is none to be had. Each hop on the way is asked about before. */
const get = Effect.fnUntraced(function* (way: Way, start: string, bytesMax: number, may: May) {
  let url: string | null = start
  for (let hop = 0; url !== null && hop <= HOPS_MAX; hop++) {
    const here: string = url
    if (!(yield* may(here))) return null
    const headers = { "user-agent": way.agent, "accept-encoding": "gzip" }
    const got: { readonly to: string | null; readonly bytes: Uint8Array | null } = yield* visiting(
      way.hosts,
      { home: "", url: here, waitMax: WAIT_MAX },
      way.dialler.get(here, headers, (answer) =>
        Effect.gen(function* () {
          const to = redirectOf(answer.status, answer.headers, here)
          if (to !== null || answer.status !== 200) return { to, bytes: null }
          const wire = yield* answer.read(bytesMax)
          const limits = { bytesMax: bytesMax * 4, ratioMax: 200 }
          const { bytes } = yield* inflate(wire.bytes, answer.headers.get("content-encoding"), limits).pipe(
            Effect.catch(() => Effect.succeed({ bytes: wire.bytes, truncated: true }))
          )
          return { to: null, bytes }
        })
      )
    )
    if (got.bytes !== null) return { url: here, bytes: got.bytes }
    url = got.to
  }
  return null
})

const look = Effect.fnUntraced(function* (way: Way, home: string) {
  const robots = yield* Effect.result(
    get(way, new URL("/robots.txt", home).href, ROBOTS_BYTES, () => Effect.succeed(true))
  )
  const listed =
    Result.isSuccess(robots) && robots.success !== null ? parseRobots(robots.success.bytes, way.token).sitemaps : []
  const allowed: May = (url) => Effect.map(way.robots.check(url), (it) => it.allowed)
  const page = yield* Effect.result(get(way, home, PAGE_BYTES, allowed))
  const found = Result.isSuccess(page) ? page.success : null
  const feeds = found === null ? [] : feedsIn(new TextDecoder().decode(found.bytes), found.url)
  const sitemaps = listed.flatMap((it) => URL.parse(it, home)?.href ?? [])
  return { feeds: feeds.slice(0, FOUND_MAX), sitemaps: [...new Set(sitemaps)].slice(0, FOUND_MAX) }
})

/** Looks at front page and robots.txt of a site, in its host's slot and by its rules. What cannot be had names nothing. */
export const layer: Layer.Layer<Sites, never, Dialler | Hosts | Robots | Settings> = Layer.effect(
  Sites,
  Effect.gen(function* () {
    const { USER_AGENT, USER_AGENT_TOKEN } = yield* Settings
    const way: Way = {
      dialler: yield* Dialler,
      hosts: yield* Hosts,
      robots: yield* Robots,
      agent: USER_AGENT,
      token: USER_AGENT_TOKEN
    }
    return Sites.of({
      look: (home) =>
        look(way, home).pipe(
          Effect.timeoutOrElse({ duration: LOOK_TIMEOUT, orElse: () => Effect.succeed({ feeds: [], sitemaps: [] }) }),
          Effect.tap((found) =>
            Effect.logDebug(`${hostOf(home)}: ${found.feeds.length} feeds, ${found.sitemaps.length} sitemaps`)
          )
        )
    })
  })
)
