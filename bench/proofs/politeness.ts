/**
 * Proof politeness: 8 workers on 1,000 hosts (every third asks for a crawl-delay, 10 % of articles answer 429 first), by the
 * server's log: 0 disallowed requests, 0 within a Retry-After, 0 gaps shorter than asked for (20 ms of the wire aside), never two
 * at once; ≤ 5 connections to a dead host in a breaker's window; ≥ 95 % of the second polls of unchanged feeds answered 304.
 */
import { createServer } from "node:net"
import { Deferred, Effect, Layer, Stream } from "effect"
import { Policy } from "../../src/domain/policy.ts"
import { Bus, Frontier } from "../../src/domain/ports.ts"
import { seedJob } from "../../src/domain/seed.ts"
import { chainStages } from "../../src/domain/stages.ts"
import { parseHttpUrl } from "../../src/domain/url.ts"
import { load, Settings } from "../../src/infra/config.ts"
import * as hosts from "../../src/infra/hosts.memory.ts"
import * as silent from "../../src/infra/outputs.none.ts"
import * as memory from "../../src/infra/store.memory.ts"
import { network } from "../../src/program/network.ts"
import { policy } from "../../src/program/policy.ts"
import { Run } from "../../src/streams/chain.ts"
import { pipeline } from "../../src/streams/topology.ts"
import type { Entry } from "../../test/support/web/log.ts"
import { type Bench, jsonLines, prove, type RemoteWeb, web } from "./proof.ts"

const HOSTS = Number(process.env.HOSTS ?? 1000)
const WORKERS = 8
const ARTICLES = 3
const DELAY_MS = 500
/** Seconds that a third of the hosts ask for in robots.txt. */
const ASKED = 2
const RETRY_AFTER = 3
const WIRE_MS = 20
const DEAD = 20
const DEAD_URLS = 25
const CONNECTS_MAX = 5
/** The dead hosts are watched for less than a breaker's first window (60 s); the crawl ends when its pages are there. */
const SECONDS_MAX = Number(process.env.SECONDS_MAX ?? 600)

const jobOf = (href: string, visit: number, hops: number) => {
  const url = parseHttpUrl(href, { anyPort: true })
  if (url._tag === "Failure") throw new Error(url.failure.message)
  const type = hops > 0 ? "feed" : "article"
  return seedJob(url.success, { type, hops, lists: false, category: null, visit }, Date.now())
}

/** Hosts that take a connection and break it, counting. */
const deadHosts = async (bench: Bench) => {
  const times = new Map<string, Array<number>>()
  const server = createServer((socket) => {
    const host = socket.localAddress ?? ""
    times.set(host, [...(times.get(host) ?? []), Date.now()])
    socket.destroy()
  })
  const port = await new Promise<number>((resolve) =>
    server.listen(0, "0.0.0.0", () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : 0)
    })
  )
  bench.later(() => server.close())
  const urls = Array.from(
    { length: DEAD * DEAD_URLS },
    (_, at) => `http://127.250.0.${(at % DEAD) + 1}:${port}/news/${at}`
  )
  /** The most connections to one host within a minute from its first. */
  const most = () =>
    Math.max(0, ...[...times.values()].map((all) => all.filter((it) => it - (all[0] ?? 0) < 60_000).length))
  return { urls, most }
}

interface Site {
  readonly web: RemoteWeb
  readonly delay: number
}
/** What the log says against us, per host. */
const offences = (entries: ReadonlyArray<Entry>, delay: number) => {
  const sorted = entries.toSorted((a, b) => a.start - b.start)
  const found = { disallowed: 0, early: 0, gaps: 0, together: 0, leastGap: Number.POSITIVE_INFINITY }
  let free = Number.NEGATIVE_INFINITY
  for (const [at, entry] of sorted.entries()) {
    const before = sorted[at - 1]
    if (/^\/(?:private\/|search)/.test(entry.path)) found.disallowed += 1
    if (entry.start < free) found.early += 1
    if (entry.status === 429) free = Math.max(free, entry.start + RETRY_AFTER * 1000)
    if (before === undefined) continue
    const gap = entry.start - before.start
    // The first gap follows robots.txt itself, which is what tells the delay.
    const asked = at === 1 ? DELAY_MS : delay
    if (gap < asked - WIRE_MS) found.gaps += 1
    if (at > 1) found.leastGap = Math.min(found.leastGap, gap - delay)
    if ((before.end ?? 0) > entry.start) found.together += 1
  }
  return found
}

const logOf = async ({ web }: Site): Promise<ReadonlyMap<string, ReadonlyArray<Entry>>> =>
  Map.groupBy(jsonLines<Entry>(await web.ask("/__log")), (it) => it.host)

const workers = Effect.all(
  Array.from({ length: WORKERS }, () => Stream.runDrain(pipeline)),
  { concurrency: WORKERS, discard: true }
)

