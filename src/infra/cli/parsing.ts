import { Clock, Effect, Option, Result, Schema } from "effect"
import { type RuleShown, showRule } from "../../domain/learning/showing.ts"
import { Selectors } from "../../domain/rule.ts"
import { draft, RulingInput } from "../../domain/ruling.ts"
import { Settings } from "../config.ts"
import { boundsOf } from "../control.parsing.ts"
import { Control, controlError } from "../control.ts"
import { Refusal } from "../exit.ts"
import { visible } from "../logging.ts"
import type { Command } from "./commands.ts"
import { hostNamed } from "./host.ts"
import { print, type Work } from "./print.ts"
import { readInput, readText } from "./seeds.ts"
import { facts, table } from "./table.ts"

type Parsing = Extract<Command, { name: `parsing-rules ${string}` }>

const columns = ["id", "host_pattern", "path_pattern", "target_type", "version", "enabled", "origin", "source_name"]
const form = `JSON such as {"source_name": "paper", "host_pattern": "news.example", "target_type": "page", "selectors": {"title": {"css": "h1"}}}, or an array of such; selectors: ${Object.keys(Selectors.fields).join(", ")}`
const decode = Schema.decodeUnknownResult(
  Schema.fromJsonString(Schema.Union([Schema.Array(RulingInput), RulingInput])),
  { onExcessProperty: "error" }
)

/** The rules of a file: one, or an array of them. */
const rulesIn = Effect.fnUntraced(function* (path: string) {
  const read = decode(yield* readText(path))
  if (Result.isSuccess(read)) return Array.isArray(read.success) ? read.success : [read.success]
  const why = String(read.failure)
    .replace(/^SchemaError\(([\s\S]*)\)$/, "$1")
    .replace(/\s+/g, " ")
  return yield* new Refusal({
    exit: "data",
    message: `${visible(path)}: ${visible(why).slice(0, 300)}; expected ${form}`
  })
})

/** A rule by its number, else from a file. */
const ruleOf = Effect.fnUntraced(function* (named: string) {
  if (/^\d+$/.test(named)) return { id: named }
  const [rule, ...more] = yield* rulesIn(named)
  if (more.length > 0)
    return yield* new Refusal({ exit: "data", message: `${visible(named)}: one rule is tried at a time` })
  return rule === undefined ? {} : { rule }
})

/** On a saved page nothing of the store is needed: it is tried here. */
const trySaved = Effect.fnUntraced(function* (rule: RulingInput, path: string, url: string) {
  const settings = yield* Effect.serviceOption(Settings)
  const body = yield* readInput(path)
  const now = yield* Clock.currentTimeMillis
  const hints = {
    url,
    expected: "auto",
    status: 200,
    content_type: null,
    truncated: false,
    fetched_at: now,
    html: false
  } as const
  const bounds = Option.match(settings, { onNone: () => noBounds, onSome: boundsOf })
  return showRule([{ body, hints }], draft(rule), bounds)
})
const noBounds = {
  titleMin: 0,
  titleMax: Number.MAX_SAFE_INTEGER,
  textMin: 0,
  textMax: Number.MAX_SAFE_INTEGER,
  qualityMin: 0
}

const tried = ({ holds, pages, reasons }: RuleShown): string =>
  [
    ...pages.flatMap((it) => [
      `${visible(it.url)}  ${it.holds ? "at least as good as generic extraction" : "falls behind generic extraction"}`,
      table(it.fields, ["field", "ruled", "generic"]),
      ""
    ]),
    holds ? "the rule holds" : "the rule is not proven",
    ...reasons.map((it) => `  ${visible(it)}`)
  ].join("\n")

const test = Effect.fnUntraced(function* ({ flags, words }: Extract<Parsing, { name: "parsing-rules test" }>) {
  const { host, json, limit, page, raw, url } = flags
  const named = yield* ruleOf(words[0] ?? "")
  if (page !== null && url !== null) {
    if (named.rule === undefined)
      return yield* new Refusal({ exit: "usage", message: "--page needs the rule as a file, not as a number" })
    const shown = yield* trySaved(named.rule, page, url)
    yield* print(json, shown, () => tried(shown))
    return shown.pages.every((it) => it.holds) ? ("done" as const) : ("nothing" as const)
  }
  const shown = yield* (yield* Control)["parsing-rules.test"]({
    ...named,
    ...(host === null ? {} : { host: hostNamed(host) }),
    ...(raw === null ? {} : { raw }),
    ...(limit === null ? {} : { limit })
  })
  yield* print(json, shown, () => tried(shown))
  return shown.pages.every((it) => it.holds) ? ("done" as const) : ("nothing" as const)
})

const set = Effect.fnUntraced(function* (path: string, json: boolean) {
  const answer = yield* (yield* Control)["parsing-rules.set"]({ rules: yield* rulesIn(path) })
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
      case "parsing-rules test":
        return yield* test(command)
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
