import { Clock, Effect } from "effect"
import { dayStart } from "../domain/ai/outcome.ts"
import type { AiJobs, AiLedger, ResumeAnswer } from "../domain/ai/ports.ts"
import type { Unavailable } from "../domain/errors.ts"
import { stored } from "./control.sources.ts"
import { type Control, type ControlError, controlError } from "./control.ts"

type Operations = Pick<Control["Service"], "jobs.list" | "jobs.show" | "jobs.resume" | "jobs.resumeAll" | "jobs.cancel">

/** Rows when no limit is given. */
const LIMIT = 50
/** Who asks: tokens have no names. */
const ACTOR = "operator"

const unknown = (id: string) => controlError("not_found", `there is no AI job ${id}`, "id")

const changed = (
  id: string,
  state: string,
  work: Effect.Effect<ResumeAnswer, Unavailable>
): Effect.Effect<NonNullable<ResumeAnswer["job"]>, ControlError> =>
  Effect.flatMap(stored(work), ({ changed: done, job }) => {
    if (job === null) return Effect.fail(unknown(id))
    return done
      ? Effect.succeed(job)
      : Effect.fail(controlError("conflict", `AI job ${id} is ${job.status}, not ${state}`))
  })

/** Whether jobs may run now, and what the day has cost. */
export const providerOf = Effect.fnUntraced(function* (ledger: AiLedger["Service"], budgetUsd: number, now: number) {
  const gate = yield* ledger.look(now)
  const spent = yield* ledger.spent(dayStart(now))
  const closed = gate.tag === "closed" ? gate : null
  return {
    closed_by: closed?.code ?? null,
    next_probe_at: closed === null ? null : new Date(closed.until).toISOString(),
    spent_today_usd: spent,
    budget_usd: budgetUsd,
    waits_for_budget: budgetUsd > 0 && spent >= budgetUsd
  }
})

/** AI jobs over their table. `budgetUsd`: AI_BUDGET_DAILY_USD. */
export const jobOperations = (jobs: AiJobs["Service"], ledger: AiLedger["Service"], budgetUsd: number): Operations => ({
  "jobs.list": ({ after, article, limit = LIMIT, status, type }) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const found = yield* stored(
        jobs.list({
          limit,
          ...(status === undefined ? {} : { status }),
          ...(type === undefined ? {} : { type }),
          ...(article === undefined ? {} : { article_id: article }),
          ...(after === undefined ? {} : { after })
        })
      )
      return {
        jobs: found,
        next: found.length < limit ? null : (found.at(-1)?.id ?? null),
        provider: yield* stored(providerOf(ledger, budgetUsd, now))
      }
    }),
  "jobs.show": ({ id }) =>
    Effect.gen(function* () {
      const job = yield* stored(jobs.find(id))
      if (job === null) return yield* unknown(id)
      const result = job.status === "SUCCESS" ? yield* stored(jobs.result(job.article_id, job.type)) : null
      return { ...job, result: result?.result ?? null, flags: result?.flags ?? [] }
    }),
  // The operator says that the provider works again, so nobody waits for the next probe.
  "jobs.resume": ({ id }) =>
    changed(id, "SUSPENDED", jobs.resume(id, ACTOR)).pipe(Effect.tap(() => stored(ledger.open))),
  "jobs.resumeAll": ({ reason }) =>
    stored(ledger.open).pipe(
      Effect.andThen(stored(jobs.resumeAll(reason, ACTOR))),
      Effect.map((resumed) => ({ resumed }))
    ),
  "jobs.cancel": ({ id }) => changed(id, "unfinished", jobs.cancel(id, ACTOR))
})

const without = () =>
  Effect.fail(controlError("unsupported", "this process keeps everything in memory: there are no AI jobs to ask for"))
export const noJobs: Operations = {
  "jobs.list": without,
  "jobs.show": without,
  "jobs.resume": without,
  "jobs.resumeAll": without,
  "jobs.cancel": without
}
