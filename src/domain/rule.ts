import { Schema } from "effect"

/** Where a field stands: a selector, the attribute to read instead of the text, and whether all matches count. */
export const FieldSelector = Schema.Struct({
  css: Schema.String,
  attribute: Schema.optionalKey(Schema.NullOr(Schema.String)),
  multi: Schema.optionalKey(Schema.Boolean)
})
export type FieldSelector = typeof FieldSelector.Type

/** One selector, or several tried in order: the first that finds something answers. */
const Field = Schema.optionalKey(Schema.Union([FieldSelector, Schema.Array(FieldSelector)]))

export const Selectors = Schema.Struct({
  title: Field,
  main_content: Field,
  summary: Field,
  author: Field,
  published_at: Field,
  category: Field,
  tags: Field,
  images: Field,
  item_container: Field,
  item_link: Field,
  item_title: Field,
  item_snippet: Field
})
export type Selectors = typeof Selectors.Type
export type FieldName = keyof Selectors

/** `page` is the seed's name of `article` (REQUIREMENTS, contradiction 8). */
export const RuleTarget = Schema.Literals(["article", "page", "list"])

/** How one source's pages are read; what it leaves open, generic extraction fills. */
export const ParsingRule = Schema.Struct({
  id: Schema.String,
  source_name: Schema.String,
  host_pattern: Schema.String,
  /** A path prefix or pattern; empty means every path. */
  path_pattern: Schema.String,
  target_type: RuleTarget,
  version: Schema.Int,
  enabled: Schema.Boolean,
  selectors: Selectors
})
export type ParsingRule = typeof ParsingRule.Type

/** The selectors of a field, in the order they are tried. */
export const selectorsOf = (rule: ParsingRule, field: FieldName): ReadonlyArray<FieldSelector> => {
  const stated = rule.selectors[field]
  if (stated === undefined) return []
  return "css" in stated ? [stated] : stated
}
