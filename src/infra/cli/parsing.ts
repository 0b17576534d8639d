import { Effect, Result, Schema } from "effect"
import { RulingInput } from "../../domain/ruling.ts"
import { Control, controlError } from "../control.ts"
import { Refusal } from "../exit.ts"
import { visible } from "../logging.ts"
import type { Command } from "./commands.ts"
import { hostNamed } from "./host.ts"
import { print, type Work } from "./print.ts"
import { readText } from "./seeds.ts"
import { facts, table } from "./table.ts"

type Parsing = Extract<Command, { name: `parsing-rules ${string}` }>

const columns = ["id", "host_pattern", "path_pattern", "target_type", "version", "enabled", "source_name"]
const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Array(RulingInput)), {
  onExcessProperty: "error"
})

const set = Effect.fnUntraced(function* (path: string, json: boolean) {
  const rules = decode(yield* readText(path))
  if (Result.isFailure(rules)) {
    const message = `${visible(path)}: expected a JSON array of rules: ${visible(String(rules.failure)).slice(0, 300)}`
    return yield* new Refusal({ exit: "data", message })
  }
  const answer = yield* (yield* Control)["parsing-rules.set"]({ rules: rules.success })
  yield* print(json, answer, () => `${answer.set} set`)
  return "done" as const
})

/** `crawler parsing-rules …` */
export const askParsing = (command: Parsing): Work =>
  Effect.gen(function* () {
    const control = yield* Control
    const { words } = command
    const { json } = command.flags
    const [first = ""] = words
    switch (command.name) {
      case "parsing-rules list": {
        const { host } = command.flags
        const { rules } = yield* control["parsing-rules.list"](host === null ? {} : { host: hostNamed(host) })
        yield* print(json, rules, () => table(rules, columns))
        return "done"
      }
      case "parsing-rules show": {
        const { rules } = yield* control["parsing-rules.list"]({})
        const rule = rules.find((it) => it.id === first)
        if (rule === undefined)
          return yield* controlError("not_found", `there is no parsing rule ${visible(first)}`, "id")
        yield* print(json, rule, () => facts(rule))
        return "done"
      }
      case "parsing-rules set":
        return yield* set(first, json)
      case "parsing-rules enable":
      case "parsing-rules disable": {
        const enabled = command.name === "parsing-rules enable"
        const changed = yield* Effect.forEach(words, (id) => control["parsing-rules.enable"]({ id, enabled }))
        yield* print(json, { rules: changed }, () => table(changed, ["id", "enabled"]))
        return "done"
      }
    }
  })
