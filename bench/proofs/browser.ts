/**
 * Proof browser: 300 pages (PAGES=1000 to soak), 15 % of them hostile (crash, hang, memory), 4 at once: ≥ 98 % of the good ones
 * come, every hostile one ends Retryable, 0 processes and 0 profiles are left, also after the crawler is killed with SIGKILL.
 */
import { readdirSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { Effect, Layer } from "effect"
import { chromiumPath } from "../../src/infra/browser/chromium.ts"
import { Browsers, layer as pool } from "../../src/infra/browser/pool.ts"
import { profilesOf } from "../../src/infra/browser/process.ts"
import { BrowserFetcher, layer as fetcher } from "../../src/infra/fetcher.browser.ts"
import * as hosts from "../../src/infra/hosts.memory.ts"
import { job, names, openRobots, outward } from "../../test/support/net.ts"
import { Missing, prove } from "./proof.ts"

const PAGES = Number(process.env.PAGES ?? 300)
const AT_ONCE = 4
/** A page may take so long, ms: a hang costs this much. */
const TIMEOUT = process.env.PAGE_TIMEOUT ?? "15s"
const hostile = ["crash", "hang", "memory"] as const
const scripts: Readonly<Record<(typeof hostile)[number], string>> = {
  crash: "const all = []; while (true) all.push(new Array(1e7).fill({}))",
  hang: "while (true) {}",
  memory: "let text = 'x'.repeat(1e6); const all = []; while (true) all.push([...text])"
}

const html = (text: string) => new Response(text, { headers: { "content-type": "text/html" } })
const serve = () =>
  Bun.serve({
    hostname: "0.0.0.0",
    port: 0,
    fetch: (request) => {
      const { pathname } = new URL(request.url)
      const bad = hostile.find((it) => pathname.endsWith(it))
      if (bad !== undefined) return html(`<title>${bad}</title><script>${scripts[bad]}</script>`)
      if (!pathname.startsWith("/page/")) return new Response("", { status: 404 })
      return html(
        `<title>Page</title><main></main><script>document.querySelector("main").textContent = "made by a script"</script>`
      )
    }
  })

/** Three of twenty: 15 %. */
const kindOf = (at: number) => (at % 20 < 3 ? (hostile[(at % 20) % hostile.length] ?? "hang") : "good")

const profiles = (pid: number): number => readdirSync(tmpdir()).filter((it) => it.startsWith(profilesOf(pid))).length
/** Chromium's processes that a process started, told by their profile; of a zombie only its name is left. */
const processes = (pid: number) => {
  const all = readdirSync("/proc").flatMap((it) => {
    if (!/^\d+$/.test(it)) return []
    try {
      const stat = readFileSync(`/proc/${it}/stat`, "latin1")
      const [state = "", parent = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      if (!/\(chrom/.test(stat)) return []
      const ours = readFileSync(`/proc/${it}/cmdline`, "latin1").includes(profilesOf(pid))
      return [{ zombie: state === "Z" && Number(parent) === pid, unreaped: state === "Z" && parent === "1", ours }]
    } catch {
      return []
    }
  })
  const count = (is: (it: (typeof all)[number]) => boolean) => all.filter(is).length
  return {
    live: count((it) => it.ours),
    zombies: count((it) => it.zombie),
    // The first process of a machine must collect what it inherits; one that is no init does not.
    unreaped: count((it) => it.unreaped)
  }
}

const env = {
  FETCH_TIMEOUT: TIMEOUT,
  BROWSER_PAGES: String(AT_ONCE),
  BROWSER_SANDBOX: process.getuid?.() === 0 ? "false" : "true",
  BROWSER_RECYCLE_PAGES: "100"
}

const services = (path: string) =>
  fetcher.pipe(
    Layer.provideMerge(pool(path)),
    Layer.provideMerge(Layer.mergeAll(openRobots, hosts.layer())),
    Layer.provideMerge(outward(env, names({}).layer))
  )

const visits = (path: string, base: string) =>
  Effect.gen(function* () {
    const { fetch } = yield* BrowserFetcher
    const browsers = yield* Browsers
    const started = performance.now()
    const visit = (at: number) => {
      const kind = kindOf(at)
      return Effect.map(Effect.result(fetch(job(`${base}/page/${at}-${kind}`))), (result) => ({ kind, result }))
    }
    const numbers = Array.from({ length: PAGES }, (_, at) => at)
    const results = yield* Effect.forEach(numbers, visit, { concurrency: AT_ONCE })
    return { results, seconds: (performance.now() - started) / 1000, started: browsers.started() }
  }).pipe(Effect.provide(services(path)))

/** What is killed: a process that does nothing but visit pages that hang. */
const victim = (path: string, base: string) =>
  Effect.gen(function* () {
    const { fetch } = yield* BrowserFetcher
    yield* Effect.forEach([1, 2], (at) => Effect.forever(Effect.ignore(fetch(job(`${base}/page/${at}-hang`)))), {
      concurrency: 2
    })
  }).pipe(Effect.provide(services(path)))

/** A process with open pages is killed with SIGKILL; what it leaves must go by itself. */
const killed = async (base: string): Promise<{ readonly live: number; readonly profiles: number }> => {
  const child = Bun.spawn([process.execPath, import.meta.path, base], { stdout: "ignore", stderr: "inherit" })
  for (let turn = 0; turn < 600 && processes(child.pid).live < 4; turn += 1) await Bun.sleep(100)
  await Bun.sleep(1000)
  child.kill("SIGKILL")
  await child.exited
  // Its end is noticed at once; what it leaves may take some seconds on a busy machine.
  await Bun.sleep(3000)
  for (let turn = 0; turn < 100 && (processes(child.pid).live > 0 || profiles(child.pid) > 0); turn += 1)
    await Bun.sleep(100)
  return { live: processes(child.pid).live, profiles: profiles(child.pid) }
}

const path = chromiumPath(process.env.CHROMIUM_PATH ?? null)
const [, , victimOf] = process.argv
if (path !== null && victimOf !== undefined) await Effect.runPromise(victim(path, victimOf))

await prove(async (bench) => {
  if (path === null) throw new Missing("no Chromium on PATH")
  const server = serve()
  bench.later(() => server.stop(true))
  const base = `http://127.0.0.1:${server.port}`
  const before = processes(process.pid).unreaped
  const { results, seconds, started } = await Effect.runPromise(visits(path, base))
  const after = processes(process.pid)
  const left = profiles(process.pid)
  const good = results.filter((it) => it.kind === "good")
  const came = good.filter(
    ({ result }) =>
      result._tag === "Success" && new TextDecoder().decode(result.success.body).includes("made by a script</main>")
  )
  const bad = results.filter((it) => it.kind !== "good")
  const retryable = bad.filter(({ result }) => result._tag === "Failure" && result.failure._tag === "Retryable")
  const orphans = await killed(base)
  return {
    rows: [
      { what: "good pages", pages: good.length, right: came.length },
      { what: "hostile pages", pages: bad.length, right: retryable.length },
      { what: "processes left", pages: after.live + after.zombies, right: 0 },
      { what: "profiles left", pages: left, right: 0 },
      { what: "processes left after SIGKILL", pages: orphans.live, right: 0 },
      { what: "profiles left after SIGKILL", pages: orphans.profiles, right: 0 },
      { what: "left to the machine's first process", pages: after.unreaped - before, right: "-" }
    ],
    figure:
      `browser: ${came.length} of ${good.length} good, ${retryable.length} of ${bad.length} hostile Retryable, ` +
      `${(PAGES / seconds).toFixed(2)} pages/s, ${started} starts; left ${after.live + after.zombies} processes, ${left} profiles; ` +
      `after SIGKILL ${orphans.live} and ${orphans.profiles}`,
    holds:
      came.length >= 0.98 * good.length &&
      retryable.length === bad.length &&
      after.live + after.zombies === 0 &&
      left === 0 &&
      orphans.live === 0 &&
      orphans.profiles === 0
  }
})
