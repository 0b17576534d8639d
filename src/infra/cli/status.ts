import { Effect } from "effect"
import type { Overview } from "../api/overview.ts"
import { Control } from "../control.ts"
import { visible } from "../logging.ts"
import type { Command } from "./commands.ts"
import { print, type Work } from "./print.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A time as people say it. @example spoken(150_000) // => "2 min" */
const spoken = (ms: number): string =>
  ms < MINUTE
    ? `${Math.round(ms / 1000)} s`
    : ms < 2 * HOUR
      ? `${Math.floor(ms / MINUTE)} min`
      : ms < 2 * DAY
        ? `${Math.floor(ms / HOUR)} h`
        : `${Math.floor(ms / DAY)} days`

const between = (from: string, to: string): string => spoken(Math.max(0, Date.parse(to) - Date.parse(from)))

/** Codes of dead letters that are named; the rest are in the sum. */
const CODES_MAX = 4
/** Characters of an address or a message that fit a line. */
const WIDTH_MAX = 90
const cut = (text: string): string => visible(text.length > WIDTH_MAX ? `${text.slice(0, WIDTH_MAX - 1)}…` : text)

const listed = (items: ReadonlyArray<string>, of: number): string =>
  items.length === 0 ? "" : ` (${items.join(", ")}${of > items.length ? ", …" : ""})`

const aiText = ({ ai }: Overview): string => {
  if (ai === null) return "off"
  const { budget_usd, closed_by, next_probe_at, spent_today_usd, waits_for_budget } = ai.provider
  const jobs = ai.jobs.map((it) => `${it.jobs} ${it.status}`).join(", ")
  const money = `$${spent_today_usd.toFixed(2)}${budget_usd > 0 ? ` of $${budget_usd}` : ""} spent today`
  return [
    jobs === "" ? "no job" : jobs,
    money,
    ...(waits_for_budget ? ["pending jobs wait for tomorrow"] : []),
    ...(closed_by === null ? [] : [`provider closed by ${closed_by}, tried again ${next_probe_at}`])
  ].join("; ")
}

type Row = readonly [name: string, said: string]

const backlogRows = ({ at, backlog }: Overview): ReadonlyArray<Row> => {
  const oldest = backlog
    .flatMap(({ due_at, ready, topic }) => (due_at === null || ready === 0 ? [] : [{ due_at, topic }]))
    .toSorted((a, b) => a.due_at.localeCompare(b.due_at))[0]
  const suspended = backlog.reduce((sum, it) => sum + it.suspended, 0)
  return [
    ["backlog", backlog.length === 0 ? "nothing" : "ready, later, in work"],
    ...backlog.map(({ later, leased, ready, topic }): Row => [`  ${topic}`, `${ready}, ${later}, ${leased}`]),
    ["oldest waiting", oldest === undefined ? "none" : `${between(oldest.due_at, at)} (${oldest.topic})`],
    ["suspended", suspended === 0 ? "0" : `${suspended}, waiting for an operator`]
  ]
}

const hostRows = ({ at, hosts: { shut, shut_longest, slow, slowest } }: Overview): ReadonlyArray<Row> => {
  const pausing = shut_longest.map(
    ({ failing, host, until }) => `${host} ${failing ? "fails" : "pauses"}, ${between(at, until)} to go`
  )
  const late = slowest.map(({ answer_ms, host }) => `${host} ${spoken(answer_ms)}`)
  return [
    ["hosts left alone", `${shut}${listed(pausing, shut)}`],
    ["slow hosts", `${slow}${listed(late, slow)}`]
  ]
}

const sourceRows = ({ at: now, sources: { enabled, failed, latest_failures } }: Overview): ReadonlyArray<Row> => [
  ["sources", `${enabled} polled, the last poll of ${failed} failed`],
  ...latest_failures.map(({ at, id, message, outcome }): Row => {
    return [`  ${id}`, `${between(at, now)} ago: ${outcome}: ${cut(message)}`]
  })
]

/** An overview in some twenty lines. `own`: the process that asks; where it answers itself, no other did. */
export const overviewText = (it: Overview, own: number): string => {
  const { last_day, last_hour, latest_at } = it.articles
  const latest = latest_at === null ? "none yet" : `the latest ${between(latest_at, it.at)} ago`
  const codes = it.dead_letters.codes.map(({ code, letters }) => `${code} ${letters}`)
  const rows: ReadonlyArray<Row> = [
    [
      "crawler",
      `${it.version}: ${it.pid === own ? "none runs here, the store was asked" : `process ${it.pid} answers`}`
    ],
    ["articles", `${last_hour} in the last hour, ${last_day} in the last day, ${latest}`],
    ["article fetches", `${it.fetches.last_hour} in the last hour, ${it.fetches.failed} of them failed`],
    ...backlogRows(it),
    [
      "dead letters",
      `${it.dead_letters.total}, ${it.dead_letters.last_day} of the last day${listed(codes.slice(0, CODES_MAX), codes.length)}`
    ],
    ...hostRows(it),
    ...sourceRows(it),
    ["ai", aiText(it)]
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, said]) => `${name.padEnd(width)}  ${visible(said)}`).join("\n")
}

/** `crawler status` */
export const askStatus = ({ flags }: Extract<Command, { name: "status" }>): Work =>
  Effect.gen(function* () {
    const overview = yield* (yield* Control).overview({})
    yield* print(flags.json, overview, () => overviewText(overview, process.pid))
    return "done" as const
  })
