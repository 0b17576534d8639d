import type { Shape } from "./commands.ts"
import { type Flags, toggle, whole, word } from "./flag.ts"

const shape = <F extends Flags>(it: Shape<F>): Shape<F> => it
const json = toggle("Answer as JSON.")
const WORDS_MAX = 10_000

/** Commands of the research engine (S5). */
export const researching = {
  "research run": shape({
    help: "Discover where to look: a batch for a country and category. Without a running crawler it is worked on here.",
    words: { label: "[URL…]", min: 0, max: WORDS_MAX },
    flags: {
      country: word("CC", "Country, ISO 3166-1 alpha-2."),
      category: word("C", "Category, such as news."),
      urls: word("FILE", "URLs to start from, one a line; `-` reads standard input."),
      methods: word(
        "a,b",
        "google_search, crtsh, wayback_machine, dns; those that need no key when not given (never dns)."
      ),
      "chunk-size": whole("N", 100, 1000, "URLs of one dataset (100)."),
      liveness: toggle("Check whether the domains of these URLs answer, instead of discovering."),
      json
    },
    examples: [
      "crawler research run --country SG --category news https://www.gov.sg https://www.moh.gov.sg",
      "crawler research run --country SG --category news --urls seeds.txt --methods crtsh,wayback_machine",
      "crawler research run --country SG --liveness mom.gov.sg dbs.com.sg"
    ],
    check: (words, flags) =>
      flags.country === null
        ? "give --country CC"
        : flags.category === null && !flags.liveness
          ? "give --category C"
          : words.length === 0 && flags.urls === null
            ? "give a URL or --urls FILE"
            : null
  }),
  "research resume": shape({
    help: "Go on with a batch that is suspended, failed in parts or was interrupted. Without a running crawler it is worked on here.",
    words: { label: "BATCH", min: 1, max: 1 },
    flags: { json },
    examples: ["crawler research resume batch_2026-01-25_sg-news_001"]
  }),
  "research status": shape({
    help: "How a batch does; without an id, the latest batches.",
    words: { label: "[BATCH]", min: 0, max: 1 },
    flags: { limit: whole("N", 1, 1000, "At most (20)."), json },
    examples: ["crawler research status", "crawler research status batch_2026-01-25_sg-news_001"]
  }),
  "research list": shape({
    help: "Published datasets, newest first; with an id, that dataset's records as JSON lines.",
    words: { label: "[DATASET]", min: 0, max: 1 },
    flags: {
      country: word("CC", "Of this country."),
      category: word("C", "Of this category."),
      limit: whole("N", 1, 1000, "At most (50)."),
      json
    },
    examples: ["crawler research list --country SG", "crawler research list sg-news-2026-01-25-0001"]
  }),
  "research verify": shape({
    help: "Read every published dataset again and check its checksums (exit 65 when one does not hold).",
    words: { label: "", min: 0, max: 0 },
    flags: { json },
    examples: ["crawler research verify"]
  })
} as const
