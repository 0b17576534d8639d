import { Effect } from "effect"
import { isSelector } from "../domain/extract/select.ts"
import type { ParsingRules, RulingInput } from "../domain/ruling.ts"
import { stored } from "./control.sources.ts"
import { type Control, controlError } from "./control.ts"

type Operations = Pick<Control["Service"], "parsing-rules.list" | "parsing-rules.set" | "parsing-rules.enable">

/** Who asks: tokens have no names. */
const ACTOR = "operator"

/** Selectors are refused at the door, never while a page is read. */
const badSelector = ({ selectors }: RulingInput): string | null => {
  const all = Object.values(selectors).flatMap((it) => (it === undefined ? [] : "css" in it ? [it] : it))
  return all.find((it) => !isSelector(it.css))?.css ?? null
}

export const parsingOperations = (rules: ParsingRules["Service"]): Operations => ({
  "parsing-rules.list": ({ host }) =>
    stored(
      Effect.map(rules.list, (all) => ({
        rules: host === undefined ? all : all.filter((it) => it.host_pattern === host)
      }))
    ),
  "parsing-rules.set": ({ rules: given }) => {
    const bad = given.map(badSelector).find((it) => it !== null)
    return bad === undefined || bad === null
      ? stored(Effect.map(rules.put(given, ACTOR), (set) => ({ set })))
      : Effect.fail(controlError("invalid", `selectors ${JSON.stringify(bad)}: expected a CSS selector`, "rules"))
  },
  "parsing-rules.enable": ({ id, enabled }) =>
    Effect.flatMap(stored(rules.enable(id, enabled, ACTOR)), (found) =>
      found
        ? Effect.succeed({ id, enabled })
        : Effect.fail(controlError("not_found", `there is no parsing rule ${id}`, "id"))
    )
})

const without = () =>
  Effect.fail(controlError("unsupported", "this process keeps everything in memory: there are no parsing rules"))
export const noParsing: Operations = {
  "parsing-rules.list": without,
  "parsing-rules.set": without,
  "parsing-rules.enable": without
}
