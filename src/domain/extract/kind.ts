import type { Hints } from "../reading.ts"
import type { Body } from "./body.ts"
import type { Page } from "./content.ts"
import { typesOf } from "./linked.ts"
import { metaOf } from "./meta.ts"

/** Text an article has, in characters, where nothing declares it to be one. */
const textMin = 400
/** A block of so many characters is a paragraph (Hangul and Han say more in fewer). */
const paragraphMin = 50
/** From this sum on a page counts as an article. */
const articleMin = 2

/** What speaks for an article and against it; the sum decides. Each reason is evidence. */
export const articleReasons = (
  { linked, meta, sheet }: Page,
  body: Body,
  hints: Hints,
  hasDate: boolean
): Readonly<Record<string, number>> => {
  const types = linked.article === null ? [] : typesOf(linked.article)
  const path = URL.parse(hints.url)?.pathname ?? "/"
  const plain = body.blocks.filter((it) => it.linkChars < it.chars / 3)
  const paragraphs = plain.flatMap((it) => it.text.split("\n")).filter((it) => it.length > paragraphMin).length
  const total = sheet.blocks.reduce((sum, it) => sum + it.chars, 0)
  const linkShare = sheet.blocks.reduce((sum, it) => sum + it.linkChars, 0) / Math.max(1, total)
  const reasons: Record<string, number> = {}
  if (types.some((it) => /Article|BlogPosting|Report/u.test(it))) reasons.json_ld = 2
  if (/article/iu.test(metaOf(meta, "og:type") ?? "")) reasons.og_type = 1.5
  if (meta.props.has("articlebody")) reasons.article_body = 2
  if (hasDate) reasons.dated = 0.5
  if (body.text.length >= textMin) reasons.text = paragraphs >= 3 ? 2 : 1
  if (body.text.length < 200) reasons.short = -1.5
  if (path === "/" || /^\/(?:index|home|main)(?:\.\w+)?$/iu.test(path)) reasons.root = -3
  if (linkShare > 0.6 && paragraphs < 5) reasons.links = -1.5
  if (
    linked.nodes.some((it) =>
      typesOf(it).some((type) => /^(?:CollectionPage|ItemList|SearchResultsPage)$/u.test(type))
    ) &&
    types.length === 0
  )
    reasons.collection = -1
  return reasons
}

export const isArticle = (reasons: Readonly<Record<string, number>>): boolean =>
  Object.values(reasons).reduce((sum, it) => sum + it, 0) >= articleMin
