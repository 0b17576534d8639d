import { Schema } from "effect"
import { isSelector } from "../extract/select.ts"
import type { FieldSelector, Selectors } from "../rule.ts"

const Place = Schema.Struct({ css: Schema.String, attribute: Schema.NullOr(Schema.String) })

/** What a model proposes for the article pages of one host: where title and text stand, and date and author if it is sure. */
export const Proposal = Schema.Struct({
  title: Place,
  main_content: Place,
  published_at: Schema.NullOr(Place),
  author: Schema.NullOr(Place)
})
export type Proposal = typeof Proposal.Type

/** Longest selector, in characters, and most steps in it: a search climbs the tree once per step. */
const cssMax = 200
const stepsMax = 5
/** Names, ids, classes, attributes and places among siblings: nothing that searches text, negates or nests. */
const simple =
  /^(?:[\w\u0080-\uffff\s\-#.>+~*|^$="'/:[\]@]|:(?:first|last)-(?:child|of-type)|:nth-(?:child|of-type)\(\d{1,3}\))+$/u
const pseudo = /:(?!(?:first|last)-(?:child|of-type)\b|nth-(?:child|of-type)\(\d{1,3}\))/u
const quoted = /"[^"]*"|'[^']*'/gu
const attributeName = /^[a-z][a-z0-9:_-]{0,40}$/iu

/** Is this a selector that a model may propose? An operator's may say more. */
export const isSimple = (css: string): boolean => {
  const bare = css.replace(quoted, '""')
  const steps = bare.trim().split(/\s*[>+~]\s*|\s+/u).length
  return (
    css.trim() !== "" &&
    css.length <= cssMax &&
    steps <= stepsMax &&
    simple.test(bare) &&
    !pseudo.test(bare) &&
    isSelector(css)
  )
}

const faultOf = (name: string, place: typeof Place.Type): string | null => {
  if (!isSimple(place.css)) return `${name}: ${JSON.stringify(place.css.slice(0, 100))} is not a simple CSS selector`
  return place.attribute === null || attributeName.test(place.attribute)
    ? null
    : `${name}: ${JSON.stringify(place.attribute.slice(0, 40))} is not an attribute`
}

/** What is wrong with a proposal before it is tried; null when it may be. */
export const proposalFault = (proposal: Proposal): string | null => {
  if (proposal.main_content.attribute !== null) return "main_content: an attribute holds no article"
  for (const [name, place] of Object.entries(proposal)) {
    const fault = place === null ? null : faultOf(name, place)
    if (fault !== null) return fault
  }
  return null
}

const selectorOf = ({ attribute, css }: typeof Place.Type): FieldSelector =>
  attribute === null ? { css } : { css, attribute }

/** The selectors of a rule, as an operator would write them. */
export const selectorsFrom = ({ author, main_content, published_at, title }: Proposal): Selectors => ({
  title: selectorOf(title),
  main_content: selectorOf(main_content),
  ...(published_at === null ? {} : { published_at: selectorOf(published_at) }),
  ...(author === null ? {} : { author: selectorOf(author) })
})
