import { Effect } from "effect"
import { Topic } from "../../domain/topics.ts"
import type { HostPriority } from "../api/standing.ts"
import { Control } from "../control.ts"
import { Refusal } from "../exit.ts"
import { visible } from "../logging.ts"
import type { Command } from "./commands.ts"
import { hostNamed } from "./host.ts"
import { Output } from "./output.ts"
import { dated, doneIf, print, type Work } from "./print.ts"
import { readText } from "./seeds.ts"
import { facts, table } from "./table.ts"

type Storing = Extract<Command, { name: `dlq ${string}` | `hosts ${string}` | "sql" }>

const changed = (
  json: boolean,
  verb: string,
  answer: { readonly changed: number; readonly refused: ReadonlyArray<{ readonly id: string; readonly why: string }> }
) =>
  Effect.gen(function* () {
    const output = yield* Output
    yield* print(json, answer, () => `${answer.changed} ${verb}`)
    yield* Effect.forEach(answer.refused, ({ id, why }) => output.note(`${visible(id)}: ${visible(why)}`), {
      discard: true
    })
    // As with the ids of other commands: one that names nothing is a mistake, whatever became of the rest.
    return doneIf(answer.refused.length === 0 ? answer.changed : 0)
  })

const topicOf = (text: string | null): Effect.Effect<{ readonly topic?: Topic }, Refusal> => {
  if (text === null) return Effect.succeed({})
  const known = Topic.literals.find((it) => it === text)
  return known === undefined
    ? Effect.fail(
        new Refusal({
          exit: "usage",
          message: `--topic ${JSON.stringify(text)}: expected one of ${Topic.literals.join(", ")}`
        })
      )
    : Effect.succeed({ topic: known })
}

const ratingOf = (text: string): Effect.Effect<number | null, Refusal> => {
  if (text === "none") return Effect.succeed(null)
  const value = /^(?:0|1|[01]?\.\d{1,6}|1\.0+)$/.test(text) ? Number(text) : Number.NaN
  return value >= 0 && value <= 1
    ? Effect.succeed(value)
    : Effect.fail(
        new Refusal({
          exit: "usage",
          message: `rating ${JSON.stringify(text)}: expected a number from 0 to 1, or none`
        })
      )
}

const named = (values: Readonly<Record<string, number | null>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value ?? "?"}`)
    .join(" ")

/** What decides about a host, and each field of its config that was dropped on a line of its own. */
const standingText = ({ signals, warnings, weights, ...known }: HostPriority): string =>
  [
    facts({ ...known, signals: named(signals), weights: named(weights), warnings: warnings.length }),
    ...warnings.map(({ field, why }) => visible(`  ${field}: ${why}`))
  ].join("\n")

/** `crawler dlq …`, `hosts …`, `sql …` */
export const askRecords = (command: Storing): Work =>
  Effect.gen(function* () {
    const control = yield* Control
    const { words, flags } = command
    const [first = ""] = words
    switch (command.name) {
      case "dlq list": {
        const { limit, topic } = command.flags
        const { letters } = yield* control["dlq.list"]({
          ...(limit === null ? {} : { limit }),
          ...(yield* topicOf(topic))
        })
        const rows = letters.map((it) => ({ ...it, at: dated(it.at), about: it.url ?? it.key }))
        yield* print(flags.json, letters, () => table(rows, ["id", "at", "topic", "stage", "code", "about", "message"]))
        return "done"
      }
      case "dlq show": {
        const letter = yield* control["dlq.show"]({ id: first })
        yield* print(
          flags.json,
          letter,
          () => `${facts({ ...letter, at: dated(letter.at), bytes: undefined })}\n\n${visible(letter.bytes)}`
        )
        return "done"
      }
      case "dlq replay":
        return yield* changed(flags.json, "sent again", yield* control["dlq.replay"]({ ids: words }))
      case "dlq drop":
        return yield* changed(flags.json, "deleted", yield* control["dlq.drop"]({ ids: words }))
      case "hosts list": {
        const { limit } = command.flags
        const { hosts } = yield* control["hosts.list"](limit === null ? {} : { limit })
        yield* print(flags.json, hosts, () =>
          table(hosts, ["host", "urls", "articles", "last_fetch_at", "delay_ms", "paused_until"])
        )
        return "done"
      }
      case "hosts show": {
        const host = yield* control["hosts.show"]({ host: hostNamed(first) })
        yield* print(flags.json, host, () => facts(host))
        return "done"
      }
      case "hosts priority": {
        const known = yield* control["hosts.priority"]({ host: hostNamed(first) })
        yield* print(flags.json, known, () => standingText(known))
        return "done"
      }
      case "hosts rate": {
        const rating = yield* ratingOf(words[1] ?? "")
        const known = yield* control["hosts.rate"]({ host: hostNamed(first), rating })
        yield* print(flags.json, known, () => `${visible(known.host)} is rated ${known.rating ?? "no more"}`)
        return "done"
      }
      case "sql": {
        const text = first === "-" ? yield* readText("-") : first
        const { rows } = yield* control.sql({ text })
        yield* print(flags.json, rows, () => table(rows, Object.keys(rows[0] ?? {})))
        return "done"
      }
    }
  })
