import { Clock, Duration, Effect, Option, Result, Schema } from "effect"
import { countryCode, isCountry } from "../domain/research/countries.ts"
import { batchId, Category, dayOf, instant, paths, type Shelf, shelfKey } from "../domain/research/path.ts"
import { dues, estimate, limits, partsOf } from "../domain/research/plan.ts"
import { type Method, methods } from "../domain/research/record.ts"
import { type Batch, Batches, Datasets, type LivenessJob, type ResearchJob } from "../domain/research.ts"
import { type Outgoing, schemaVersion } from "../domain/topics.ts"
import { normaliseUrl } from "../domain/url.ts"
import { checkUrl } from "./cli/seeds.ts"
import { Settings } from "./config.ts"
import { stored } from "./control.sources.ts"
import { type ControlError, controlError } from "./control.ts"

/** The value of a JSON text; null when it has another form. */
export const decodeJson = <A, I>(schema: Schema.Codec<A, I>, text: string): A | null =>
  Option.getOrNull(Schema.decodeUnknownOption(Schema.fromJsonString(schema))(text))

const isCategory = Schema.is(Category)

/** A country and a category as a shelf, or the field that is wrong. */
export const shelfOf = (country: string, category: string): Result.Result<Shelf, ControlError> => {
  if (!isCountry(country)) {
    return Result.fail(
      controlError("invalid", `country ${JSON.stringify(country)}: expected an ISO 3166-1 alpha-2 code`, "country")
    )
  }
  return isCategory(category)
    ? Result.succeed({ country: countryCode(country), category })
    : Result.fail(
        controlError(
          "invalid",
          `category ${JSON.stringify(category)}: expected 1 to 50 of a-z, 0-9, - and _`,
          "category"
        )
      )
}

interface Wanted {
  readonly country: string
  readonly category: string
  readonly urls: ReadonlyArray<string>
  readonly chunk_size?: number | undefined
  readonly research_methods?: ReadonlyArray<Method>
}

/** Each URL once, as given; the first bad one refuses the request, for a batch is as it was asked for or not at all. */
const checkedUrls = (
  urls: ReadonlyArray<string>,
  cidrs: ReadonlyArray<string>
): Result.Result<ReadonlyArray<string>, ControlError> => {
  const kept = new Map<string, string>()
  for (const [at, text] of urls.entries()) {
    const url = checkUrl(text, cidrs)
    if (Result.isFailure(url)) {
      const { code, message } = url.failure
      return Result.fail(controlError("invalid", `urls.${at}: ${code}: ${message}`, `urls.${at}`))
    }
    const key = normaliseUrl(url.success.href)
    if (!kept.has(key)) kept.set(key, text.trim())
  }
  return Result.succeed([...kept.values()])
}

/** Without a key Google is not asked unless somebody says so. */
const standardMethods = ({ GOOGLE_API_KEY, GOOGLE_CSE_ID }: Settings["Service"]): ReadonlyArray<Method> =>
  methods.filter(
    (it) => it !== "dns" && (it !== "google_search" || (GOOGLE_API_KEY !== null && GOOGLE_CSE_ID !== null))
  )

/** The highest file number of a day that is in use, whatever the store remembers. */
const highest = Effect.fnUntraced(function* (shelf: Shelf, day: string) {
  const folder = paths.manifest(shelf).replace(/\/[^/]+$/, "")
  const found = yield* stored((yield* Datasets).list(folder))
  const form = new RegExp(`/${day}_(\\d{4,})\\.json$`)
  return found.reduce((top, path) => Math.max(top, Number(form.exec(path)?.[1] ?? 0)), 0)
})

const messageOf = (
  topic: "research" | "liveness",
  key: string,
  payload: ResearchJob | LivenessJob,
  now: number
): Outgoing => ({
  id: `${payload.batch_id}.${payload.chunk_index}.${payload.part}`,
  topic,
  key,
  occurred_at: now,
  attempt: 0,
  trace_id: payload.batch_id,
  headers: { schema: String(schemaVersion) },
  payload,
  not_before: now
})

