import { Effect, Layer, Option, Result, Schema, Stream } from "effect"
import type { Command } from "../infra/cli/commands.ts"
import * as output from "../infra/cli/output.ts"
import { Output } from "../infra/cli/output.ts"
import { doneIf } from "../infra/cli/print.ts"
import { readText } from "../infra/cli/seeds.ts"
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

/** `crawler extract`: saved pages in, one JSON line each, no network. Done when at least one was an article. */
export const saved = Effect.fn("extract")(function* (command: ExtractCommand) {
  const given = yield* entries(command)
  const { out, html } = command.flags
  const print = (line: Line) => Output.use((it) => it.line(JSON.stringify(line)))
  const numbers = policy({ readers: threads, html, oneShot: true })
  const services = Layer.merge(reader.layer.pipe(Layer.provideMerge(numbers)), output.layer(out))
  const articles = yield* Stream.fromIterable(given).pipe(
    Stream.mapEffect((it) => (Result.isFailure(it) ? Effect.succeed(it.failure) : extract(it.success)), {
      concurrency: threads + 1
    }),
    Stream.tap(print),
    Stream.runFold(
      () => 0,
      (count, line) => ("error" in line ? count : count + 1)
    ),
    Effect.provide(services)
  )
  return doneIf(articles)
})
