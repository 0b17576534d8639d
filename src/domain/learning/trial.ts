import type { Content, Dated } from "../article.ts"
import { ownDay } from "../article.ts"
import { plain } from "../extract/title.ts"
import { read } from "../read.ts"
import type { Hints, Reading } from "../reading.ts"
import { type ParsingRule, selectorsOf } from "../rule.ts"
import { type Bounds, validateArticle } from "../validate.ts"
import { likeness, repeatedShare } from "./likeness.ts"
import { type Witness, witnessOf } from "./witness.ts"

/** A stored page to try a rule on. */
export interface TrialPage {
  readonly body: Uint8Array
  readonly hints: Hints
}

/** The same page read by a rule and without one, and what it states of itself. */
export interface TriedPage {
  readonly url: string
  readonly ruled: Reading
  readonly generic: Reading
  readonly witness: Witness
}

/** How a rule did on one page. null: nothing there to hold it against. */
export interface PageTrial {
  readonly url: string
  /** Every field the rule states was found by the rule itself. */
  readonly found: boolean
  readonly title: boolean | null
  /** Likeness of its text to the best witness. */
  readonly text: number | null
  readonly textHolds: boolean | null
  readonly date: boolean | null
}

/** What came of trying a rule. */
export interface Trial {
  readonly holds: boolean
  readonly pages: number
  /** Why it does not hold, each with its numbers. */
  readonly reasons: ReadonlyArray<string>
  readonly each: ReadonlyArray<PageTrial>
}

/** Pages a rule must be tried on, other than those it was made from. */
export const heldOutMin = 5
/** A text is the same when it shares this much with a witness. */
const textMin = 0.9
/** A text that is nearer to what the page states than generic extraction comes is right from here on. */
const statedMin = 0.7
/** Share of lines common to several pages that a rule may have beyond generic extraction. */
const repeatedMax = 0.02
/** One page in so many may disagree. */
const missEvery = 10

const sameDate = (rule: Dated, other: Dated): boolean => {
  if (rule.precision === "day" && other.precision === "time") return false
  if (rule.precision === "time" && other.precision === "time")
    return Math.abs(Date.parse(rule.at) - Date.parse(other.at)) < 60_000
  return ownDay(rule) === ownDay(other)
}

const isGood = (content: Content | null, bounds: Bounds): content is Content =>
  content !== null && validateArticle(content, bounds).length === 0

/** Does a rule find every field that it states? What it leaves to generic extraction would only repeat it. */
const findsAll = (rule: ParsingRule, content: Content): boolean =>
  content.extraction.by === "rule" &&
  (selectorsOf(rule, "published_at").length === 0 || content.published?.source === "rule")

/**
 * Holds a reading by rule against generic extraction, where that brought a valid article, and against what the page states of
 * itself. `common`: titles that several pages state, which therefore name none of them.
 */
const judgePage = (page: TriedPage, rule: ParsingRule, bounds: Bounds, common: ReadonlySet<string>): PageTrial => {
  const { generic, ruled, url, witness } = page
  const content = ruled.content
  const other = isGood(generic.content, bounds) ? generic.content : null
  const titles = [...witness.titles, ...(other === null ? [] : [other.title])]
    .map(plain)
    .filter((it) => it !== "" && !common.has(it))
  const judged = other !== null || witness.body !== null
  if (content === null)
    return { url, found: false, title: false, text: 0, textHolds: judged ? false : null, date: false }
  const toStated = witness.body === null ? 0 : likeness(content.text, witness.body)
  const toGeneric = other === null ? 0 : likeness(content.text, other.text)
  const genericToStated =
    witness.body === null || generic.content === null ? 1 : likeness(generic.content.text, witness.body)
  const same = Math.max(toStated, toGeneric) >= textMin
  const better = toStated >= statedMin && toStated >= genericToStated
  const dated = generic.content?.published ?? null
  return {
    url,
    found: findsAll(rule, content),
    title: titles.length === 0 ? null : titles.includes(plain(content.title)),
    text: judged ? Math.round(Math.max(toStated, toGeneric) * 1000) / 1000 : null,
    textHolds: judged ? (same || better) && isGood(content, bounds) : null,
    date: dated === null ? null : content.published !== null && sameDate(content.published, dated)
  }
}

