import { Effect } from "effect"
import { Control } from "../control.ts"
import type { Command } from "./commands.ts"
import { dated, doneIf, print, type Work } from "./print.ts"
import { facts, table } from "./table.ts"

const columns = ["id", "type", "status", "retry_count", "last_error_code", "next_run_at", "article_id"]
const instants = ["next_run_at", "running_started_at", "requested_at", "started_at", "finished_at"]

/** With its instants as people read them. */
const readable = (job: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(job).map(([key, it]) => [key, instants.includes(key) ? dated(it) : it]))

const list = Effect.fnUntraced(function* ({ flags }: Extract<Command, { name: "jobs list" }>) {
  const { article, json, limit, status, type } = flags
  const answer = yield* (yield* Control)["jobs.list"]({
    ...(limit === null ? {} : { limit }),
    ...(status === null ? {} : { status }),
    ...(type === null ? {} : { type }),
    ...(article === null ? {} : { article })
  })
  const { jobs, provider } = answer
  const notes = [
    ...(provider.closed_by === null
      ? []
      : [`the provider is closed (${provider.closed_by}), next probe ${provider.next_probe_at}`]),
    ...(provider.waits_for_budget
      ? [`today's budget of $${provider.budget_usd} is spent: pending jobs go on tomorrow`]
      : [])
  ]
  yield* print(json, answer, () => [table(jobs.map(readable), columns), ...notes].join("\n"))
  return "done" as const
})

const resume = Effect.fnUntraced(function* ({ flags, words }: Extract<Command, { name: "jobs resume" }>) {
  const control = yield* Control
  if (flags.reason !== null) {
    const answer = yield* control["jobs.resumeAll"]({ reason: flags.reason })
    yield* print(flags.json, answer, () => `${answer.resumed} resumed`)
    return doneIf(answer.resumed)
  }
  const jobs = yield* Effect.forEach(words, (id) => control["jobs.resume"]({ id }))
  yield* print(flags.json, { jobs }, () => table(jobs.map(readable), columns))
  return "done" as const
})

/** `crawler jobs …` */
export const askJobs = (command: Extract<Command, { name: `jobs ${string}` }>): Work =>
  Effect.gen(function* () {
    const control = yield* Control
    const { words } = command
    switch (command.name) {
      case "jobs list":
        return yield* list(command)
      case "jobs show": {
        const job = yield* control["jobs.show"]({ id: words[0] ?? "" })
        yield* print(command.flags.json, job, () => facts(readable(job)))
        return "done"
      }
      case "jobs resume":
        return yield* resume(command)
      case "jobs cancel": {
        const jobs = yield* Effect.forEach(words, (id) => control["jobs.cancel"]({ id }))
        yield* print(command.flags.json, { jobs }, () => table(jobs.map(readable), columns))
        return "done"
      }
    }
  })
