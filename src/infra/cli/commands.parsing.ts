import type { Shape } from "./commands.ts"
import { type Flags, toggle, word } from "./flag.ts"

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
  })
} as const
