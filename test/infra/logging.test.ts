import { expect, test } from "bun:test"
import { Effect } from "effect"
import { layer, visible } from "../../src/infra/logging.ts"

const logged = (
  options: { format: "auto" | "pretty" | "json"; terminal: boolean; level?: "debug" | "warn" },
  work: Effect.Effect<void>
) => {
  const lines: Array<string> = []
  Effect.runSync(
    Effect.provide(work, layer({ level: options.level ?? "debug", ...options, write: (it) => lines.push(it) }))
  )
  return lines.join("")
}

test("without a terminal each line is one JSON object with its annotations", () => {
  const text = logged(
    { format: "auto", terminal: false },
    Effect.logWarning("slow\nhost", { tries: 3 }).pipe(Effect.annotateLogs({ host: "a.kr", level: "forged" }))
  )
  expect(text.endsWith("\n")).toBe(true)
  expect(JSON.parse(text)).toMatchObject({ level: "warn", message: 'slow\nhost {"tries":3}', host: "a.kr" })
  expect(text.trimEnd()).not.toContain("\n")
})

test("on a terminal text from outside moves no cursor, paints nothing and begins no line", () => {
  const text = logged({ format: "auto", terminal: true }, Effect.logInfo("title \u001b[2J\r\nERROR forged \u202egnp"))
  expect(text).not.toMatch(/[\u001b\r\u202e]/)
  expect(text.split("\n")).toHaveLength(2)
  expect(text).toContain("\\u001b[2J\\u000d\\u000aERROR forged")
})

test("lines under the level are not written, and a cause is", () => {
  expect(logged({ format: "json", terminal: false, level: "warn" }, Effect.logInfo("quiet"))).toBe("")
  const text = logged(
    { format: "json", terminal: false },
    Effect.gen(function* () {
      const exit = yield* Effect.exit(Effect.die(new Error("broken")))
      if (exit._tag === "Failure") yield* Effect.logError("work ended", exit.cause)
    })
  )
  expect(text).toContain("broken")
})

test("visible leaves letters of every script alone", () => {
  expect(visible("한국어 é 日本 👍")).toBe("한국어 é 日本 👍")
  expect(visible("a\u0000\u0085\u2028b")).toBe("a\\u0000\\u0085\\u2028b")
})
