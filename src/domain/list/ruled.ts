import { select } from "../extract/select.ts"
import type { Link } from "../reading.ts"
import { type ParsingRule, selectorsOf } from "../rule.ts"
import { attribute, baseOf, inlineText, resolve, type Tree } from "../tree.ts"

/** Most links taken from one page by a rule. */
const linksMax = 1000

/**
 * The links a list rule names, each once, in the order of the page; null where the rule says nothing of links or finds
 * none, so that the page is read as if there were no rule.
 * @source S3.5
 */
export const ruledLinks = (tree: Tree, rule: ParsingRule | null, url: string): ReadonlyArray<Link> | null => {
  if (rule === null || rule.target_type !== "list") return null
  const base = baseOf(tree, url)
  for (const { css } of selectorsOf(rule, "item_link")) {
    const found = new Map<string, Link>()
    for (const element of select(tree.root, css)) {
      const href = resolve(attribute(element, "href") ?? "", base)
      if (href === null || found.size >= linksMax) continue
      const text = inlineText(element).trim()
      const known = found.get(href)
      // A picture's link comes before its headline's: the first text names the article.
      if (known === undefined || (known.title === null && text !== "")) {
        found.set(href, { url: href, looks: "article", title: text === "" ? null : text, published_at: null })
      }
    }
    if (found.size > 0) return [...found.values()]
  }
  return null
}
