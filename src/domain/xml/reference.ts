import { decodeHTML } from "entities/decode"

/** Longest replacement text of an entity the document declares itself, in characters; it is never expanded further. */
const ENTITY_MAX = 200
/** Entities the document declares itself. */
const ENTITIES_MAX = 100
/** Where a document type stands, and how long it may be, in characters. */
const PROLOG_MAX = 32_768

const XML_ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" })
)
/** Two names whose meaning HTML changed after the DTD of RSS 0.91 had fixed it. */
const RSS_ENTITIES: ReadonlyMap<string, string> = new Map(Object.entries({ lang: "\u2329", rang: "\u232a" }))

/** What HTML calls a name, or null. */
const htmlEntity = (name: string): string | null => {
  const text = decodeHTML(`&${name};`)
  return text === `&${name};` ? null : text
}

/** Windows' own bytes used as code points, which HTML reads as their authors meant (HTML §13.2.5.80). */
const WINDOWS = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ"

export const character = (point: number): string => {
  if (point >= 0x80 && point <= 0x9f) return WINDOWS[point - 0x80] ?? ""
  const isBad = !Number.isInteger(point) || point === 0 || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)
  return isBad ? "\ufffd" : String.fromCodePoint(point)
}

const REFERENCE = /&(?:#[xX]([0-9a-fA-F]{1,7})|#(\d{1,8})|([A-Za-z][A-Za-z0-9]{1,31}));|&/g

/**
 * Decodes character references exactly once: XML's five, numbers, the document's own and, because feeds use them
 * undeclared, HTML's names (field case B31). A bare `&` stays as it is.
 */
export const decodeOnce = (
  text: string,
  own: ReadonlyMap<string, string> = new Map(),
  fault: (name: string) => void = () => {}
): string => {
  if (!text.includes("&")) return text
  return text.replace(REFERENCE, (whole: string, hex?: string, decimal?: string, name?: string) => {
    if (hex !== undefined) return character(Number.parseInt(hex, 16))
    if (decimal !== undefined) return character(Number(decimal))
    if (name === undefined) {
      fault("bare_ampersand")
      return whole
    }
    const sound = XML_ENTITIES.get(name) ?? own.get(name)
    if (sound !== undefined) return sound
    fault("undeclared_entity")
    return RSS_ENTITIES.get(name) ?? htmlEntity(name) ?? whole
  })
}

/** Where a DOCTYPE with an internal subset stands, found in one pass over the beginning. */
export const subsetOf = (
  text: string
): { readonly start: number; readonly open: number; readonly end: number } | null => {
  const start = text.slice(0, PROLOG_MAX).search(/<!DOCTYPE/i)
  const open = start < 0 ? -1 : text.indexOf("[", start)
  const close = start < 0 ? -1 : text.indexOf(">", start)
  if (open < 0 || close < open) return null
  const end = text.indexOf("]", open)
  const last = end < 0 ? -1 : text.indexOf(">", end)
  return last < 0 ? null : { start, open, end: last + 1 }
}

const ENTITY = /<!ENTITY\s{1,20}([A-Za-z][\w.-]{0,50})\s{1,20}(?:"([^"]{0,400})"|'([^']{0,400})')\s{0,20}>/g

/** Entities of an internal DOCTYPE subset, as plain text: nothing inside them is expanded, so they cannot explode. */
export const ownEntities = (text: string): ReadonlyMap<string, string> => {
  const subset = subsetOf(text)
  if (subset === null) return new Map()
  const declared = text.slice(subset.open, Math.min(subset.end, subset.open + PROLOG_MAX))
  const found = [...declared.matchAll(ENTITY)].slice(0, ENTITIES_MAX)
  return new Map(
    found.flatMap(([, name = "", double, single]) => {
      const value = decodeOnce(double ?? single ?? "")
      return value.length > ENTITY_MAX || value.includes("&") ? [] : [[name, value] as const]
    })
  )
}