const commonOf = (values: ReadonlyArray<ReadonlyArray<string>>): ReadonlySet<string> => {
  const seen = new Map<string, number>()
  for (const page of values) for (const it of new Set(page.map(plain))) seen.set(it, (seen.get(it) ?? 0) + 1)
  return new Set([...seen].flatMap(([it, n]) => (n > 1 ? [it] : [])))
}

const textsOf = (readings: ReadonlyArray<Reading>): ReadonlyArray<string> =>
  readings.map((it) => it.content?.text ?? "")

/** A verdict on one field over all pages: enough of them judged, few enough against. null: it holds. */
const fieldFault = (name: string, verdicts: ReadonlyArray<boolean | null>): string | null => {
  const judged = verdicts.filter((it) => it !== null)
  if (judged.length < heldOutMin) return `${name}: too few pages (${judged.length}) say what it should be`
  const against = judged.filter((it) => !it).length
  return against > Math.floor(judged.length / missEvery)
    ? `${name}: wrong on ${against} of ${judged.length} pages`
    : null
}

/**
 * May this rule be believed? It must find its own fields on pages it has not seen, give title, text and date at least as well
 * as generic extraction does, and bring no lines of the site into the text. A field that nothing can confirm is refused: a
 * rule that is not needed costs less than one that is wrong.
 */
export const judgeRule = (tried: ReadonlyArray<TriedPage>, rule: ParsingRule, bounds: Bounds): Trial => {
  const common = commonOf(
    tried.map(({ generic, witness }) => [
      ...witness.titles,
      ...(generic.content === null ? [] : [generic.content.title])
    ])
  )
  const each = tried.map((it) => judgePage(it, rule, bounds, common))
  const dated = selectorsOf(rule, "published_at").length > 0
  const repeated = repeatedShare(textsOf(tried.map((it) => it.ruled)))
  const generic = repeatedShare(textsOf(tried.map((it) => it.generic)))
  const reasons = [
    tried.length < heldOutMin ? `too few pages to try it on: ${tried.length}, at least ${heldOutMin}` : null,
    fieldFault(
      "selectors",
      each.map((it) => it.found)
    ),
    fieldFault(
      "title",
      each.map((it) => it.title)
    ),
    fieldFault(
      "main_content",
      each.map((it) => it.textHolds)
    ),
    dated
      ? fieldFault(
          "published_at",
          each.map((it) => it.date)
        )
      : null,
    repeated > generic + repeatedMax
      ? `main_content: ${Math.round(repeated * 100)} % of it stands on other pages too`
      : null
  ].flatMap((it) => it ?? [])
  return { holds: reasons.length === 0, pages: tried.length, reasons, each }
}

/** Does the rule still read this one page as it should? What it is judged by later (drift). */
export const agrees = (page: TriedPage, rule: ParsingRule, bounds: Bounds): boolean => {
  const { found, textHolds, title } = judgePage(page, rule, bounds, new Set())
  return found && title !== false && textHolds !== false
}

const enabled = (rule: ParsingRule): ParsingRule => ({ ...rule, enabled: true })
const expecting = (hints: Hints, { target_type }: ParsingRule): Hints => ({
  ...hints,
  expected: target_type === "list" ? "list" : "article"
})

/** Reads one stored page with a rule and without. Pure. */
export const tryPage = ({ body, hints }: TrialPage, rule: ParsingRule): TriedPage => ({
  url: hints.url,
  ruled: read(body, expecting(hints, rule), enabled(rule)),
  generic: read(body, expecting(hints, rule), null),
  witness: witnessOf(body, hints)
})

/** Tries a page rule, enabled or not, on stored pages of its host. Pure, so a caller decides where the time is spent. */
export const tryRule = (pages: ReadonlyArray<TrialPage>, rule: ParsingRule, bounds: Bounds): Trial =>
  judgeRule(
    pages.map((it) => tryPage(it, rule)),
    rule,
    bounds
  )
