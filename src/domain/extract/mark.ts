import { type Element, inlineText } from "./element.ts"
import type { Kind } from "./kinds.ts"

/** Small inline things of these kinds are no part of a sentence, unless they mark words of it. */
export const inlineNoise: ReadonlySet<Kind | string> = new Set<Kind>(["share", "tools", "advert", "newsletter"])

/** What is longer is no mark but what a tooltip says, in characters. */
const markMax = 40
const goesOn = /^\s*[\p{Ll}\p{Lo}]|^[,;:.]\s+\p{L}/u
const isOpen = /[\p{L},]\s*$/u

/**
 * Whether an inline element stands in a sentence, by the text `before` it and what follows it: then it marks words of it,
 * whatever its name says ("tooltip", "cta").
 */
export const isMark = (element: Element, before: string, next: unknown): boolean => {
  const text = inlineText(element)
  const after = typeof next === "string" ? next : ""
  const ends = /^[,;:.!?]/u.test(after) || /[.!?]$/u.test(text)
  return text.length <= markMax && (goesOn.test(after) || (ends && isOpen.test(before)))
}
