import { Effect, Option } from "effect"
import { countryCode } from "../domain/research/countries.ts"
import { Sites } from "../domain/research.ts"
import type { SourceInput } from "../domain/source.ts"
import type { Control, ControlError } from "./control.ts"

type Candidates = Pick<Control["Service"], "sources.candidates">
type Import = Control["Service"]["sources.import"]

/** Sites looked at at once: each is another host. */
const CONCURRENCY = 10

const originOf = (url: string): string => {
  const parsed = URL.parse(url)
  return parsed === null ? url : `${parsed.protocol}//${parsed.host}/`
}

/** What one site becomes: its front page as a list, and what it names itself. */
const inputsOf = (
  home: string,
  found: { readonly feeds: ReadonlyArray<string>; readonly sitemaps: ReadonlyArray<string> }
) => [
  { url: home, kind: "list" as const },
  ...found.feeds.map((url) => ({ url, kind: "feed" as const })),
  ...found.sitemaps.map((url) => ({ url, kind: "sitemap" as const }))
]

/**
 * From discovery to crawling: sites become sources that wait, disabled and without a category, until somebody accepts them.
 * Where this process cannot look, a site is its front page alone.
 */
export const candidateOperations = (take: Import): Effect.Effect<Candidates> =>
  Effect.map(Effect.serviceOption(Sites), (sites) => ({
    "sources.candidates": ({ urls, country, enable }) => {
      const homes = [...new Set(urls.map(originOf))]
      const look = (home: string) =>
        Option.match(sites, {
          onNone: () => Effect.succeed({ feeds: [], sitemaps: [] }),
          onSome: (it) => it.look(home)
        })
      const more = { enabled: enable ?? false, ...(country === undefined ? {} : { country: countryCode(country) }) }
      const work: Effect.Effect<
        Effect.Success<ReturnType<Candidates["sources.candidates"]>>,
        ControlError
      > = Effect.gen(function* () {
        const all = yield* Effect.forEach(homes, (home) => Effect.map(look(home), (found) => inputsOf(home, found)), {
          concurrency: CONCURRENCY
        })
        const sources = all.flat().map((it): SourceInput => ({ ...it, ...more }))
        const answer = yield* take({ sources })
        const count = (kind: string) => sources.filter((it) => it.kind === kind).length
        return { ...answer, feeds: count("feed"), sitemaps: count("sitemap") }
      })
      return work
    }
  }))
