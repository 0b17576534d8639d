import type { Shape } from "./commands.ts"
import { choice, type Flags, toggle, whole, word } from "./flag.ts"

const shape = <F extends Flags>(it: Shape<F>): Shape<F> => it
const json = toggle("Answer as JSON.")
/** Jobs named on one command line. */
const WORDS_MAX = 1000

// The names stand in `domain/ai/job.ts` too; the command line is read before schemas are loaded.
/** Commands about AI jobs: rows of the table in `commands.ts`. */
export const jobbing = {
  "jobs list": shape({
    help: "AI jobs, and whether they may run now.",
    words: { label: "", min: 0, max: 0 },
    flags: {
      status: choice(["PENDING", "RUNNING", "SUCCESS", "FAILED", "RETRY_WAIT", "SUSPENDED"], "In this state."),
      type: choice(["SUMMARY", "TERM_CARDS", "INSIGHT", "QUIZ_CONTENT", "QUIZ_TERM", "PARSING_RULE"], "Of this type."),
      article: word("ID", "Of this article."),
      limit: whole("N", 1, 1000, "At most (50)."),
      json
    },
    examples: ["crawler jobs list --status SUSPENDED"]
  }),
  "jobs show": shape({
    help: "One AI job with its result.",
    words: { label: "ID", min: 1, max: 1 },
    flags: { json },
    examples: ["crawler jobs show 42"]
  }),
  "jobs resume": shape({
    help: "Let suspended AI jobs run again: by id, or all that were suspended for a reason.",
    words: { label: "[ID…]", min: 0, max: WORDS_MAX },
    flags: { reason: choice(["QUOTA", "AUTH"], "All suspended for this reason."), json },
    examples: ["crawler jobs resume 42", "crawler jobs resume --reason QUOTA"],
    check: (words, flags) => ((words.length === 0) === (flags.reason === null) ? "give either IDs or --reason" : null)
  }),
  "jobs cancel": shape({
    help: "End AI jobs that are not done.",
    words: { label: "ID…", min: 1, max: WORDS_MAX },
    flags: { json },
    examples: ["crawler jobs cancel 42"]
  })
} as const