/** `POST /queues/research` (S5.13): validate, number, store, split, enqueue. */
export const newBatch = Effect.fn("research.newBatch")(function* (wanted: Wanted) {
  const settings = yield* Settings
  const batches = yield* Batches
  const now = yield* Clock.currentTimeMillis
  const urls = yield* Effect.fromResult(checkedUrls(wanted.urls, settings.ALLOW_PRIVATE_CIDRS))
  const shelf: Shelf = { country: countryCode(wanted.country), category: wanted.category }
  const asked = wanted.research_methods ?? standardMethods(settings)
  const chosen = methods.filter((it) => asked.includes(it))
  const chunk_size = wanted.chunk_size ?? limits.chunkMin
  const parts = partsOf(urls, chunk_size, chosen)
  const total_chunks = Math.ceil(urls.length / chunk_size)
  const day = dayOf(now)
  const numbers = yield* stored(batches.reserve(shelf, day, total_chunks, yield* highest(shelf, day)))
  const batch: Batch = {
    ...shelf,
    batch_id: batchId(shelfKey(shelf), day, numbers.batch),
    kind: "research",
    methods: chosen,
    chunk_size,
    total_urls: urls.length,
    total_chunks,
    first_number: numbers.first,
    day,
    created_at: now
  }
  const { batch_id } = batch
  const keys = parts.map(({ chunk_index, part }) => ({ batch_id, chunk_index, part }))
  const jobs = parts.map(
    (it): ResearchJob => ({
      batch_id,
      chunk_index: it.chunk_index,
      part: it.part,
      urls: it.urls,
      research_config: { methods: it.methods, ...shelf }
    })
  )
  const gap = Duration.toMillis(settings.FETCH_DELAY)
  const due = dues(parts, shelf.country, shelf.category, gap)
  yield* stored(
    batches.create(
      batch,
      keys,
      jobs.map((it, at) => ({ ...messageOf("research", shelfKey(shelf), it, now), not_before: now + (due[at] ?? 0) }))
    )
  )
  const takes = estimate(parts, shelf.country, shelf.category, gap)
  return { batch_id, total_chunks, estimated_completion: instant(now + takes) }
})

/** A domain as it is written in a request: a host name, nothing around it. */
const domainOf = (text: string, cidrs: ReadonlyArray<string>): string | null => {
  if (/[/?#@\\\s]/.test(text.trim())) return null
  const url = checkUrl(`https://${text.trim()}/`, cidrs)
  return Result.isFailure(url) || url.success.port !== 443 ? null : url.success.hostname
}

/** `POST /queues/liveness` (S5.18). */
export const newChecks = Effect.fn("research.newChecks")(function* (wanted: {
  readonly country: string
  readonly domains: ReadonlyArray<string>
}) {
  const settings = yield* Settings
  const batches = yield* Batches
  const now = yield* Clock.currentTimeMillis
  const found = wanted.domains.map((it) => domainOf(it, settings.ALLOW_PRIVATE_CIDRS))
  const bad = found.indexOf(null)
  if (bad >= 0) {
    const message = `domains.${bad} ${JSON.stringify((wanted.domains[bad] ?? "").slice(0, 100))}: expected a host name such as mom.gov.sg`
    return yield* controlError("invalid", message, `domains.${bad}`)
  }
  const domains = [...new Set(found.flatMap((it) => it ?? []))]
  const shelf: Shelf = { country: countryCode(wanted.country), category: "liveness" }
  const day = dayOf(now)
  const chunk_size = limits.urlsPerMessage
  const total_chunks = Math.ceil(domains.length / chunk_size)
  const numbers = yield* stored(batches.reserve(shelf, day, 0, 0))
  const batch_id = batchId(shelfKey(shelf), day, numbers.batch)
  const jobs = Array.from(
    { length: total_chunks },
    (_, at): LivenessJob => ({
      batch_id,
      chunk_index: at + 1,
      part: 1,
      country: shelf.country,
      domains: domains.slice(at * chunk_size, (at + 1) * chunk_size)
    })
  )
  const batch: Batch = {
    ...shelf,
    batch_id,
    kind: "liveness",
    methods: [],
    chunk_size,
    total_urls: domains.length,
    total_chunks,
    first_number: 0,
    day,
    created_at: now
  }
  const messages = jobs.map((it) => messageOf("liveness", shelf.country.toLowerCase(), it, now))
  yield* stored(
    batches.create(
      batch,
      jobs.map(({ chunk_index, part }) => ({ batch_id, chunk_index, part })),
      messages
    )
  )
  // At worst every domain is silent until its time is up, ten at a time.
  const takes = Math.ceil(domains.length / 10) * Duration.toMillis(settings.LIVENESS_TIMEOUT)
  return { batch_id, total_chunks, estimated_completion: instant(now + takes) }
})
