/** Pages of one host that a rule is made from. @source seed 003 */
export const learntFrom = 3
/** Pages a rule is tried on at most. */
export const heldOutMax = 10
/** Pages counted together: as long as a host takes to show them, at most this long (ms). */
export const learningSpan = 86_400_000
/** Of a learned rule's pages this share may disagree with it before it is disabled. */
const missShareMax = 0.3

/** The windows in which pages are counted, by host or rule. */
export const missingWindow = (host: string): string => `rule:missing:${host}`
export const pagesWindow = (rule: string): string => `rule:pages:${rule}`
export const missesWindow = (rule: string): string => `rule:misses:${rule}`

/** Why a rule is asked for: a host without one is asked for once a day, a rule that failed is replaced once. */
export type Occasion =
  | { readonly tag: "missing"; readonly day: string }
  | { readonly tag: "failed"; readonly rule: string }

/** What a job is about, where an article's job has its article's id: asked for twice on one occasion, it is one. */
export const subjectOf = (host: string, it: Occasion): string =>
  `${host} ${it.tag}:${it.tag === "missing" ? it.day : it.rule}`

/** @example hostOf("news.kr failed:42") // => "news.kr" */
export const hostOf = (subject: string): string => subject.split(" ")[0] ?? ""

/**
 * What follows from one more page read by a rule. `drift`: so many of this round's pages disagree that the round is lost;
 * `over`: the round is done and the next begins.
 */
export const driftOf = (
  counts: { readonly pages: number; readonly misses: number },
  round: number
): "drift" | "over" | "none" => {
  if (counts.misses > round * missShareMax) return "drift"
  return counts.pages >= round ? "over" : "none"
}
