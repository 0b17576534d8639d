import { Effect } from "effect"
import { isSelector } from "../domain/extract/select.ts"
import { storedHints } from "../domain/learning/page.ts"
import { showRule } from "../domain/learning/showing.ts"
import type { TrialPage } from "../domain/learning/trial.ts"
import type { Pages, RawBody } from "../domain/ports.ts"
import type { ParsingRule } from "../domain/rule.ts"
import { draft, type ParsingRules, type RulingInput } from "../domain/ruling.ts"
import type { Bounds } from "../domain/validate.ts"
import type { Settings } from "./config.ts"
import { stored } from "./control.sources.ts"
import { type Control, controlError } from "./control.ts"

type Operations = Pick<
  Control["Service"],
  "parsing-rules.list" | "parsing-rules.set" | "parsing-rules.test" | "parsing-rules.enable"
>

/** How long an article's parts must be, by the settings. */
export const boundsOf = (it: Settings["Service"]): Bounds => ({
  titleMin: it.MIN_TITLE_LENGTH,
  titleMax: it.MAX_TITLE_LENGTH,
  textMin: it.MIN_CONTENT_LENGTH,
  textMax: it.MAX_CONTENT_LENGTH,
  qualityMin: it.MIN_QUALITY
})

/** Who asks: tokens have no names. */
const ACTOR = "operator"

/** Selectors are refused at the door, never while a page is read. */
const badSelector = ({ selectors }: Pick<RulingInput, "selectors">): string | null => {
  const all = Object.values(selectors).flatMap((it) => (it === undefined ? [] : "css" in it ? [it] : it))
  return all.find((it) => !isSelector(it.css))?.css ?? null
}

/** Stored pages a rule is tried on when no number is given, and the largest body of one. */
const TRIAL = 10
const BODY_MAX = 4_000_000
/** Pages of a host that are looked through for those of the rule's path. */
const LOOKED = 200

const trialPage = ({ body, raw }: RawBody): TrialPage => ({ body, hints: storedHints(raw) })

/** Stored pages that a rule is about: of its host and path, answered well, and of its kind. */
const concerns =
  (rule: ParsingRule) =>
  ({ raw }: RawBody): boolean => {
    const kind = raw.expected ?? "auto"
    const isKind = rule.target_type === "list" ? kind === "list" : kind === "article" || kind === "auto"
    return raw.status === 200 && isKind && (URL.parse(raw.final_url)?.pathname ?? "").startsWith(rule.path_pattern)
  }

const testing = (rules: ParsingRules["Service"], pages: Pages["Service"], bounds: Bounds) =>
  Effect.fnUntraced(function* (input: Parameters<Operations["parsing-rules.test"]>[0]) {
    const { host, id, limit = TRIAL, raw } = input
    const known = id === undefined ? undefined : (yield* stored(rules.list)).find((it) => it.id === id)
    const rule = known ?? (input.rule === undefined ? null : draft(input.rule))
    if (rule === null) return yield* controlError("not_found", `there is no parsing rule ${id ?? ""}`, "id")
    const bad = badSelector(rule)
    if (bad !== null)
      return yield* controlError("invalid", `selectors ${JSON.stringify(bad)}: expected a CSS selector`, "rule")
    const found =
      raw === undefined
        ? (yield* stored(pages.raws({ host: host ?? rule.host_pattern, limit: LOOKED, bytesMax: BODY_MAX }))).filter(
            concerns(rule)
          )
        : [yield* stored(pages.raw(raw))].filter((it) => it !== null)
    if (found.length === 0)
      return yield* controlError("not_found", "no stored page to try it on: crawl some, or name a saved one", "host")
    return showRule(found.slice(0, limit).map(trialPage), rule, bounds)
  })

export const parsingOperations = (
  rules: ParsingRules["Service"],
  pages: Pages["Service"],
  bounds: Bounds
): Operations => ({
  "parsing-rules.test": testing(rules, pages, bounds),
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
  "parsing-rules.test": without,
  "parsing-rules.enable": without
}
