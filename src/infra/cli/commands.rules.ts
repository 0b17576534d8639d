import type { Shape } from "./commands.ts"
import { type Flags, toggle, whole, word } from "./flag.ts"

const shape = <F extends Flags>(it: Shape<F>): Shape<F> => it
const json = toggle("Answer as JSON.")
const host = { label: "HOST", min: 1, max: 1 }

/** Commands about which fetcher a host gets, and about all rules of a host: rows of the table in `commands.ts`. */
export const ruling = {
  "fetcher-rules list": shape({
    help: "Hosts with a fetcher of their own; all others get plain HTTP first, a browser where a page needs it.",
    words: { label: "", min: 0, max: 0 },
    flags: { limit: whole("N", 1, 1000, "At most (50)."), json },
    examples: ["crawler fetcher-rules list"]
  }),
  "fetcher-rules show": shape({
    help: "The fetcher rule of one host.",
    words: host,
    flags: { json },
    examples: ["crawler fetcher-rules show news.example"]
  }),
  "fetcher-rules set": shape({
    help: "Fetch a host by `http` or `browser` (also: goquery, chromedp), whatever the crawler would choose.",
    words: { label: "HOST FETCHER", min: 2, max: 2 },
    flags: { reason: word("TEXT", "Why, for those who read the rule later."), json },
    examples: ["crawler fetcher-rules set news.example browser --reason 'script-rendered'"]
  }),
  "fetcher-rules unset": shape({
    help: "Leave the choice to the crawler again; the host's priority stays as it is.",
    words: host,
    flags: { json },
    examples: ["crawler fetcher-rules unset news.example"]
  }),
  "fetcher-rules upgrades": shape({
    help: "Do hosts get a browser by themselves? `off` stops that at once, in every process; hosts that have one keep it.",
    words: { label: "[on|off]", min: 0, max: 1 },
    flags: { json },
    examples: ["crawler fetcher-rules upgrades", "crawler fetcher-rules upgrades off"]
  }),
  rules: shape({
    help: "Every rule of a host: fetcher, parsing, priority, and what its latest pages came to.",
    words: host,
    flags: { json },
    examples: ["crawler rules news.example"]
  })
} as const
