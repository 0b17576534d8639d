import { createHash } from "node:crypto"
import { Clock, Effect, Result } from "effect"
import type { BadData, Unavailable } from "../domain/errors.ts"
import { hasPageMark, pageUrl } from "../domain/paging.ts"
import { Sources } from "../domain/ports.ts"
import { isSourceCron, nextSlot, pollEveryMin } from "../domain/slots.ts"
import type { Source, SourceInput, SourceKind } from "../domain/source.ts"
import { normaliseUrl, registrableDomain } from "../domain/url.ts"
import { checkUrl } from "./cli/seeds.ts"
import type { Control } from "./control.ts"
import { type ControlError, controlError } from "./control.ts"

/** List pages of one poll at most: what is older was on an earlier poll's pages. */
const pagesMax = 100

type Operations = Pick<
  Control["Service"],
  "sources.list" | "sources.show" | "sources.add" | "sources.import" | "sources.update" | "sources.remove"
>

/** What a URL says of its kind; the reader judges the document itself, so a wrong guess costs one poll's priority. */
const guessKind = (href: string): SourceKind => {
  const { pathname } = new URL(href)
  if (/sitemap[^/]*(?:\.xml(?:\.gz)?)?$/i.test(pathname)) return "sitemap"
  return /(?:^|[/._-])(?:rss|feed|feeds|atom)(?:[/._-]|$)|\.(?:xml|rdf)$/i.test(pathname) ? "feed" : "list"
}

const isZone = (zone: string): boolean => {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone !== ""
  } catch {
    return false
  }
}

/** Further pages are pages of the same site: what is polled stays what an operator named. */
const isPageUrl = (template: string, url: string): boolean => {
  const [page, first] = [URL.parse(pageUrl(template, 2)), URL.parse(url)]
  if (page === null || first === null || !/^https?:$/.test(page.protocol)) return false
  return hasPageMark(template) && registrableDomain(page.hostname) === registrableDomain(first.hostname)
}

const invalid = (field: string, value: string, form: string) =>
  controlError("invalid", `${field} ${JSON.stringify(value)}: expected ${form}`, field)

const fault = (input: SourceInput): ControlError | null => {
  const { cron, every_ms, zone, country, max_pages, page_url } = input
  if (zone !== undefined && !isZone(zone)) return invalid("zone", zone, "an IANA time zone such as Asia/Seoul")
  if (cron !== undefined && every_ms !== undefined) {
    return controlError("invalid", "cron and every_ms: give one of them", "cron")
  }
  if (cron !== undefined && !isSourceCron(cron, zone ?? "UTC")) {
    return invalid("cron", cron, "five fields: minute (0-59) hour (0-23) day (1-31) month (1-12) weekday (0-7)")
  }
  if (every_ms !== undefined && every_ms < pollEveryMin) {
    return invalid("every_ms", String(every_ms), `at least ${pollEveryMin} ms`)
  }
  const kind = input.kind ?? (URL.canParse(input.url) ? guessKind(input.url) : "list")
  if (kind !== "list" && (page_url ?? max_pages) !== undefined) {
    return controlError("invalid", `a ${kind} has no further pages: page_url and max_pages are for lists`, "page_url")
  }
  if (page_url !== undefined && !isPageUrl(page_url, input.url)) {
    return invalid("page_url", page_url, "a URL of the same site with {page} for the page's number")
  }
  if (max_pages !== undefined && page_url === undefined) {
    return controlError("invalid", "max_pages: where the further pages are is said by page_url", "max_pages")
  }
  if (max_pages !== undefined && (max_pages < 1 || max_pages > pagesMax)) {
    return invalid("max_pages", String(max_pages), `1 to ${pagesMax}`)
  }
  return country !== undefined && !/^[A-Z]{2}$/i.test(country) ? invalid("country", country, "two letters") : null
}

/** The same page, section and zone is the same source: adding it again changes nothing. */
const idOf = (href: string, section: string | null): string =>
  createHash("sha256")
    .update(`${normaliseUrl(href)}\n${section ?? ""}`)
    .digest("hex")
    .slice(0, 16)

