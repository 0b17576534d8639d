import { Context, type Effect, Schema } from "effect"
import { Priority, type TargetType } from "./crawl.ts"
import type { BadData, Unavailable } from "./errors.ts"
import { ParsingRule, Selectors } from "./rule.ts"

/** Who wrote a rule. A learned one was proposed by a model, tried, and is disabled by itself when it no longer holds. */
export const RuleOrigin = Schema.Literals(["operator", "learned"])

/** A parsing rule as it is stored: how pages are read, and which of their addresses name one article. */
export const Ruling = Schema.Struct({
  ...ParsingRule.fields,
  priority: Schema.NullOr(Priority),
  /** See `identityOf`: alternatives such as `/article/{oid}/{aid}`. */
  identity_pattern: Schema.NullOr(Schema.String),
  /** IANA zone of dates that state none. */
  zone: Schema.NullOr(Schema.String),
  origin: RuleOrigin
})
export type Ruling = typeof Ruling.Type

/** What an operator states; the rest is filled with defaults. */
export const RulingInput = Schema.Struct({
  source_name: Schema.String,
  host_pattern: Schema.String,
  path_pattern: Schema.optionalKey(Schema.String),
  target_type: Schema.Literals(["page", "list"]),
  version: Schema.optionalKey(Schema.Int),
  enabled: Schema.optionalKey(Schema.Boolean),
  priority: Schema.optionalKey(Priority),
  identity_pattern: Schema.optionalKey(Schema.String),
  zone: Schema.optionalKey(Schema.String),
  selectors: Selectors
})
export type RulingInput = typeof RulingInput.Type

/** A rule as it would be stored: what an operator left out is filled with the defaults. */
export const draft = (given: RulingInput): ParsingRule => ({
  id: "draft",
  source_name: given.source_name,
  host_pattern: given.host_pattern,
  path_pattern: given.path_pattern ?? "",
  target_type: given.target_type,
  version: given.version ?? 1,
  enabled: true,
  selectors: given.selectors
})

/** What a job's target type says of the rule it needs; null: whichever fits its path best. */
const wanted = (expected: TargetType): "page" | "list" | null =>
  expected === "article" ? "page" : expected === "list" || expected === "search_results" ? "list" : null

const isList = (rule: Ruling): boolean => rule.target_type === "list"

/**
 * The rule of a URL: its exact host, then the longest path that begins its own, then the newest version. Disabled rules
 * and rules of the other kind are passed over; feeds and sitemaps have none.
 * @source REQUIREMENTS, "Parsing rule"
 */
export const ruleFor = (rules: ReadonlyArray<Ruling>, url: string, expected: TargetType): Ruling | null => {
  const address = rules.length === 0 ? null : URL.parse(url)
  if (address === null || expected === "feed" || expected === "sitemap") return null
  const kind = wanted(expected)
  const fitting = rules.filter(
    (it) =>
      it.enabled &&
      it.host_pattern === address.hostname &&
      address.pathname.startsWith(it.path_pattern) &&
      (kind === null || isList(it) === (kind === "list"))
  )
  const best = fitting.toSorted((a, b) => b.path_pattern.length - a.path_pattern.length || b.version - a.version)
  return best[0] ?? null
}

/**
 * The parsing rules of this deployment, read now and then from the store. `find` waits for the first look, for a page read without its
 * rule would be another article; afterwards it goes by what it knows.
 */
export class ParsingRules extends Context.Service<
  ParsingRules,
  {
    readonly find: (url: string, expected: TargetType) => Effect.Effect<Ruling | null, Unavailable>
    readonly list: Effect.Effect<ReadonlyArray<Ruling>, Unavailable>
    /** A rule of the same host, path, target and version is replaced; audited. Answers how many. */
    readonly put: (rules: ReadonlyArray<RulingInput>, actor: string) => Effect.Effect<number, Unavailable | BadData>
    /** Answers whether there is such a rule; audited. */
    readonly enable: (
      id: string,
      enabled: boolean,
      actor: string,
      facts?: Readonly<Record<string, unknown>>
    ) => Effect.Effect<boolean, Unavailable>
    /**
     * Stores a learned page rule, disabled, as the next version of its host and path; audited. Answers the rule. Asked again it
     * is another version: nothing reads by it before it is enabled.
     */
    readonly propose: (
      rule: Pick<RulingInput, "source_name" | "host_pattern" | "selectors">,
      actor: string,
      facts: Readonly<Record<string, unknown>>
    ) => Effect.Effect<Ruling, Unavailable | BadData>
  }
>()("crawler/ParsingRules") {}
