import { Clock, Effect, Metric, Option } from "effect"
import { Fatal, Postponed, Retryable, type Suspendable, type Unavailable } from "../domain/errors.ts"
import type { Policy } from "../domain/policy.ts"
import type { Hosts, Signals } from "../domain/ports.ts"
import { assemble, Found, written } from "../domain/research/assemble.ts"
import { lookupsOf } from "../domain/research/lookup.ts"
import * as metrics from "../domain/research/metrics.ts"
import { messageRetry } from "../domain/research/pace.ts"
import { paths } from "../domain/research/path.ts"
import { limits } from "../domain/research/plan.ts"
import { Batches, Datasets, type Discovery, type Left, type PartKey, type ResearchJob } from "../domain/research.ts"
import { adaptive } from "./adaptive.ts"
import { gate } from "./gate.ts"
import { type Asking, answersOf } from "./lookup.ts"
import { parsed, shelve } from "./shelve.ts"
import { type Stage, stage, steadfast, stored, type Work } from "./stage.ts"

type Needs = Batches | Datasets | Discovery | Hosts | Policy | Signals

/** Messages in work at once (S5.20: max_batch_size). They are never waited for, so there is no batch timeout to keep. */
export const messagesMax = 10

const keyOf = ({ batch_id, chunk_index, part }: ResearchJob): PartKey => ({ batch_id, chunk_index, part })

/** The URLs of one message: no more than S5.15 allows, whoever sent it. */
const urlsOf = ({ urls }: ResearchJob): ReadonlyArray<string> => urls.slice(0, limits.urlsPerMessage)

/** Is this the last try of the message? After it comes the dead-letter topic. */
const isLast = ({ envelope }: Work<unknown>): boolean => envelope.attempt >= messageRetry.attempts

const sameUrls = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && a.every((url, at) => url === b[at])

/**
 * What a part found before, if it ended between its file and its row: then nothing is asked again. Batch ids begin anew with a new store,
 * files stay: what an earlier store's part of the same name found is nobody's.
 */
const foundBefore = Effect.fnUntraced(function* (path: string, urls: ReadonlyArray<string>) {
  const text = yield* steadfast((yield* Datasets).read(path))
  const found = text === null ? null : parsed(Found, text)
  return found !== null && sameUrls(found.urls, urls) ? found : null
})

/**
 * Questions of one lease. Their answers are kept, and the message goes back for the rest: a crash costs a slice, not the message, and
 * batches of other countries have their turn.
 */
const sliceMax = 25

/** Answers of earlier slices, by their question. */
const answeredBefore = Effect.fnUntraced(function* (path: string, urls: ReadonlyArray<string>) {
  const before = (yield* foundBefore(path, urls))?.answers ?? []
  return new Map(before.map((it) => [`${it.method} ${it.query}`, it]))
})

/** Asks the sources about one part, slice by slice. A part whose every question failed is no result: it is tried again, then buried. */
const discover = Effect.fnUntraced(function* (asking: Asking, work: Work<ResearchJob>) {
  const datasets = yield* Datasets
  const { batch_id, chunk_index, part, research_config } = work.value
  const urls = urlsOf(work.value)
  const { country, category } = research_config
  const year = new Date(work.envelope.occurred_at).getUTCFullYear()
  const lookups = lookupsOf({ urls, methods: research_config.methods }, country, category, year)
  const progress = paths.progress(batch_id, chunk_index, part)
  const known = yield* answeredBefore(progress, urls)
  const rest = lookups.filter((it) => !known.has(`${it.method} ${it.query}`))
  const fresh = yield* answersOf(asking, rest.slice(0, sliceMax), isLast(work))
  const answers = [...known.values(), ...fresh]
  const found: Found = { urls, answers }
  if (rest.length > sliceMax) {
    yield* steadfast(datasets.replace(progress, JSON.stringify(found)))
    const until = yield* Clock.currentTimeMillis
    return yield* new Postponed({ code: "busy_host", message: `${rest.length - sliceMax} questions left`, until })
  }
  const [first] = answers
  if (first !== undefined && answers.every((it) => it.tag === "failed")) {
    yield* steadfast(datasets.remove(progress))
    return yield* new Retryable({ code: "network", message: `no source answered: ${first.reason ?? ""}` })
  }
  return found
})

