import { Clock, Effect, Metric } from "effect"
import { AiJobStatus, AiJobType } from "../domain/ai/job.ts"
import { aiOldestPending, aiQueueSize } from "../domain/ai/metrics.ts"
import { AiJobs } from "../domain/ai/ports.ts"
import { initialPriority } from "../domain/metrics.priority.ts"
import { busBacklog, initial } from "../domain/metrics.ts"
import { Bus } from "../domain/ports.ts"
import { Board } from "../domain/priority.ports.ts"
import { initial as initialResearch } from "../domain/research/metrics.ts"
import { boardText } from "./board.ts"

/**
 * The metrics page. Pipeline metrics are declared in `domain/metrics.ts`; here are those of the process and of HTTP, and
 * the gauges that are read when somebody asks. The formatter loads at first use: most commands never need it.
 */
const memory = Metric.gauge("process_resident_memory_bytes", { description: "Resident memory." })
const cpu = Metric.counter("process_cpu_seconds_total", { description: "User and system CPU time." })
const started = Metric.gauge("process_start_time_seconds", { description: "Start, seconds since 1970." })
const build = Metric.gauge("crawler_build_info", { description: "The version running; always 1." })
const requests = Metric.counter("crawler_http_requests_total", {
  description: "Requests answered, by operation and status class.",
  incremental: true
})

/** `operation` is a name of the operation table, or `unmatched`; `status` one of 2xx to 5xx: closed sets. */
export const httpRequest = (operation: string, status: number): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(requests, { operation, status: `${Math.floor(status / 100)}xx` }), 1)

/** How long a scrape waits for the backlog: a database that hangs must not hide the other metrics. */
const REFRESH_TIMEOUT = "2 seconds"

const microsecond = 1e-6
let cpuCounted = 0

const process_ = (version: string) =>
  Effect.gen(function* () {
    const { user, system } = process.cpuUsage()
    const used = (user + system) * microsecond
    yield* Metric.update(cpu, Math.max(0, used - cpuCounted))
    cpuCounted = used
    yield* Metric.update(memory, process.memoryUsage.rss())
    yield* Metric.update(started, Math.round(performance.timeOrigin / 1000))
    yield* Metric.update(Metric.withAttributes(build, { version }), 1)
  })

const backlog = Effect.gen(function* () {
  const bus = yield* Effect.serviceOption(Bus)
  if (bus._tag === "None") return
  for (const { topic, ready, later, leased } of yield* bus.value.backlog) {
    yield* Metric.update(busBacklog(topic, "ready"), ready)
    yield* Metric.update(busBacklog(topic, "later"), later)
    yield* Metric.update(busBacklog(topic, "leased"), leased)
  }
}).pipe(Effect.timeoutOption(REFRESH_TIMEOUT), Effect.ignore)

/** AI jobs by type and state; a pair without jobs is zero, so that a queue that has emptied is seen. */
const queue = Effect.gen(function* () {
  const jobs = yield* Effect.serviceOption(AiJobs)
  if (jobs._tag === "None") return
  const counts = yield* jobs.value.counts
  const now = yield* Clock.currentTimeMillis
  for (const type of AiJobType.literals) {
    for (const status of AiJobStatus.literals) {
      const found = counts.find((it) => it.type === type && it.status === status)
      yield* Metric.update(aiQueueSize(type, status), found?.jobs ?? 0)
    }
  }
  const pending = counts.filter((it) => it.status === "PENDING").map((it) => it.oldest)
  yield* Metric.update(aiOldestPending, pending.length === 0 ? 0 : (now - Math.min(...pending)) / 1000)
}).pipe(Effect.timeoutOption(REFRESH_TIMEOUT), Effect.ignore)

/** All metrics as Prometheus text (version 0.0.4). The backlog is read if a Bus is provided. */
export const metricsText = Effect.fn("metricsText")(function* (version: string) {
  const { PrometheusMetrics } = yield* Effect.promise(() => import("effect/observability"))
  yield* process_(version)
  yield* backlog
  yield* queue
  yield* Effect.forEach([...initial, ...initialPriority, ...initialResearch], (it) => Metric.value(it), {
    discard: true
  })
  const board = yield* Effect.serviceOption(Board)
  const shown = board._tag === "None" ? null : yield* board.value.shown
  return `${yield* PrometheusMetrics.format()}${shown === null ? "" : boardText(shown)}`
})