/** Until nothing is left to fetch but what waits for dead hosts, or time is up. */
const settled = (until: number) =>
  Effect.gen(function* () {
    const bus = yield* Bus
    const waiting = Effect.map(bus.backlog, (all) => all.reduce((sum, it) => sum + it.ready + it.later + it.leased, 0))
    while (performance.now() < until && (yield* waiting) > DEAD * DEAD_URLS) yield* Effect.sleep("500 millis")
  })

await prove(async (bench) => {
  const third = Math.floor(HOSTS / 3)
  const faults = [
    "--articles",
    String(ARTICLES),
    "--too-many",
    "0.1",
    "--tries",
    "1",
    "--retry-after",
    String(RETRY_AFTER)
  ]
  const quick = { web: await web(bench, ["--hosts", String(HOSTS - third), "--seed", "1", ...faults]), delay: DELAY_MS }
  const loaded = load({
    ALLOW_PRIVATE_CIDRS: "127.0.0.0/8",
    FETCH_DELAY: `${DELAY_MS}ms`,
    FETCH_TIMEOUT: "60s",
    CHROMIUM_PATH: "/nowhere"
  })
  if (loaded._tag === "Failure") throw new Error(JSON.stringify(loaded.failure))
  const once = policy({ readers: 1, html: false, oneShot: true })
  const numbers = Layer.effect(
    Policy,
    Effect.map(Policy, (it) =>
      Policy.of({ ...it, conditional: true, untilDrained: false, fetchWaitMax: loaded.success.FETCH_WAIT_MAX })
    )
  ).pipe(Layer.provide(once))
  const base = Layer.mergeAll(memory.layer(), silent.layer, Run.layer(new Set(chainStages)), numbers)
  const services = network(hosts.layer()).pipe(
    Layer.provideMerge(base),
    Layer.provideMerge(Layer.succeed(Settings, loaded.success))
  )
  const dead = await deadHosts(bench)
  const slow = {
    web: await web(bench, ["--hosts", String(third), "--seed", "2", "--crawl-delay", String(ASKED), ...faults]),
    delay: ASKED * 1000
  }
  const all: ReadonlyArray<Site> = [quick, slow]
  const fronts = all.flatMap((it) => it.web.fronts)
  const started = performance.now()
  const until = started + SECONDS_MAX * 1000
  const seconds = await Effect.runPromise(
    Effect.gen(function* () {
      const frontier = yield* Frontier
      const { stop } = yield* Run
      const feeds = (visit: number) => fronts.map((it) => ({ ...jobOf(`${it}rss.xml`, visit, 1), pace_ms: DELAY_MS }))
      const crawl = Effect.gen(function* () {
        yield* frontier.enqueue([...feeds(1), ...dead.urls.map((it) => jobOf(it, 0, 0))])
        yield* settled(until)
        yield* frontier.enqueue(feeds(2))
        yield* settled(until)
        yield* Deferred.succeed(stop, undefined)
        return (performance.now() - started) / 1000
      })
      return yield* Effect.raceFirst(crawl, Effect.andThen(workers, Effect.never))
    }).pipe(Effect.scoped, Effect.provide(services))
  )
  const rows = await Promise.all(
    all.map(async (site, at) => {
      const log = await logOf(site)
      const each = [...log.values()].map((it) => offences(it, site.delay))
      const sum = (name: "disallowed" | "early" | "gaps" | "together") => each.reduce((all, it) => all + it[name], 0)
      const entries = [...log.values()].flat()
      const polls = [...log.values()].map((it) => it.filter(({ path }) => path === "/rss.xml"))
      return {
        hosts: at === 0 ? "delay 500 ms" : `crawl-delay ${ASKED} s`,
        asked: log.size,
        requests: entries.length,
        429: entries.filter((it) => it.status === 429).length,
        disallowed: sum("disallowed"),
        early: sum("early"),
        gaps: sum("gaps"),
        together: sum("together"),
        "least gap above": Math.round(Math.min(...each.map((it) => it.leastGap))),
        polled: polls.filter((it) => it.length >= 2).length,
        unchanged: polls.filter((it) => it.at(-1)?.status === 304).length
      }
    })
  )
  const total = (name: "disallowed" | "early" | "gaps" | "together" | "requests" | "polled" | "unchanged") =>
    rows.reduce((sum, it) => sum + it[name], 0)
  const bad = total("disallowed") + total("early") + total("gaps") + total("together")
  return {
    rows,
    figure:
      `politeness: ${total("requests")} requests to ${fronts.length} hosts in ${Math.round(seconds)} s: ${total("disallowed")} disallowed, ` +
      `${total("early")} within Retry-After, ${total("gaps")} gaps too short, ${total("together")} at once; ≤ ${dead.most()} connections to a dead ` +
      `host; ${total("unchanged")} of ${total("polled")} second polls 304`,
    holds:
      bad === 0 &&
      dead.most() > 0 &&
      dead.most() <= CONNECTS_MAX &&
      total("polled") >= 0.95 * fronts.length &&
      total("unchanged") >= 0.95 * total("polled")
  }
})
