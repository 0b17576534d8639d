/**
 * Proof ai-chaos: 10,000 AI jobs, 4 worker processes on a Postgres server, a random one SIGKILLed every 2 s: 0 lost, 0 double
 * results, calls ≤ jobs + kills × concurrency; 50 workers stopped past a 2 s lease: 50 outcomes fenced, 0 double.
 */
import { chmodSync } from "node:fs"
import { join } from "node:path"
import postgres from "postgres"
import { Missing, prove, root, run, shared } from "./proof.ts"

const JOBS = Number(process.env.JOBS ?? 10_000)
const STOPS = Number(process.env.STOPS ?? 50)
const WORKERS = 4
const CONCURRENCY = 8
/** Workers stopped together. */
const PER_ROUND = 10
const KILL_EVERY_MS = 2000
/** A call takes this long, so that a kill meets calls under way. */
const CALL_MS = Number(process.env.CALL_MS ?? 25)
const PG_PORT = "5563"
const REDIS_PORT = "6403"
const url = `postgres://bench@127.0.0.1:${PG_PORT}/bench`

/** The model: counts every call by job, in a process that survives. */
const model = () => {
  const calls = new Map<string, number>()
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      const job = new URL(request.url).pathname
      calls.set(job, (calls.get(job) ?? 0) + 1)
      await Bun.sleep(CALL_MS)
      return new Response("ok")
    }
  })
  return { calls, url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) }
}

interface Life {
  readonly child: Bun.Subprocess
  readonly fenced: () => number
  readonly ready: Promise<void>
}

const worker = (model: string, lease: string, concurrency: number): Life => {
  let fenced = 0
  const { promise: ready, resolve } = Promise.withResolvers<void>()
  const child = Bun.spawn(
    [process.execPath, join(root, "bench", "jobs", "worker.ts"), url, model, String(concurrency)],
    {
      env: { ...process.env, AI_LEASE: lease },
      stdout: "ignore",
      stderr: "inherit",
      ipc: (message) => {
        resolve()
        fenced += typeof message === "object" && message !== null && "fenced" in message ? 1 : 0
      }
    }
  )
  return { child, fenced: () => fenced, ready }
}

