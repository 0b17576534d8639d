import { type Element, inlineText } from "./element.ts"
import type { Kind } from "./kinds.ts"

/** Small inline things of these kinds are no part of a sentence, unless they mark words of it. */
export const inlineNoise: ReadonlySet<Kind | string> = new Set<Kind>(["share", "tools", "advert", "newsletter"])

/** What is longer is no mark but what a tooltip says, in characters. So many before it are looked at. */
const markMax = 40
/** Letters without case go on only where no blank parts them: a blank may as well part a button from a sentence. */
const goesOn = /^\s*\p{Ll}|^\p{Lo}|^['’-]\p{L}|^[,;:.]\s+\p{L}/u
const isOpen = /[\p{L},]\s*$/u
const mayGoOn = /^[,;:.!?]|^\s+\p{Lo}/u

/**
 * Whether an inline element stands in a sentence, by the text `before` it and what follows it: then it marks words of it,
 * whatever its name says ("tooltip", "cta"). What is for sharing never does.
 */
export const isMark = (element: Element, kind: Kind, before: string, next: unknown): boolean => {
  if (kind === "share") return false
  const text = inlineText(element)
  const after = typeof next === "string" ? next : ""
  if (text.length > markMax) return false
  return goesOn.test(after) || ((mayGoOn.test(after) || /[.!?]$/u.test(text)) && isOpen.test(before.slice(-markMax)))
}
