import { Effect, Layer, Option, Result, Schema, Stream } from "effect"
import type { Policy } from "../domain/policy.ts"
import type { Reader } from "../domain/ports.ts"
import type { Command } from "../infra/cli/commands.ts"
import * as output from "../infra/cli/output.ts"
import { Output } from "../infra/cli/output.ts"
import { doneIf } from "../infra/cli/print.ts"
import { readText } from "../infra/cli/seeds.ts"
import type { Settings } from "../infra/config.ts"
import { type ExitName, Refusal } from "../infra/exit.ts"
import { visible } from "../infra/logging.ts"
import * as reader from "../infra/reader.worker.ts"
import { extract, type Line, Saved } from "./extract.ts"
import { policy } from "./policy.ts"

type ExtractCommand = Extract<Command, { name: "extract" }>

/** Pages read at once: as many as there are threads, and one more whose file is being read. */
const threads = 2

const decodeLine = Schema.decodeUnknownOption(Schema.fromJsonString(Saved))

/** A manifest line, or the line of output that says what is wrong with it. */
const manifestLine = (text: string, at: number): Result.Result<Saved, Line> => {
  const saved = decodeLine(text)
  if (Option.isSome(saved)) return Result.succeed(saved.value)
  return Result.fail({
    id: null,
    url: "",
    error: `line ${at + 1}: expected {"id", "path", "url"}, got ${text.slice(0, 100)}`
  })
}

const entries = Effect.fnUntraced(function* ({ words, flags }: ExtractCommand) {
  if (flags.batch === null) return words.map((path) => Result.succeed<Saved>({ path, url: flags.url ?? "" }))
  const lines = (yield* readText(flags.batch)).split("\n").filter((it) => it.trim() !== "")
  return lines.map(manifestLine)
})

/** A page of a manifest whose file or URL is wrong is a line with its id, like any other page without an article. */
const lineFor = (saved: Saved, { message }: Refusal): Line => ({
  id: saved.id ?? null,
  url: saved.url,
  path: saved.path,
  error: message
})

interface Count {
  readonly articles: number
  /** How the first input that was wrong ends the command. */
  readonly refused: ExitName | null
}
const nothingYet: Count = { articles: 0, refused: null }
const counted = ({ articles, refused }: Count, it: Line | Refusal): Count =>
  it instanceof Refusal
    ? { articles, refused: refused ?? it.exit }
    : { articles: "error" in it ? articles : articles + 1, refused }

/**
 * `crawler extract`: saved pages in, one JSON line each, no network. Done when at least one was an article; a file named on the command
 * line that cannot be read is a complaint (exit 66), whatever became of the others.
 */
export const saved = Effect.fn("extract")(function* (command: ExtractCommand) {
  const given = yield* entries(command)
  const { batch, out, html } = command.flags
  const numbers = policy({ readers: threads, html, oneShot: true })
  const services = Layer.merge(reader.layer.pipe(Layer.provideMerge(numbers)), output.layer(out))
  const read = (entry: Result.Result<Saved, Line>): Effect.Effect<Line | Refusal, never, Policy | Reader | Settings> =>
    Result.isFailure(entry)
      ? Effect.succeed(entry.failure)
      : Effect.catch(extract(entry.success), (it) => Effect.succeed(batch === null ? it : lineFor(entry.success, it)))
  const tell = (it: Line | Refusal) =>
    Output.use((to) =>
      it instanceof Refusal ? to.note(`crawler: ${visible(it.message)}`) : to.line(JSON.stringify(it))
    )
  const { articles, refused } = yield* Stream.fromIterable(given).pipe(
    Stream.mapEffect(read, { concurrency: threads + 1 }),
    Stream.tap(tell),
    Stream.runFold(() => nothingYet, counted),
    Effect.provide(services)
  )
  return refused ?? doneIf(articles)
})
