import { Clock, Context, Effect, Layer } from "effect"
import type { CrawlJob, Millis } from "../domain/crawl.ts"
import { autoUpgradeReason, type FetcherRule, FetcherRules, type RuleChange } from "../domain/fetcherrules.ts"
import { Bus } from "../domain/ports.ts"
import { crawlTopic, type Outgoing, schemaVersion } from "../domain/topics.ts"
import {
  type AuditEntry,
  auditMax,
  type Cycle,
  forceHeader,
  type PageFailure,
  type Republish,
  retryReason,
  Upgrades
} from "../domain/upgrade.ts"
import { remembered } from "./fetcherrules.sql.ts"

/** Failed pages held, and audit entries: a one-shot run needs few. */
const FAILURES_MAX = 10_000
const AUDIT_MAX = 10_000
const hourMs = 3_600_000

/** What only memory can show. */
export class MemoryLearning extends Context.Service<
  MemoryLearning,
  {
    readonly audit: ReadonlyArray<AuditEntry & { readonly at: Millis }>
    readonly republishes: ReadonlyMap<string, Republish & { readonly original_raw_id: string }>
    readonly failures: ReadonlyMap<string, PageFailure>
  }
>()("crawler/MemoryLearning") {}

/** The rules and the audit log as one process holds them. */
class Learned {
  readonly rules = new Map<string, FetcherRule>()
  readonly failures = new Map<string, PageFailure>()
  readonly republishes = new Map<string, Republish & { readonly original_raw_id: string; readonly version: number }>()
  readonly audit: Array<AuditEntry & { readonly at: Millis }> = []
  /** The operator's switch. */
  allowed = true

  tell(entry: AuditEntry, at: Millis): void {
    const same = this.audit.filter(
      (it) => it.subject === entry.subject && it.action === entry.action && it.at > at - hourMs
    )
    if (same.length >= auditMax) return
    this.audit.push({ ...entry, at })
    if (this.audit.length > AUDIT_MAX) this.audit.shift()
  }
  change({ host, fetcher, reason }: RuleChange, now: Millis): FetcherRule {
    const rule = { host, fetcher, reason, version: (this.rules.get(host)?.version ?? 0) + 1, updated_at: now }
    this.rules.set(host, rule)
    return rule
  }
  /** The rows and messages of these failures; a URL of the cycle is sent once. */
  republish(failures: ReadonlyArray<PageFailure>, cycle: Cycle, version: number, now: Millis): ReadonlyArray<Outgoing> {
    const ofCycle = [...this.republishes.values()].filter((it) => it.version === version)
    const urls = new Set(ofCycle.map((it) => it.url))
    const sent: Array<Outgoing> = []
    for (const { job, raw_id } of failures) {
      if (urls.has(job.target.url) || urls.size >= cycle.max) continue
      urls.add(job.target.url)
      const job_id = `${job.id.split(".")[0]}.r${version}.${raw_id}`
      const { url, type } = job.target
      const row = { job_id, url, target_type: type, fetcher: "browser", closed: false } as const
      this.republishes.set(job_id, { ...row, original_raw_id: raw_id, version })
      sent.push(message(job, job_id, raw_id, now, sent.length * cycle.spacing_ms))
    }
    return sent
  }
}

const message = (job: CrawlJob, id: string, raw_id: string, now: Millis, wait: number): Outgoing => ({
  id,
  topic: crawlTopic(job.priority.value),
  key: job.host,
  occurred_at: now,
  attempt: 0,
  trace_id: job.id,
  headers: {
    schema: String(schemaVersion),
    [forceHeader]: "browser",
    retry_reason: retryReason,
    original_raw_id: raw_id
  },
  payload: { ...job, id, retry_count: 0, scheduled_at: now },
  not_before: now + wait
})

const at = <A>(work: (now: Millis) => A): Effect.Effect<A> => Effect.map(Clock.currentTimeMillis, work)