/** Its dataset's file, its row, and the files of its shelf; each step may have been done before a crash. */
const finish = Effect.fnUntraced(function* ({ chunk, parts, finished }: Left) {
  const datasets = yield* Datasets
  const files = parts.map((part) => paths.part(chunk.batch_id, chunk.chunk_index, part))
  if (!finished) {
    const texts = yield* Effect.forEach(files, (path) => steadfast(datasets.read(path)))
    const found = texts.flatMap((text) => (text === null ? [] : (parsed(Found, text) ?? [])))
    if (found.length < files.length) {
      return yield* new Fatal({ code: "bad_data", message: `parts of ${chunk.batch_id} are missing or unreadable` })
    }
    const dataset = assemble(chunk, found)
    const { text, entry, domains } = written(chunk, dataset, yield* Clock.currentTimeMillis)
    const outcome = yield* steadfast(datasets.publish(entry.path, text))
    if (outcome === "taken") {
      return yield* new Fatal({ code: "bad_data", message: `${entry.path} holds another dataset: it stays` })
    }
    const fresh = yield* stored((yield* Batches).published(entry, domains, chunk))
    if (fresh) {
      yield* Metric.update(metrics.urls, entry.record_count)
      yield* Metric.update(metrics.chunks(entry.partial ? "partial" : "completed"), 1)
    }
  }
  yield* shelve(chunk, chunk.day)
  yield* Effect.forEach(files, (path) => steadfast(datasets.remove(path)), { discard: true })
})

/** Says in the batch's state why a part is not done for now. */
const held = Effect.fnUntraced(function* (
  work: Work<ResearchJob>,
  error: Fatal | Retryable | Suspendable | Postponed | Unavailable
) {
  if (error._tag === "Postponed" || error._tag === "Unavailable") return
  const { batch_id, chunk_index } = work.value
  const where = `${batch_id}, chunk ${chunk_index}`
  if (error._tag === "Retryable" && !isLast(work))
    return yield* Effect.logInfo(`${where} is tried again: ${error.message}`)
  const state = error._tag === "Suspendable" ? "suspended" : "failed"
  if (state === "failed") yield* Metric.update(metrics.chunks("failed"), 1)
  yield* Effect.logWarning(`${where} is ${state}: ${error.message} (crawler research resume ${batch_id})`)
  yield* Effect.ignore(stored((yield* Batches).partHeld(keyOf(work.value), state, error.message)))
})

const work = Effect.fnUntraced(function* (asking: Asking, message: Work<ResearchJob>) {
  const batches = yield* Batches
  const key = keyOf(message.value)
  const before = yield* steadfast(batches.left(key))
  if (before === null) return yield* new Fatal({ code: "bad_data", message: `there is no part ${JSON.stringify(key)}` })
  if (before.part_held) yield* stored(batches.partBegun(key))
  let left: Left | null = before
  if (!before.part_done) {
    const path = paths.part(key.batch_id, key.chunk_index, key.part)
    const found = (yield* foundBefore(path, urlsOf(message.value))) ?? (yield* discover(asking, message))
    yield* steadfast((yield* Datasets).replace(path, JSON.stringify(found)))
    yield* steadfast((yield* Datasets).remove(paths.progress(key.batch_id, key.chunk_index, key.part)))
    left = yield* stored(batches.partDone(key))
  }
  if (left !== null && left.remaining <= 0) yield* finish(left)
  const now = yield* Clock.currentTimeMillis
  yield* Metric.update(metrics.messageSeconds, (now - message.envelope.occurred_at) / 1000)
  return Option.none<never>()
})

/**
 * Discovery (S5.16): each message asks its sources, its chunk's last one publishes the dataset. What is done is never done again:
 * a part by its row or its file, a chunk by its dataset.
 */
export const research = (policy: Policy["Service"]): Stage<ResearchJob, never, Needs> => {
  const pace = adaptive()
  const asking: Asking = { limits: { permits: pace.permits, door: gate(policy.fetchPerHost) }, pace, memo: new Map() }
  return stage(
    "researcher",
    messagesMax,
    (message): Effect.Effect<Option.Option<never>, Fatal | Retryable | Suspendable | Postponed | Unavailable, Needs> =>
      Effect.tapError(work(asking, message), (error) => held(message, error))
  )
}