await prove(async (bench) => {
  const services = join(shared, "bench", "jobs", "services.sh")
  const env = { PG_PORT, REDIS_PORT }
  chmodSync(bench.folder, 0o755)
  const started = await run(["sh", services, "start", bench.folder], { env })
  bench.later(() => run(["sh", services, "stop", bench.folder], { env }))
  if (started.code !== 0) throw new Missing(`Postgres and Redis do not start: ${started.stderr.slice(-500)}`)
  const { jobOf, prepare } = await import("../jobs/queue.ts")
  await prepare(url)
  const sql = postgres(url, { max: 2, onnotice: () => undefined })
  bench.later(() => sql.end())
  const stub = model()
  bench.later(stub.stop)

  const add = async (names: ReadonlyArray<string>) => {
    for (let from = 0; from < names.length; from += 1000) {
      const rows = names.slice(from, from + 1000).map((name) => {
        const { article_id, max_retries, prompt_version, type } = jobOf({ name })
        return { article_id, type, prompt_version, max_retries, requested_at: new Date() }
      })
      await sql`insert into ai_jobs ${sql(rows)}`
    }
  }
  const left = async () => {
    const [row] = await sql<{ n: number }[]>`select count(*)::int as n from ai_jobs where status <> 'SUCCESS'`
    return row?.n ?? 0
  }

  await add(Array.from({ length: JOBS }, (_, at) => `chaos-${at}`))
  const lives = Array.from({ length: WORKERS }, () => worker(stub.url, "4s", CONCURRENCY))
  bench.later(() => lives.forEach(({ child }) => child.kill("SIGKILL")))
  let kills = 0
  const began = performance.now()
  while ((await left()) > 0 && performance.now() - began < 900_000) {
    await Bun.sleep(KILL_EVERY_MS)
    const at = Math.floor(Math.random() * WORKERS)
    lives[at]?.child.kill("SIGKILL")
    await lives[at]?.child.exited
    lives[at] = worker(stub.url, "4s", CONCURRENCY)
    kills += 1
  }
  const seconds = (performance.now() - began) / 1000
  for (const { child } of lives) child.kill("SIGKILL")
  const [ended] = await sql<{ success: number; other: number; results: number; jobs: number }[]>`
    select count(*) filter (where status = 'SUCCESS')::int as success, count(*) filter (where status <> 'SUCCESS')::int as other,
      (select count(*)::int from ai_results) as results, (select count(*)::int from ai_results r join ai_jobs j on j.id = r.job_id
        where j.lease_epoch = (r.result->>'epoch')::bigint) as jobs from ai_jobs`
  const calls = [...stub.calls.values()].reduce((sum, it) => sum + it, 0)
  const lost = JOBS - (ended?.success ?? 0)
  // A result that is not of its job's last claim was written by somebody who had lost the job.
  const doubled = (ended?.results ?? 0) - (ended?.jobs ?? 0)

  // Each worker has one job and is stopped in the middle of its call for longer than its lease; another one takes the job.
  await sql`truncate ai_jobs, ai_results`
  let fenced = 0
  let stopped = 0
  const rounds = Math.ceil(STOPS / PER_ROUND)
  for (let round = 0; round < rounds; round += 1) {
    const some = Array.from({ length: Math.min(PER_ROUND, STOPS - stopped) }, () => worker(stub.url, "2s", 1))
    bench.later(() => some.forEach(({ child }) => child.kill("SIGKILL")))
    await Promise.all(some.map((it) => it.ready))
    await Bun.sleep(500)
    await add(some.map((_, at) => `hold-${round}-${at}`))
    const held = async () => {
      const [row] = await sql<{ n: number }[]>`select count(*)::int as n from ai_jobs where status = 'RUNNING'`
      return row?.n ?? 0
    }
    while ((await held()) < some.length) await Bun.sleep(5)
    for (const { child } of some) child.kill("SIGSTOP")
    stopped += some.length
    const others = worker(stub.url, "2s", 8)
    while ((await left()) > 0) await Bun.sleep(100)
    for (const { child } of some) child.kill("SIGCONT")
    const deadline = performance.now() + 30_000
    while (some.reduce((sum, it) => sum + it.fenced(), 0) < some.length && performance.now() < deadline)
      await Bun.sleep(50)
    fenced += some.reduce((sum, it) => sum + it.fenced(), 0)
    for (const { child } of [...some, others]) child.kill("SIGKILL")
  }
  const [after] = await sql<{ results: number; jobs: number }[]>`
    select (select count(*)::int from ai_results) as results, (select count(*)::int from ai_results r join ai_jobs j
      on j.id = r.job_id where j.status = 'SUCCESS' and j.lease_epoch = (r.result->>'epoch')::bigint) as jobs`
  const doubledAfter = (after?.results ?? 0) - (after?.jobs ?? 0)
  const callsMax = JOBS + kills * CONCURRENCY
  return {
    rows: [
      {
        part: "kills",
        jobs: JOBS,
        seconds: seconds.toFixed(0),
        kills,
        lost,
        doubled,
        calls,
        "calls at most": callsMax,
        fenced: ""
      },
      {
        part: "stops",
        jobs: stopped,
        seconds: "",
        kills: stopped,
        lost: stopped - (after?.jobs ?? 0),
        doubled: doubledAfter,
        calls: "",
        "calls at most": "",
        fenced
      }
    ],
    figure: `ai-chaos: ${JOBS} jobs, ${kills} SIGKILLs: ${lost} lost, ${doubled} double, ${calls} calls (at most ${callsMax}); ${stopped} workers stopped past their lease: ${fenced} fenced, ${doubledAfter} double`,
    holds:
      lost === 0 &&
      doubled === 0 &&
      calls <= callsMax &&
      kills > 0 &&
      fenced === stopped &&
      doubledAfter === 0 &&
      after?.jobs === stopped
  }
})
