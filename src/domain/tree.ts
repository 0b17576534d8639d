import { attribute, type Element, type Tree } from "./extract/element.ts"
import { build } from "./extract/markup.ts"

export type { Element, Node, Tree } from "./extract/element.ts"
export {
  ancestors,
  attribute,
  blockText,
  closest,
  contains,
  elementChildren,
  inlineText,
  nextElement,
  subtree,
  words
} from "./extract/element.ts"
export { select, selectOne } from "./extract/select.ts"

/**
 * Parses HTML into a light tree: no node objects for text, no bodies of scripts and styles (JSON-LD is kept in `ld`).
 * Linear in the input and bounded in depth and size; never fails, whatever the input.
 */
export const parse = (html: string): Tree => build(html)

/** The base that links resolve against: the first `<base href>` where it resolves, else the document's URL. */
export const baseOf = (tree: Tree, url: string): string => {
  const href = tree.elements.find((it) => it.tag === "base" && attribute(it, "href") !== undefined)
  const stated = href === undefined ? undefined : attribute(href, "href")
  return (stated === undefined ? null : URL.parse(stated.trim(), url)?.href) ?? url
}

/** Resolves what an attribute says against a base; null unless it is http or https. */
export const resolve = (href: string | undefined, base: string): string | null => {
  if (href === undefined || href.trim() === "") return null
  const url = URL.parse(href.trim(), base)
  return url !== null && (url.protocol === "http:" || url.protocol === "https:") ? url.href : null
}

/** The language the document states (`<html lang>`), as written, or null. */
export const languageOf = (tree: Tree): string | null => {
  const html = tree.elements.find((it: Element) => it.tag === "html")
  const lang = html === undefined ? undefined : (attribute(html, "lang") ?? attribute(html, "xml:lang"))
  return lang === undefined || lang.trim() === "" ? null : lang.trim()
}
