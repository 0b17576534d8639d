import type { Block } from "./blocks.ts"
import { words } from "./element.ts"
import { textOf } from "./json.ts"
import { type Linked, typesOf } from "./linked.ts"
import { plain, unescaped } from "./title.ts"

/** What a shop shows behind the thing itself: what others said of it, and other things. */
const behind =
  /^(?:[\d.,]+ )?(?:customer |product |verified |ratings? (?:&|and) )?(?:reviews?|ratings?)\b|^(?:explore |view |shop )?(?:related|similar|recommended|recently viewed|compare)\b|^(?:you (?:may|might) also|customers (?:also|who)|people (?:also|who)|frequently bought|more (?:from|like)|shop the|what customers|this is what|others also|goes well|complete the|questions? (?:&|and) answers|q ?& ?a\b)|^(?:kundenbewertungen|bewertungen|ähnliche|das könnte|kunden kauften|passend dazu)|^(?:avis|vous aimerez|produits similaires)|^(?:상품평|구매후기|리뷰|연관 ?상품|함께 ?구매|추천 ?상품)|^(?:レビュー|関連商品|おすすめ)/iu
/** Such a heading is no longer than this, in characters. */
const behindMax = 60

/** The blocks of a shop's page that speak of what it sells: from its name on, without reviews and other things. */
export const ofGoods = (blocks: ReadonlyArray<Block>): ReadonlyArray<Block> => {
  const name = blocks.findIndex((it) => it.heading === 1)
  /** The level of the heading whose section is left out, or 0. */
  let level = 0
  return blocks.slice(Math.max(0, name)).filter((it) => {
    if (it.heading > 0 && (level === 0 || it.heading <= level))
      level = it.chars <= behindMax && behind.test(it.text) ? it.heading : 0
    return level === 0
  })
}

/** A description of so many characters says something; so many of its letters tell whether it is shown already. */
const descriptionMin = 100
const beginning = 40

/** The description that a page states of what it sells, in lines, where its text does not show it. */
export const unshown = ({ nodes }: Linked, text: string): ReadonlyArray<string> => {
  const product = nodes.find((it) => typesOf(it).includes("Product") && typeof it.description === "string")
  const stated = unescaped(textOf(product?.description) ?? "").replace(/<\/?(?:p|br|div|li|h\d)\b[^>]{0,200}>/giu, "\n")
  if (stated.length < descriptionMin || plain(text).includes(plain(stated).slice(0, beginning))) return []
  return stated
    .split("\n")
    .map(words)
    .filter((it) => it !== "")
}
