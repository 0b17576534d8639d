/**
 * Proof vectors: CJK encodings, charset prescan, domains and sitemaps are all right; feeds, dates and URLs reach the rate given for
 * each set, every failure being of a named kind.
 */
import { existsSync } from "node:fs"
import { folder, type Result, sets } from "../quality/vectors.ts"
import { Missing, prove } from "./proof.ts"

/** The least number right, and why the rest is not. */
const bars: Readonly<Record<string, { readonly least: number; readonly rest: string }>> = {
  "public suffix list": { least: 1, rest: "" },
  "cp949 pairs": { least: 1, rest: "" },
  "html charset prescan": { least: 1, rest: "" },
  "feed dates": { least: 0.9, rest: "two-digit ISO years without separators, a year 100: no news has them" },
  "dates as 59 locales write them": {
    least: 0.95,
    rest: "month names cut short in Bengali, numeric forms of year-first locales"
  },
  feeds: { least: 0.99, rest: "one feed of line noise" },
  "sitemap files read": { least: 1, rest: "" },
  "w3lib canonicalize_url": {
    least: 0.75,
    rest: "empty parameters, userinfo and relative URLs, which are dropped or refused here"
  },
  "crawler-commons normaliser": { least: 0.95, rest: "schemes other than http, addresses without a host" }
}

const rowOf = ({ best, cases, set }: Result) => {
  const right = cases.filter(([, it]) => it).length
  const share = right / Math.max(1, cases.length)
  const { least, rest } = bars[set] ?? { least: 1, rest: "" }
  return {
    set,
    right,
    of: cases.length,
    share: share.toFixed(4),
    bar: least,
    holds: share >= least ? "yes" : "NO",
    best,
    rest
  }
}

await prove(async () => {
  if (!existsSync(folder)) throw new Missing(`the vectors (${folder}) are not on this machine`)
  const rows = sets.map((it) => rowOf(it()))
  const holds = rows.every((it) => it.holds === "yes")
  const all = rows.map(({ of, right, set }) => `${set} ${right}/${of}`).join(", ")
  return { rows, figure: `vectors: ${all}`, holds }
})
