/**
 * Proof liveness: 1,000 fixture domains of each of 21 kinds (alive, HEAD refused, moved within the site, bad certificate, blocked,
 * captcha, moved away, errors, dead in four ways) are checked over TLS: every one gets the right status and ssl_valid.
 */
import { Effect, Layer } from "effect"
import type { Checked, LivenessStatus } from "../../src/domain/liveness.ts"
import { Prober } from "../../src/domain/research.ts"
import * as dial from "../../src/infra/dial.ts"
import { Resolver } from "../../src/infra/dns.ts"
import * as guard from "../../src/infra/guard.ts"
import * as hosts from "../../src/infra/hosts.memory.ts"
import * as prober from "../../src/infra/liveness.http.ts"
import { kinds, siteServers } from "../../test/support/discovery/sites.ts"
import { settingsOf } from "../../test/support/store.ts"
import { Missing, prove } from "./proof.ts"

const COUNT = Number(process.env.COUNT ?? 1000)
/** Checks in flight: the most that the adaptive rule ever allows. */
const CONCURRENCY = 50
/**
 * Time limit of a check. Only silent domains ever reach it, so theirs is short; the others' is so long that a busy machine, on which
 * servers and prober share two cores, changes no verdict.
 */
const limitOf = (kind: string): string => (kinds[kind]?.at === "silent" ? "2s" : "60s")
const statuses: ReadonlyArray<LivenessStatus> = ["alive", "blocked", "redirect", "error", "dead"]

const right = (kind: string, it: Checked): boolean => {
  const wanted = kinds[kind]
  if (wanted === undefined || it.status !== wanted.status) return false
  const tls = wanted.at === "site" ? kind !== "badcert" : null
  return it.ssl_valid === tls && (it.status === "alive") === (it.error === null || kind === "badcert")
}

await prove(async (bench) => {
  const servers = siteServers()
  if (servers === null) throw new Missing("openssl is not on this machine")
  bench.later(servers.stop)
  const resolver = Layer.succeed(Resolver, {
    resolve: (name) => {
      const found = servers.resolve(name)
      return found === null
        ? Effect.fail({ _tag: "NoAddress", message: `no address for ${name}: ENOTFOUND` } as const)
        : Effect.succeed([found])
    }
  })
  const services = (limit: string) =>
    prober
      .layer({ port: servers.port })
      .pipe(
        Layer.provide(Layer.mergeAll(dial.layer({ ca: [servers.ca] }).pipe(Layer.provide(guard.layer)), hosts.layer())),
        Layer.provide(
          Layer.merge(
            settingsOf({ ALLOW_PRIVATE_CIDRS: "127.0.0.0/8", FETCH_DELAY: "0ms", LIVENESS_TIMEOUT: limit }),
            resolver
          )
        )
      )
  const domains = Array.from({ length: COUNT }, (_, at) => at).flatMap((at) =>
    Object.keys(kinds).map((kind) => ({ kind, domain: `d${at}.${kind}.com.sg` }))
  )
  const started = performance.now()
  const run = (limit: string) =>
    Effect.forEach(
      domains.filter(({ kind }) => limitOf(kind) === limit),
      ({ kind, domain }) =>
        Effect.map(
          Prober.use((it) => it.check(domain, "SG")),
          (found) => ({ kind, found })
        ),
      { concurrency: CONCURRENCY }
    ).pipe(Effect.provide(services(limit)))
  const results = (await Effect.runPromise(Effect.all([run("60s"), run("2s")], { concurrency: 2 }))).flat()
  const seconds = (performance.now() - started) / 1000
  const rows = Object.entries(kinds).map(([kind, { status }]) => {
    const own = results.filter((it) => it.kind === kind)
    const counts = statuses.map((name) => [name, own.filter((it) => it.found.status === name).length] as const)
    const wrong = own.filter((it) => !right(kind, it.found))
    if (wrong[0] !== undefined) console.error(JSON.stringify(wrong[0]))
    return { kind, "right is": status, ...Object.fromEntries(counts), wrong: wrong.length }
  })
  const wrong = rows.reduce((sum, it) => sum + it.wrong, 0)
  return {
    rows,
    figure: `liveness: ${results.length - wrong} of ${results.length} domains of ${rows.length} kinds right, ${Math.round(results.length / seconds)} checks/s`,
    holds: wrong === 0 && COUNT >= 1000
  }
})
