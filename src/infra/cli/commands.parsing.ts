import type { Shape } from "./commands.ts"
import { type Flags, since, toggle, whole, word } from "./flag.ts"

const shape = <F extends Flags>(it: Shape<F>): Shape<F> => it
const json = toggle("Answer as JSON.")
/** Rules named on one command line. */
const WORDS_MAX = 1000
const ids = { label: "ID…", min: 1, max: WORDS_MAX }

/** Commands about how pages of a host are read: rows of the table in `commands.ts`. */
export const parsing = {
  "parsing-rules list": shape({
    help: "Parsing rules by host and path.",
    words: { label: "", min: 0, max: 0 },
    flags: { host: word("H", "Of this host."), json },
    examples: ["crawler parsing-rules list --host news.example"]
  }),
  "parsing-rules show": shape({
    help: "One parsing rule.",
    words: { label: "ID", min: 1, max: 1 },
    flags: { json },
    examples: ["crawler parsing-rules show 7"]
  }),
  "parsing-rules set": shape({
    help: "Set parsing rules from a JSON array; a rule of the same host, path, target and version is replaced.",
    words: { label: "FILE|-", min: 1, max: 1 },
    flags: { json },
    examples: ["crawler parsing-rules set rules.json"]
  }),
  "parsing-rules enable": shape({
    help: "Read pages by these rules again.",
    words: ids,
    flags: { json },
    examples: ["crawler parsing-rules enable 7"]
  }),
  "parsing-rules disable": shape({
    help: "Read pages without these rules; keep them.",
    words: ids,
    flags: { json },
    examples: ["crawler parsing-rules disable 7"]
  }),
  "parsing-rules test": shape({
    help: "Try a rule on stored pages: what it finds, field by field, and whether it beats generic extraction.",
    words: { label: "ID|FILE|-", min: 1, max: 1 },
    flags: {
      host: word("H", "On stored pages of this host instead of the rule's own."),
      raw: word("RAW", "On this stored page alone."),
      page: word("FILE", "On this saved page instead of stored ones; needs --url and a rule from a file."),
      url: word("URL", "Where the saved page came from."),
      limit: whole("N", 1, 50, "Stored pages at most (10)."),
      json
    },
    examples: ["crawler parsing-rules test rule.json --host news.example", "crawler parsing-rules test 7 --raw 3f2a"],
    check: (_, { host, page, raw, url }) =>
      (page === null) !== (url === null)
        ? "--page and --url go together"
        : [host, page, raw].filter((it) => it !== null).length > 1
          ? "give one of --host, --raw and --page"
          : null
  }),
  reparse: shape({
    help: "Read stored pages again, without a fetch: the latest of each URL, by today's rules.",
    words: { label: "[RAW…]", min: 0, max: WORDS_MAX },
    flags: {
      host: word("H", "Pages of this host."),
      since: since("Fetched since."),
      until: since("Fetched until."),
      limit: whole("N", 1, 1_000_000, "Pages at most (100000)."),
      json
    },
    examples: ["crawler reparse --host news.example --since 24h", "crawler reparse 3f2a"],
    check: (words, { host, since: from, until }) => {
      const ranged = host !== null || from !== null || until !== null
      if (words.length === 0 && !ranged) return "give the id of a stored page, --host, --since or --until"
      return words.length > 0 && ranged ? "give either ids or --host, --since and --until" : null
    }
  })
} as const
