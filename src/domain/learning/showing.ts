import type { Content } from "../article.ts"
import type { Reading } from "../reading.ts"
import type { ParsingRule } from "../rule.ts"
import type { Bounds } from "../validate.ts"
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
    : `${text.slice(0, shownMax)}${text.length > shownMax ? "…" : ""}`

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

const fieldsOf = (
  { generic, ruled }: Pick<TriedPage, "generic" | "ruled">,
  isList: boolean
): ReadonlyArray<FieldTrial> => {
  const [by, without] = isList ? [linksOf(ruled), linksOf(generic)] : [linesOf(ruled.content), linesOf(generic.content)]
  return Object.keys(by).map((field) => ({ field, ruled: by[field] ?? null, generic: without[field] ?? null }))
}

const isGood = (it: PageTrial | undefined): boolean =>
  it?.found === true && it.title !== false && it.textHolds !== false && it.date !== false

/** Tries a rule, enabled or not, on pages of its host and shows what it finds beside what generic extraction does. Pure. */
export const showRule = (pages: ReadonlyArray<TrialPage>, rule: ParsingRule, bounds: Bounds): RuleShown => {
  const isList = rule.target_type === "list"
  const tried = pages.map((it) => tryPage(it, rule))
  const { each, holds, reasons } = judgeRule(tried, rule, bounds)
  const shown = tried.map((page, at) => {
    const judged = each[at]
    const good = isList ? page.ruled.links.length > 0 : isGood(judged)
    return { url: page.url, verdict: page.ruled.verdict, fields: fieldsOf(page, isList), holds: good }
  })
  return isList
    ? { pages: shown, holds: shown.length > 0 && shown.every((it) => it.holds), reasons: [] }
    : { pages: shown, holds, reasons }
}
