import { expect, test } from "bun:test"
import { mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect, Layer, Result } from "effect"
import type { Article } from "../../src/domain/article.ts"
import { Outputs } from "../../src/domain/ports.ts"
import * as jsonl from "../../src/infra/outputs.jsonl.ts"
import * as none from "../../src/infra/outputs.none.ts"
import { outputsSuite } from "../support/conformance/outputs.ts"
import { article } from "../support/conformance/pages.ts"
import { live } from "../support/effect.ts"

/** A file of its own, gone after the test. */
class Path extends Context.Service<Path, string>()("test/Path") {}
const path = Layer.effect(
  Path,
  Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "outputs-"))),
    (folder) => Effect.promise(() => rm(folder, { recursive: true }))
  ).pipe(Effect.map((folder) => join(folder, "articles.jsonl")))
)
const lines = (text: string) => text.split("\n").filter((line) => line !== "")
const content = Effect.flatMap(Path, (at) => Effect.promise(() => readFile(at, "utf8")))
const toFile = Layer.unwrap(Effect.map(Path, jsonl.layer)).pipe(Layer.provideMerge(path))

outputsSuite("JSON lines in a file", toFile, {
  clock: "live",
  received: Effect.map(content, (text) => lines(text).map((line): Article => JSON.parse(line)))
})

const deliver = (at: string, id: string) =>
  Outputs.use((outputs) => outputs.deliver([article(id)])).pipe(Effect.provide(jsonl.layer(at)))

live("lines are appended to what the file has, after a line that was cut is ended", () =>
  Effect.gen(function* () {
    const at = yield* Path
    yield* deliver(at, "first")
    const whole = yield* content
    yield* Effect.promise(() => writeFile(at, `${whole}{"id":"cut`))
    yield* deliver(at, "second")
    const seen = lines(yield* content)
    expect(seen.length).toBe(3)
    expect(seen[1]).toBe('{"id":"cut')
    expect(JSON.parse(seen[2] ?? "").id).toBe("second")
  }).pipe(Effect.provide(path))
)

live("a folder that is not there is named in the failure", () =>
  Effect.gen(function* () {
    const at = join(yield* Path, "missing", "articles.jsonl")
    const result = yield* Effect.result(deliver(at, "x"))
    expect(Result.isFailure(result) && result.failure).toMatchObject({
      _tag: "Unavailable",
      message: expect.stringContaining(at)
    })
  }).pipe(Effect.provide(path))
)

live("a full disk is Unavailable, not a crash", () =>
  Effect.gen(function* () {
    const result = yield* Effect.result(deliver("/dev/full", "x"))
    expect(Result.isFailure(result) && result.failure._tag).toBe("Unavailable")
  })
)

live("lines that a full disk cut off are written again whole, on lines of their own", () =>
  Effect.gen(function* () {
    const at = yield* Path
    const handle = yield* Effect.promise(() => open(at, "a+"))
    let room = 30
    const disk = {
      stat: handle.stat.bind(handle),
      read: handle.read.bind(handle),
      appendFile: async (block: string | Uint8Array) => {
        await handle.appendFile(block.slice(0, room))
        if (block.length > room) throw Object.assign(new Error("write"), { code: "ENOSPC" })
      }
    }
    const target = jsonl.appending(disk)
    const block = Buffer.from('{"id":"first article"}\n{"id":"second article"}\n')
    expect((yield* Effect.result(Effect.tryPromise(() => target.write(block))))._tag).toBe("Failure")
    room = 1000
    yield* Effect.promise(() => target.write(block))
    yield* Effect.promise(() => handle.close())
    expect(lines(yield* content)).toEqual([
      '{"id":"first article"}',
      '{"id":"',
      '{"id":"first article"}',
      '{"id":"second article"}'
    ])
  }).pipe(Effect.provide(path))
)

live("nobody listening takes everything and says so", () =>
  Effect.gen(function* () {
    const outputs = yield* Outputs
    expect(outputs.enabled).toBe(false)
    yield* outputs.deliver([article("x")])
  }).pipe(Effect.provide(none.layer))
)

const root = join(import.meta.dir, "../..")
/** A process that delivers large articles to its stdout. */
const delivering = (count: number) => `
    import { Effect } from "effect"
    import { Outputs } from "./src/domain/ports.ts"
    import { layer } from "./src/infra/outputs.jsonl.ts"
    import { article } from "./test/support/conformance/pages.ts"
    const text = "본문 ".repeat(5000)
    const all = Array.from({ length: ${count} }, (_, n) => article("id" + n, { text }))
    await Effect.runPromise(Outputs.use((it) => it.deliver(all)).pipe(Effect.provide(layer("-"))))
    process.exit(0)`
test("a process whose stdout is closed ends quietly, like any tool in a pipe", async () => {
  const pipe = '{ "$0" -e "$1"; echo "code $?" >&2; } | head -c 10'
  const shell = Bun.spawn(["sh", "-c", pipe, process.execPath, delivering(500)], {
    cwd: root,
    stdout: "ignore",
    stderr: "pipe"
  })
  const complaint = await new Response(shell.stderr).text()
  expect(complaint.trim()).toBe("code 0")
})

test("stdout gets every line, also through a pipe that is read slowly", async () => {
  const child = Bun.spawn([process.execPath, "-e", delivering(200)], { cwd: root, stdout: "pipe", stderr: "inherit" })
  const reader = child.stdout.getReader()
  const parts: Array<Uint8Array> = []
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value)
    await Bun.sleep(1)
  }
  const seen = lines(Buffer.concat(parts).toString())
  expect(seen.map((line) => JSON.parse(line).id)).toEqual(Array.from({ length: 200 }, (_, n) => `id${n}`))
  expect(await child.exited).toBe(0)
})
