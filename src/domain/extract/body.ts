import type { Hints } from "../reading.ts"
import type { Block, Sheet } from "./blocks.ts"
import { closest, contains, type Element, inlineText, words } from "./element.ts"
import { isDiscussion, isForumAddress, isFurniture } from "./genre.ts"
import { textOf } from "./json.ts"
import { leadOf } from "./lead.ts"
import { typesOf } from "./linked.ts"
import { boilerplate, winner } from "./main.ts"
import { metaOf } from "./meta.ts"
import { isProse, prune } from "./prune.ts"
import { type Body, finish, linesOf, rangeOf, type Source, type Texts } from "./text.ts"
import { Titles, unescaped } from "./title.ts"
import { wider } from "./whole.ts"

export { type Body, html } from "./text.ts"

const titlesOf = ({ linked, meta }: Source): Titles => {
  const stated = [metaOf(meta, "og:title"), metaOf(meta, "twitter:title"), textOf(linked.article?.headline)]
  const shown = [...meta.headings, ...(meta.title === null ? [] : [meta.title])].map(inlineText)
  return new Titles([...stated, ...shown].filter((it) => it !== null))
}

/** Whether a page is a discussion: it says so, its software does, or its address. */
const isForum = (source: Source, { url }: Hints): boolean => isDiscussion(source) || isForumAddress(url)

/** A stated text counts where it is this many characters long and the page shows less than half of it. */
const statedMin = 300

/** The text a page states for machines, where it does not show it (yet): pages that scripts fill. */
const stated = ({ linked }: Source, found: Body): Body => {
  const body = linked.article?.articleBody
  if (typeof body !== "string" || body.length < statedMin || found.text.length > body.length * 0.5) return found
  const lines = unescaped(body.replace(/<\/?(?:p|br|div|h\d|li)\b[^>]{0,200}>/giu, "\n")).split("\n")
  const blocks = lines.map(words).filter((it) => it !== "")
  if (blocks.length === 0) return found
  return finish(found.element, [], linesOf(found.element, blocks))
}

/** Paragraphs that must stand before another article's headline for the page to be cut there. */
const paragraphsMin = 2

/** The blocks up to where another article begins: its own `<article>`, beside the first, with a headline of its own. */
const firstArticle = ({ linked }: Source, blocks: ReadonlyArray<Block>): ReadonlyArray<Block> => {
  const begin = blocks.find(isProse)
  const home = begin === undefined ? null : closest(begin.element, "article")
  if (home === null || linked.nodes.some((it) => typesOf(it).includes("LiveBlogPosting"))) return blocks
  const isOther = (it: Block): boolean => {
    if (it.heading === 0 || it.heading > 2 || contains(home, it.element)) return false
    const article = closest(it.element, "article")
    return article !== null && !contains(article, home)
  }
  const cut = blocks.findIndex(isOther)
  return cut > 0 && blocks.slice(0, cut).filter(isProse).length >= paragraphsMin ? blocks.slice(0, cut) : blocks
}

/** Some software names remarks under posts comments, other software the posts: they are left out if this is left. */
const postsShare = 0.5
const ofPosts = (sheet: Sheet): ReadonlyArray<string | null> => {
  const forum = boilerplate(sheet, "forum")
  const posts = boilerplate(sheet, "posts")
  const size = (removed: ReadonlyArray<string | null>): number =>
    sheet.blocks.reduce((sum, it, i) => sum + (removed[i] === null ? Math.max(0, it.worth) : 0), 0)
  return size(posts) > size(forum) * postsShare ? posts : forum
}

/** The article's own text: what a rule names, else the best element, without the boilerplate inside it. */
export const bodyOf = (page: Source, hints: Hints, ruled: ReadonlyArray<Element>): Texts => {
  const { sheet } = page
  const mode = isForum(page, hints) ? "forum" : "article"
  const removed = mode === "forum" ? ofPosts(sheet) : boilerplate(sheet, mode)
  const [named] = ruled
  if (named !== undefined) {
    const all = ruled.flatMap((it) => sheet.blocks.slice(...rangeOf(sheet, it)))
    const body = finish(named, all, all)
    return { body, judged: body }
  }
  const { element } = winner(sheet, removed, mode)
  const [from, to] = rangeOf(sheet, element)
  const all = sheet.blocks.slice(from, to)
  const isKept = (it: Block): boolean => mode === "article" || !isFurniture(it.text)
  const left = all.filter((it, i) => removed[from + i] === null && isKept(it))
  const titles = titlesOf(page)
  const own = prune(mode === "forum" ? left : firstArticle(page, left), titles)
  const lead = leadOf(sheet, page.meta, removed, from, titles).filter(
    (it) => !own.some((other) => other.text.startsWith(it.text))
  )
  const found = stated(page, finish(element, all, [...lead, ...own]))
  return wider(page, hints, mode, found)
}
