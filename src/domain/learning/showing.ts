import type { Content } from "../article.ts"
import { ruledElements, ruledValues } from "../extract/ruled.ts"
import type { Reading } from "../reading.ts"
import { type FieldName, type ParsingRule, selectorsOf } from "../rule.ts"
import type { Bounds } from "../validate.ts"
import { treeOf } from "./page.ts"
import { judgeRule, type PageTrial, type TrialPage, type TriedPage, tryPage } from "./trial.ts"

/** What one field reads as, by a rule and without one. Long texts are shown by their beginning. */
export interface FieldTrial {
  readonly field: string
  readonly ruled: string | null
  readonly generic: string | null
}

/** A rule on one page, for a person to look at. */
export interface PageShown {
  readonly url: string
  readonly verdict: string
  readonly fields: ReadonlyArray<FieldTrial>
  /** Not below generic extraction here, as far as the page lets itself be judged. */
  readonly holds: boolean
}
export interface RuleShown {
  readonly pages: ReadonlyArray<PageShown>
  /** Would a learned rule be believed after these pages? A person may know better. */
  readonly holds: boolean
  readonly reasons: ReadonlyArray<string>
}

const shownMax = 120
const short = (text: string | null | undefined): string | null =>
  text === null || text === undefined || text === ""
    ? null
    : `${text.slice(0, shownMax).replace(/\s+/g, " ")}${text.length > shownMax ? "…" : ""}`

const linesOf = (content: Content | null): Readonly<Record<string, string | null>> => ({
  title: short(content?.title),
  main_content: content === null ? null : `${[...content.text].length} characters: ${short(content.text) ?? ""}`,
  author: short(content?.authors.join(", ")),
  published_at:
    content?.published === null || content === null ? null : `${content.published.at} (${content.published.source})`,
  category: short(content?.section),
  tags: short(content?.tags.join(", ")),
  images: short(content?.image),
  summary: short(content?.description)
})
const linksOf = ({ links }: Reading): Readonly<Record<string, string | null>> => ({
  item_link: `${links.length} links: ${
    short(
      links
        .slice(0, 3)
        .map((it) => it.url)
        .join(" ")
    ) ?? ""
  }`,
  item_title: short(links.find((it) => it.title !== null)?.title)
})

/** Fields whose selectors are held against the page itself. */
const fieldNames = [
  "title",
  "main_content",
  "author",
  "published_at",
  "category",
  "tags",
  "summary",
  "item_container",
  "item_link",
  "item_title"
] as const satisfies ReadonlyArray<FieldName>

/** Fields that the rule states and does not find on this page: what then stands in a reading is generic extraction's. */
const missedOn = ({ body, hints }: TrialPage, rule: ParsingRule): ReadonlySet<string> => {
  const tree = treeOf(body, hints)
  const isFound = (field: FieldName) =>
    field === "main_content" || field === "item_link"
      ? ruledElements(tree, rule, field).length > 0 || ruledValues(tree, rule, field).length > 0
      : ruledValues(tree, rule, field).length > 0
  const stated = fieldNames.filter((it) => selectorsOf(rule, it).length > 0)
  return new Set(stated.filter((it) => !isFound(it)))
}

const fieldsOf = (
  { generic, ruled }: Pick<TriedPage, "generic" | "ruled">,
  missed: ReadonlySet<string>,
  isList: boolean
): ReadonlyArray<FieldTrial> => {
  const [by, without] = isList ? [linksOf(ruled), linksOf(generic)] : [linesOf(ruled.content), linesOf(generic.content)]
  return Object.keys(by).map((field) => ({
    field,
    ruled: missed.has(field) ? null : (by[field] ?? null),
    generic: without[field] ?? null
  }))
}

/** Which selectors find nothing, and on how many pages: the first thing to know of a rule that does not hold. */
const missing = (missed: ReadonlyArray<ReadonlySet<string>>, rule: ParsingRule): ReadonlyArray<string> =>
  fieldNames.flatMap((field) => {
    const pages = missed.filter((it) => it.has(field)).length
    const selectors = selectorsOf(rule, field).map((it) => JSON.stringify(it.css))
    return pages === 0 ? [] : [`${field}: ${selectors.join(", ")} finds nothing on ${pages} of ${missed.length} pages`]
  })

const isGood = (it: PageTrial | undefined): boolean =>
  it?.found === true && it.title !== false && it.textHolds !== false && it.date !== false

/** Tries a rule, enabled or not, on pages of its host and shows what it finds beside what generic extraction does. Pure. */
export const showRule = (pages: ReadonlyArray<TrialPage>, rule: ParsingRule, bounds: Bounds): RuleShown => {
  const isList = rule.target_type === "list"
  const tried = pages.map((it) => tryPage(it, rule))
  const { each, holds, reasons } = judgeRule(tried, rule, bounds)
  const missed = pages.map((it) => missedOn(it, rule))
  const shown = tried.map((page, at) => {
    const judged = each[at]
    const good = isList ? page.ruled.links.length > 0 : isGood(judged)
    return {
      url: page.url,
      verdict: page.ruled.verdict,
      fields: fieldsOf(page, missed[at] ?? new Set(), isList),
      holds: good
    }
  })
  return isList
    ? { pages: shown, holds: shown.length > 0 && shown.every((it) => it.holds), reasons: missing(missed, rule) }
    : { pages: shown, holds, reasons: [...missing(missed, rule), ...reasons] }
}
