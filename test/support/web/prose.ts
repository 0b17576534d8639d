/** Sentences, titles and paragraphs that read like news and say nothing. */
import type { Dice } from "./random.ts"
import { english, korean } from "./words.ts"

export type Language = "ko" | "en"

const HANGUL_FIRST = 0xac00
const HANGUL_LAST = 0xd7a3
const FINALS = 28
const FINAL_RIEUL = 8

/** The final consonant of the last syllable: 0 for none, and for a text that does not end in Hangul. */
const final = (word: string): number => {
  const code = word.charCodeAt(word.length - 1)
  return code >= HANGUL_FIRST && code <= HANGUL_LAST ? (code - HANGUL_FIRST) % FINALS : 0
}
const pairs = { topic: ["은", "는"], subject: ["이", "가"], object: ["을", "를"], with: ["과", "와"] } as const

/** A noun with the particle its last syllable asks for. */
export const particle = (word: string, kind: keyof typeof pairs | "towards"): string => {
  const closing = final(word)
  if (kind === "towards") return word + (closing === 0 || closing === FINAL_RIEUL ? "로" : "으로")
  return word + pairs[kind][closing === 0 ? 1 : 0]
}

const percent = (dice: Dice) => `${1 + dice.whole(48)}.${dice.whole(10)}`

const koreanForms: ReadonlyArray<(dice: Dice) => string> = [
  ({ pick }) =>
    `${particle(pick(korean.actors), "topic")} ${pick(korean.days)} ${pick(korean.places)}에서 ${particle(pick(korean.things), "object")} ${pick(korean.verbs)}.`,
  (dice) =>
    `${particle(dice.pick(korean.things), "topic")} 지난해 같은 기간보다 ${percent(dice)}% ${dice.pick(["늘었다", "줄었다", "올랐다"])}.`,
  ({ pick }) =>
    `${pick(korean.actors)} 관계자는 “${particle(pick(korean.things), "subject")} ${pick(korean.states)}”이라고 말했다.`,
  ({ pick }) =>
    `${pick(korean.linking)} ${particle(pick(korean.places), "towards")} 옮겨 간 ${particle(pick(korean.things), "topic")} 당분간 ${pick(korean.states)}으로 보인다.`,
  ({ pick }) =>
    `전문가들은 ${particle(pick(korean.things), "with")} ${particle(pick(korean.things), "subject")} 함께 ${pick(korean.states)}이라고 내다봤다.`,
  ({ pick }) =>
    `${pick(korean.linking)} ${particle(pick(korean.actors), "subject")} ${particle(pick(korean.things), "object")} 다시 살펴보기로 했다고 ${particle(pick(korean.actors), "topic")} 전했다.`
]

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const englishForms: ReadonlyArray<(dice: Dice) => string> = [
  ({ pick }) =>
    `${capital(pick(english.actors))} ${pick(english.verbs)} ${pick(english.things)} ${pick(english.places)} ${pick(english.days)}.`,
  (dice) =>
    `Spending on ${dice.pick(english.things)} rose by ${percent(dice)} percent, while ${dice.pick(english.actors)} had counted on less.`,
  ({ pick }) =>
    `“We looked at ${pick(english.things)} again and ${pick(english.effects)},” said ${pick(english.people)}, who speaks for ${pick(english.actors)}.`,
  ({ pick }) =>
    `Since ${pick(english.actors)} ${pick(english.verbs)} ${pick(english.things)} ${pick(english.days)}, observers think that ${pick(english.effects)}.`,
  ({ pick }) =>
    `Neither ${pick(english.actors)} nor ${pick(english.actors)} would say whether ${pick(english.things)} depends on ${pick(english.things)}.`,
  ({ pick }) => `For now, ${pick(english.effects)}, and ${pick(english.actors)} keeps ${pick(english.things)} open.`
]

export const sentence = (dice: Dice, language: Language): string =>
  dice.pick(language === "ko" ? koreanForms : englishForms)(dice)

export const paragraph = (dice: Dice, language: Language): string =>
  Array.from({ length: 2 + dice.whole(3) }, () => sentence(dice, language)).join(" ")

/** `number` keeps the titles of one host apart. */
export const headline = (dice: Dice, language: Language, number: number): string =>
  language === "ko"
    ? `${dice.pick(korean.actors)}, ‘${dice.pick(korean.things)}’ ${dice.pick(["속도 낸다", "다시 논의", "어디까지 왔나", "막판 조율", "결국 연기"])}… ${number}번째 점검`
    : `${capital(dice.pick(english.actors))} ${dice.pick(["weighs", "defends", "reopens", "halts"])} ${dice.pick(english.things)} & ${dice.pick(english.things)}: part ${number}`

export const subheading = (dice: Dice, language: Language): string =>
  language === "ko"
    ? `${dice.pick(korean.things)}, ${dice.pick(["남은 과제", "쟁점", "다음 일정"])}`
    : `What ${dice.pick(english.things)} means now`

export const reporter = (dice: Dice, language: Language): string =>
  dice.pick(language === "ko" ? korean.people : english.people)

export const section = (dice: Dice, language: Language): string =>
  dice.pick(language === "ko" ? korean.sections : english.sections)