/** What an operator states, completed; its first poll is due at once. */
const complete = (
  input: SourceInput,
  cidrs: ReadonlyArray<string>,
  now: number
): Result.Result<Source, ControlError> => {
  const url = checkUrl(input.url, cidrs)
  if (Result.isFailure(url))
    return Result.fail(controlError("invalid", `url: ${url.failure.code}: ${url.failure.message}`, "url"))
  const wrong = fault(input)
  if (wrong !== null) return Result.fail(wrong)
  const { href, host } = url.success
  const section = input.section ?? null
  return Result.succeed({
    id: idOf(href, section),
    name: input.name ?? (section === null ? host : `${host} ${section}`),
    url: href,
    kind: input.kind ?? guessKind(href),
    every_ms: input.every_ms ?? null,
    cron: input.cron ?? null,
    zone: input.zone ?? "UTC",
    category: input.category ?? null,
    country: input.country?.toUpperCase() ?? null,
    section,
    page_url: input.page_url ?? null,
    max_pages: input.max_pages ?? null,
    priority: input.priority ?? null,
    enabled: input.enabled ?? true,
    created_at: now,
    next_poll_at: now,
    polled_at: null,
    last: null
  })
}

/** A store's failures as an operator sees them. */
export const stored = <A, R>(work: Effect.Effect<A, Unavailable | BadData, R>): Effect.Effect<A, ControlError, R> =>
  Effect.mapError(work, (error) =>
    error._tag === "Unavailable"
      ? controlError("unavailable", `${error.dependency}: ${error.message}`)
      : controlError("invalid", error.message)
  )

const byId = Effect.fnUntraced(function* (id: string) {
  const found = yield* stored((yield* Sources).find(id))
  return found ?? (yield* controlError("not_found", `there is no source ${id}`, "id"))
})

const add = Effect.fnUntraced(function* (
  inputs: ReadonlyArray<SourceInput>,
  cidrs: ReadonlyArray<string>,
  strict = false
) {
  const port = yield* Sources
  const now = yield* Clock.currentTimeMillis
  const held = new Map((yield* stored(port.list)).map((it) => [it.id, it]))
  const results = inputs.map((input) => ({ input, result: complete(input, cidrs, now) }))
  const fresh = new Map<string, Source>()
  const refused = strict && results.some(({ result }) => Result.isFailure(result))
  for (const { result } of refused ? [] : results) {
    if (Result.isSuccess(result) && !held.has(result.success.id)) fresh.set(result.success.id, result.success)
  }
  if (fresh.size > 0) yield* stored(port.put([...fresh.values()]))
  return { results, fresh, held }
})

/** Sources over the port of the same name. */
export const sourceOperations = (cidrs: ReadonlyArray<string>): Effect.Effect<Operations, never, Sources> =>
  Effect.map(Sources, (port) => {
    const within = <A>(work: Effect.Effect<A, ControlError, Sources>) => Effect.provideService(work, Sources, port)
    return {
      "sources.list": () => stored(Effect.map(port.list, (sources) => ({ sources }))),
      "sources.show": ({ id }) => within(byId(id)),
      "sources.add": (input) =>
        within(
          Effect.flatMap(add([input], cidrs), ({ results, held }) => {
            const [first] = results
            if (first === undefined) return Effect.fail(controlError("internal", "nothing was added"))
            return Effect.map(Effect.fromResult(first.result), (source) => held.get(source.id) ?? source)
          })
        ),
      "sources.import": ({ sources, strict }) =>
        within(
          Effect.map(add(sources, cidrs, strict), ({ results, fresh }) => {
            const rejected = results.flatMap(({ input, result }, index) =>
              Result.isFailure(result)
                ? [
                    {
                      index,
                      input: input.url.slice(0, 200),
                      code: result.failure.code,
                      message: result.failure.message
                    }
                  ]
                : []
            )
            const taken = strict === true && rejected.length > 0 ? 0 : sources.length - rejected.length
            return { added: fresh.size, known: taken - fresh.size, rejected }
          })
        ),
      "sources.update": ({ id, enabled }) =>
        within(
          Effect.gen(function* () {
            const source = yield* byId(id)
            const now = yield* Clock.currentTimeMillis
            // Slots missed while it was off are not made up for.
            const next_poll_at = enabled && !source.enabled ? nextSlot(source, now) : source.next_poll_at
            const changed = { ...source, enabled, next_poll_at }
            yield* stored(port.put([changed]))
            return changed
          })
        ),
      "sources.remove": ({ id }) =>
        Effect.flatMap(stored(port.remove(id)), (found) =>
          found ? Effect.succeed({ id }) : Effect.fail(controlError("not_found", `there is no source ${id}`, "id"))
        )
    }
  })
