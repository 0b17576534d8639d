import { Schema } from "effect"

/**
 * A site's word that its text is not for AI: what it asks for, and where it said so. `noai` and `noimageai` are directives of robots
 * meta tags; `tdm_reservation` reserves text and data mining (TDMRep); `ai_train` and `ai_input` are uses refused by
 * Content-Signal or Content-Usage. Recorded, never judged: what may be done with an article is its reader's decision.
 */
export const OptOut = Schema.Struct({
  signal: Schema.Literals(["noai", "noimageai", "tdm_reservation", "ai_train", "ai_input"]),
  source: Schema.Literals(["meta", "header", "robots.txt"])
})
export type OptOut = typeof OptOut.Type
type Signal = OptOut["signal"]

/** Characters looked at of one statement: a hundred directives. */
const STATED_MAX = 4096

/**
 * Directives of a robots meta tag or an X-Robots-Tag header. One that is addressed (`otherbot: noai`) counts for its bot alone; which
 * of those behind it are also meant is not told, so they count for all.
 */
const directives = (text: string, agent: string): ReadonlyArray<Signal> =>
  text.split(",").flatMap((it): ReadonlyArray<Signal> => {
    const [, bot, directive = ""] = /^\s*(?:([a-z_-]+)\s*:)?\s*([a-z]+)\s*$/iu.exec(it) ?? []
    if (bot !== undefined && bot.toLowerCase() !== agent.toLowerCase()) return []
    const word = directive.toLowerCase()
    return word === "noai" || word === "noimageai" ? [word] : []
  })

/** Uses that a site names, by what refusing them is called here. */
const uses: ReadonlyMap<string, Signal> = new Map([
  ["ai-train", "ai_train"],
  ["train-ai", "ai_train"],
  ["ai-input", "ai_input"]
])

/**
 * Uses refused by a Content-Signal (`ai-train=no`) or a Content-Usage (`train-ai=n`). One that holds for a path alone (`/a/ train-ai=n`)
 * is passed over.
 * @example refusedUses("search=yes, ai-train=no") // => ["ai_train"]
 */
export const refusedUses = (text: string): ReadonlyArray<Signal> =>
  text
    .slice(0, STATED_MAX)
    .split(",")
    .flatMap((it): ReadonlyArray<Signal> => {
      const [, use = "", answer = ""] = /^\s*([a-z-]+)\s*=\s*([a-z]+)\s*$/iu.exec(it) ?? []
      const signal = uses.get(use.toLowerCase())
      return signal !== undefined && /^no?$/iu.test(answer) ? [signal] : []
    })

/** What one origin or page says: each signal once per source. */
export const distinct = (all: ReadonlyArray<OptOut>): ReadonlyArray<OptOut> =>
  all.filter((it, at) => all.findIndex((other) => other.signal === it.signal && other.source === it.source) === at)

const reserved = (text: string | null | undefined): ReadonlyArray<Signal> =>
  text?.trim() === "1" ? ["tdm_reservation"] : []

const from = (source: OptOut["source"], signals: ReadonlyArray<Signal>): ReadonlyArray<OptOut> =>
  distinct(signals.map((signal) => ({ signal, source })))

/** What the headers of an answer say. `header` gives a header's value by its lower-case name. */
export const headerOptOuts = (header: (name: string) => string | null | undefined, agent: string) =>
  from("header", [
    ...directives((header("x-robots-tag") ?? "").slice(0, STATED_MAX), agent),
    ...reserved(header("tdm-reservation")),
    ...refusedUses(header("content-signal") ?? ""),
    ...refusedUses(header("content-usage") ?? "")
  ])

/** What the meta tags of a page say. `values` gives all values of a name. */
export const metaOptOuts = (values: (name: string) => ReadonlyArray<string>): ReadonlyArray<OptOut> =>
  from("meta", [
    ...values("robots").flatMap((it) => directives(it.slice(0, STATED_MAX), "")),
    ...values("tdm-reservation").flatMap(reserved),
    ...values("content-signal").flatMap(refusedUses),
    ...values("content-usage").flatMap(refusedUses)
  ])

/** What the lines of a robots.txt that are meant for us say. */
export const robotsOptOuts = (stated: ReadonlyArray<string>): ReadonlyArray<OptOut> =>
  from("robots.txt", stated.flatMap(refusedUses))
