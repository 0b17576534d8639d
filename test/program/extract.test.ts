import { expect } from "bun:test"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { saved } from "../../src/program/saved.ts"
import { live } from "../support/effect.ts"
import { settings } from "../support/net.ts"
import { articlePage } from "../support/pages.ts"

const flags = { url: "https://a.kr/news/2026/11/30/1", batch: null, html: false }
/** `crawler extract` in a folder of its own: how it ends, and what it wrote. */
const extracted = (words: ReadonlyArray<string>, more: { readonly url?: string; readonly batch?: string } = {}) =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "extract-"))),
      (it) => Effect.sync(() => rmSync(it, { recursive: true, force: true }))
    )
    const [good, out] = [join(folder, "good.html"), join(folder, "out.jsonl")]
    writeFileSync(good, articlePage("Council votes on the bridge"))
    const manifest = join(folder, "manifest.jsonl")
    const lines = ["good.html", "none.html"].map((path) => ({ id: path, path: join(folder, path), url: flags.url }))
    writeFileSync(manifest, lines.map((it) => JSON.stringify(it)).join("\n"))
    const named = words.map((it) => join(folder, it))
    const batch = more.batch === undefined ? null : manifest
    const exit = yield* saved({ name: "extract", words: named, flags: { ...flags, ...more, batch, out } })
    const written = readFileSync(out, "utf8")
      .split("\n")
      .filter((it) => it !== "")
    return { exit, lines: written.map((it): { id: string; title?: string; error?: string } => JSON.parse(it)) }
  }).pipe(Effect.scoped, Effect.provide(settings({})))

live("a file named on the command line that cannot be read is no line of output but exit 66; the others are read", () =>
  Effect.gen(function* () {
    expect(yield* extracted(["none.html"])).toEqual({ exit: "input", lines: [] })
    expect((yield* extracted(["."])).exit).toBe("input")
    const { exit, lines } = yield* extracted(["none.html", "good.html"])
    expect([exit, lines.map((it) => it.title)]).toEqual(["input", ["Council votes on the bridge"]])
  })
)

live("an address that is none is bad data", () =>
  Effect.gen(function* () {
    expect(yield* extracted(["good.html"], { url: "nonsense" })).toEqual({ exit: "data", lines: [] })
  })
)

live("in a manifest it is the line of its id", () =>
  Effect.gen(function* () {
    const { exit, lines } = yield* extracted([], { batch: "manifest" })
    expect(exit).toBe("done")
    expect(lines.find((it) => it.id === "none.html")?.error).toEndWith("none.html: no such file or directory (ENOENT)")
  })
)
