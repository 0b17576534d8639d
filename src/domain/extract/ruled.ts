import { type FieldName, type FieldSelector, type ParsingRule, selectorsOf } from "../rule.ts"
import { attribute, blockText, type Element, inlineText, type Tree } from "./element.ts"
import { select } from "./select.ts"

/** Matches read per selector. */
const matchesMax = 200

const readValue = (element: Element, selector: FieldSelector): string => {
  const name = selector.attribute
  if (name !== undefined && name !== null && name !== "") return (attribute(element, name.toLowerCase()) ?? "").trim()
  return element.tag === "meta" ? (attribute(element, "content") ?? "").trim() : inlineText(element)
}

/** What a rule finds for a field: the first selector that finds something; all its matches if it says `multi`. */
export const ruledValues = (tree: Tree, rule: ParsingRule | null, field: FieldName): ReadonlyArray<string> => {
  if (rule === null) return []
  for (const selector of selectorsOf(rule, field)) {
    const found = select(tree.root, selector.css).slice(0, matchesMax)
    const values = found.map((it) => readValue(it, selector)).filter((it) => it !== "")
    if (values.length > 0) return selector.multi === true ? values : values.slice(0, 1)
  }
  return []
}

/** The elements a rule names as the body, without those inside another of them. */
export const ruledElements = (tree: Tree, rule: ParsingRule | null, field: FieldName): ReadonlyArray<Element> => {
  if (rule === null) return []
  for (const selector of selectorsOf(rule, field)) {
    const found = select(tree.root, selector.css).slice(0, matchesMax)
    const outer = found.filter((it, i) => !found.slice(0, i).some((other) => it.order <= other.last))
    const filled = outer.filter((it) => blockText(it) !== "")
    if (filled.length > 0) return selector.multi === true ? filled : filled.slice(0, 1)
  }
  return []
}