const ruling = (learned: Learned) =>
  remembered({
    list: ({ host, limit }) =>
      Effect.sync(() =>
        [...learned.rules.values()]
          .filter((it) => it.fetcher !== "auto" && (host === undefined || it.host === host))
          .sort((a, b) => (a.host < b.host ? -1 : 1))
          .slice(0, limit)
      ),
    set: (change) =>
      at((now) => {
        const before = learned.rules.get(change.host)
        const { actor, fetcher, host, reason } = change
        const facts = { fetcher, reason, before: before?.fetcher ?? null, before_reason: before?.reason ?? null }
        learned.tell({ actor, action: "fetcher_rule.set", subject: host, facts }, now)
        return learned.change(change, now)
      }),
    unset: (host, actor) =>
      at((now) => {
        const before = learned.rules.get(host)
        if (before === undefined || before.fetcher === "auto") return false
        const facts = { before: before.fetcher, before_reason: before.reason }
        learned.tell({ actor, action: "fetcher_rule.unset", subject: host, facts }, now)
        learned.change({ host, fetcher: "auto", reason: null, actor }, now)
        return true
      })
  })

const switching = (learned: Learned): Pick<Upgrades["Service"], "allowed" | "allow"> => ({
  allowed: Effect.sync(() => learned.allowed),
  allow: (allowed, actor) =>
    at((now) => {
      if (learned.allowed === allowed) return false
      learned.allowed = allowed
      const facts = { enabled: allowed }
      learned.tell({ actor, action: "fetcher_auto_upgrade.switched", subject: "all hosts", facts }, now)
      return true
    })
})

const upgrading = (
  learned: Learned,
  bus: Bus["Service"],
  forget: (host: string) => Effect.Effect<void>
): Upgrades["Service"] => {
  const publish = (messages: ReadonlyArray<Outgoing>) => Effect.orDie(bus.publish(messages))
  const raise = (cycle: Cycle) => (now: Millis) => {
    const { host, since } = cycle
    const before = learned.rules.get(host)
    if (before?.fetcher === "browser" || !learned.allowed) return null
    const rule = learned.change({ host, fetcher: "browser", reason: autoUpgradeReason, actor: "crawler" }, now)
    const failed = [...learned.failures.values()]
      .filter((it) => it.job.host === host && it.fetcher === "http" && it.at >= since)
      .sort((a, b) => b.at - a.at)
    const messages = learned.republish(failed, cycle, rule.version, now)
    const facts = {
      fetcher: "browser",
      reason: autoUpgradeReason,
      before: before?.fetcher ?? null,
      before_reason: before?.reason ?? null,
      republished: messages.length
    }
    learned.tell({ actor: "crawler", action: "fetcher_rule.auto_upgrade", subject: host, facts }, now)
    return messages
  }
  return Upgrades.of({
    note: (failure) =>
      Effect.sync(() => {
        if (!learned.failures.has(failure.raw_id)) learned.failures.set(failure.raw_id, failure)
        const [oldest] = learned.failures.keys()
        if (learned.failures.size > FAILURES_MAX && oldest !== undefined) learned.failures.delete(oldest)
      }),
    upgrade: Effect.fnUntraced(function* (cycle: Cycle) {
      const messages = yield* at(raise(cycle))
      yield* publish(messages ?? [])
      yield* forget(cycle.host)
      return { upgraded: messages !== null, republished: messages?.length ?? 0 }
    }),
    straggler: Effect.fnUntraced(function* (cycle: Cycle, failure: PageFailure) {
      const rule = learned.rules.get(cycle.host)
      if (!learned.allowed || rule?.fetcher !== "browser" || rule.reason !== autoUpgradeReason) return false
      const messages = yield* at((now) => learned.republish([failure], cycle, rule.version, now))
      yield* publish(messages)
      return messages.length === 1
    }),
    authority: (job_id) =>
      Effect.sync(() => {
        const row = learned.republishes.get(job_id)
        if (row === undefined) return null
        const { original_raw_id: _raw, version: _version, ...republish } = row
        return republish
      }),
    close: (job_id) =>
      Effect.sync(() => {
        const row = learned.republishes.get(job_id)
        if (row !== undefined) learned.republishes.set(job_id, { ...row, closed: true })
      }),
    ...switching(learned),
    audit: (entry) => at((now) => learned.tell(entry, now))
  })
}

/** Rules and upgrades of one process: gone with it. */
export const layer: Layer.Layer<FetcherRules | Upgrades | MemoryLearning, never, Bus> = Layer.effectContext(
  Effect.gen(function* () {
    const learned = new Learned()
    const bus = yield* Bus
    const rules = yield* ruling(learned)
    return FetcherRules.context(rules).pipe(
      Context.add(Upgrades, upgrading(learned, bus, rules.forget)),
      Context.add(MemoryLearning, learned)
    )
  })
)
