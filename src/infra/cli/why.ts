import type { OutcomeRecord } from "../../domain/ports.ts"

/** Verdicts and codes in words, for people: what a page was that no article came of. */
const words: Readonly<Record<string, string>> = {
  blocked: "the site refuses, or asks for proof of a human",
  charset_uncertain: "its character set could not be told",
  consent: "it asks for consent first",
  empty: "it shows next to no text of its own",
  format: "no letter in its title",
  not_html: "its body is no page",
  nothing_found: "neither an article nor a link to follow",
  partial: "its body ended early",
  paywall: "it is behind a paywall",
  quality: "its text is hardly one",
  required: "it has no title or no text",
  soft_404: "there is no such page",
  spam: "its text looks like spam",
  too_long: "its title or text is too long",
  too_short: "its title or text is too short",
  trap: "it leads on without end"
}

/** What the site answered, where that is not simply a page. */
const answered = ({ content_type, status }: OutcomeRecord["evidence"]): ReadonlyArray<string> => [
  ...(typeof status === "number" && status !== 200 ? [`answered ${status}`] : []),
  ...(typeof content_type === "string" ? [`sent as ${content_type}`] : [])
]

/**
 * Why no article came of a page: its verdict and codes, then the same in words with what the site answered.
 * @example whyNone({...it, verdict: "empty", codes: [], evidence: {status: 418}}) // => "empty (answered 418, it shows next to no text of its own)"
 */
export const whyNone = ({
  codes,
  evidence,
  verdict
}: Pick<OutcomeRecord, "codes" | "evidence" | "verdict">): string => {
  if (verdict === "refused") return `${codes.join(", ")} (${evidence.reason})`
  const names = [...(verdict === "ok" ? [] : [verdict]), ...codes]
  return `${names.join(", ")} (${[...answered(evidence), ...names.flatMap((it) => words[it] ?? [])].join(", ")})`
}
