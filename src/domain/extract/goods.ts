import { type Block, linkDensity } from "./blocks.ts"
import { words } from "./element.ts"
import { textOf } from "./json.ts"
import { type Linked, typesOf } from "./linked.ts"
import { plain, unescaped } from "./title.ts"

/** Beginnings of headings behind which a shop shows what others said of the thing, other things, and its own services. */
const behind = new RegExp(
  [
    String.raw`(?:[\d.,]+ )?(?:customer |product |verified |ratings? (?:&|and) )?(?:reviews?|ratings?)\b`,
    String.raw`(?:explore |view |shop )?(?:related|similar|recommended|recently viewed|compare|featured products)\b`,
    "you (?:may|might) also|customers (?:also|say|who)|people (?:also|who)|others (?:also|like)|what customers|this is what",
    "frequently bought|buy a bundle|more (?:from|like)|shop the|get the look|as seen on|goes well|complete the|content for this",
    String.raw`accessories\b|which .{1,40} right for you|need help|ask an? expert|questions? (?:&|and) answers|q ?& ?a\b`,
    "notify me|how to get it|available services|(?:more )?ways to (?:pay|save)",
    "kundenbewertungen|bewertungen|ähnliche|das könnte|kunden kauften|passend dazu|zubehör",
    "avis|vous aimerez|produits (?:similaires|complémentaires)",
    "상품평|구매후기|리뷰|연관 ?상품|함께 ?구매|추천 ?상품|レビュー|関連商品|おすすめ"
  ]
    .map((it) => `^(?:${it})`)
    .join("|"),
  "iu"
)
/** Such a heading is no longer than this, in characters. */
const behindMax = 60

/** What a page shows from its name on, unless most of it stands before the name: in a column beside it. */
export const fromName = (blocks: ReadonlyArray<Block>): ReadonlyArray<Block> => {
  const name = blocks.findIndex((it) => it.heading === 1)
  const charsOf = (part: ReadonlyArray<Block>): number => part.reduce((sum, it) => sum + it.chars, 0)
  return name < 0 || charsOf(blocks.slice(0, name)) > charsOf(blocks.slice(name)) ? blocks : blocks.slice(name)
}

/** A heading below the name with more than this share in links is the name of another thing. */
const otherMin = 0.6
const isBehind = (heading: Block): boolean =>
  (heading.heading > 1 && linkDensity(heading) > otherMin) || (heading.chars <= behindMax && behind.test(heading.text))

/** The blocks of a shop's page that speak of what it sells: from its name on, without reviews and other things. */
export const ofGoods = (blocks: ReadonlyArray<Block>): ReadonlyArray<Block> => {
  /** The level of the heading whose section is left out, or 0. */
  let level = 0
  return fromName(blocks).filter((it) => {
    if (it.heading > 0 && (level === 0 || it.heading <= level)) level = isBehind(it) ? it.heading : 0
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
