import { decode } from "./charset.ts"
import { type Sheet, sheetOf } from "./extract/blocks.ts"
import { contentOf, type Page } from "./extract/content.ts"
import { isFields, textOf } from "./extract/json.ts"
import { articleReasons, isArticle } from "./extract/kind.ts"
import { readLinked } from "./extract/linked.ts"
import { binaryKind, challengeIn, wallIn } from "./extract/markers.ts"
import { readMeta } from "./extract/meta.ts"
import { type Facts, judge } from "./extract/verdict.ts"
import { isFeed, readFeed } from "./feed.ts"
import { ruledLinks } from "./list/ruled.ts"
import { listLinks } from "./list.ts"
import type { Charset, Hints, Link, Reading } from "./reading.ts"
import type { ParsingRule } from "./rule.ts"
import { isSitemap, readSitemap, ungzip } from "./sitemap.ts"
import { baseOf, type Element, parse, type Tree } from "./tree.ts"

/** Characters of a page that are looked at for words of walls and challenges. */
const visibleMax = 6000
/** Documents longer than this, in characters, are read up to here. */
const textMax = 20_000_000

type CharsetOf = typeof Charset.Type

const nothing = (
  charset: CharsetOf,
  verdict: Reading["verdict"],
  evidence: Reading["evidence"],
  flags: ReadonlyArray<string> = []
): Reading => ({
  kind: "unknown",
  verdict,
  evidence,
  charset,
  content: null,
  links: [],
  flags
})

/**
 * Reads one document: what it is, whether it can be used, and what it holds. Pure, and total: any bytes give a reading.
 * A rule's selectors come first, field by field; what they do not find, generic extraction fills.
 */
export const read = (bytes: Uint8Array, hints: Hints, rule: ParsingRule | null): Reading => {
  const inflated = ungzip(bytes)
  const decoded = decode(inflated.bytes, { content_type: hints.content_type, url: hints.url })
  const text = decoded.text.slice(0, textMax)
  const { charset } = decoded
  const flags = decoded.contradicted ? [...inflated.flags, "charset_contradicted"] : inflated.flags
  if (text.trim() === "") return nothing(charset, "empty", { bytes: bytes.length }, flags)
  if (isSitemap(text)) return listed(charset, { ...readSitemap(text, hints) }, hints, flags)
  if (isFeed(text)) return listed(charset, { ...readFeed(text, hints), kind: "feed" }, hints, flags)
  const binary = binaryKind(inflated.bytes, text, hints.content_type)
  if (binary !== null) return nothing(charset, "not_html", { looks: binary, content_type: hints.content_type }, flags)
  return page(text, decoded, hints, rule, flags)
}

interface Listed {
  readonly kind: Reading["kind"]
  readonly links: ReadonlyArray<Link>
  readonly flags: ReadonlyArray<string>
}
const listed = (
  charset: CharsetOf,
  { flags, kind, links }: Listed,
  hints: Hints,
  more: ReadonlyArray<string>
): Reading => ({
  kind,
  verdict: hints.truncated ? "partial" : "ok",
  evidence: { links: links.length },
  charset,
  content: null,
  links,
  flags: [...more, ...flags]
})

const isLocked = (page: Page): boolean =>
  page.linked.nodes.some(
    (it) => it["@type"] !== undefined && it.articleBody === undefined && isFree(it.isAccessibleForFree) === false
  )

const isFree = (value: unknown): boolean | null => {
  const stated = isFields(value) ? null : textOf(value)
  if (value === false || /^false$|\/False$/iu.test(stated ?? "")) return false
  return value === true || stated !== null ? true : null
}

/** A line of which more than this share is links is one. */
const linkShare = 0.6

type Visible = Pick<Facts, "visible" | "visibleChars" | "said" | "links">
const visibleOf = (sheet: Sheet): Visible => {
  let [visible, said] = ["", ""]
  let [visibleChars, links] = [0, 0]
  for (const it of sheet.blocks) {
    visibleChars += it.chars
    if (visible.length < visibleMax) visible += `${it.text}\n`
    if (it.linkChars > it.chars * linkShare) links += 1
    else if (said.length < visibleMax) said += `${it.text}\n`
  }
  return { visible, visibleChars, said, links }
}

/** Blocks behind the text where a wall says what it wants. */
const wallBlocks = 12

const aroundOf = ({ blocks, end, first }: Sheet, body: Element): string =>
  blocks
    .slice(first[body.order] ?? 0, (end[body.order] ?? 0) + wallBlocks)
    .map((it) => it.text)
    .join("\n")
    .slice(0, visibleMax * 2)

const pageOf = (tree: Tree, hints: Hints): Page => {
  const meta = readMeta(tree)
  const urls = [hints.url, ...(meta.canonical === null ? [] : [meta.canonical])]
  return { sheet: sheetOf(tree), meta, linked: readLinked(tree.ld, urls), base: baseOf(tree, hints.url) }
}

const page = (
  text: string,
  decoded: { readonly charset: CharsetOf; readonly replaced: number },
  hints: Hints,
  rule: ParsingRule | null,
  flags: ReadonlyArray<string>
): Reading => {
  const tree = parse(text)
  const it = pageOf(tree, hints)
  const ruled = rule?.enabled === true ? rule : null
  const { content, judged } = contentOf(it, hints, ruled)
  const reasons = articleReasons(it, judged, hints, content)
  const isOne = isArticle(reasons)
  const kind = kindOf(hints, ruled, isOne)
  // What an article hides is never read; what another page hides is read only where a text is asked of it.
  const isOpened = kind === "article" && !isOne && it.sheet.folded > 0
  const said = isOpened ? contentOf({ ...it, opens: true }, hints, ruled).content : content
  const visible = visibleOf(it.sheet)
  const facts: Facts = {
    hints,
    title: said.title,
    text: said.text,
    ...visible,
    around: () => aroundOf(it.sheet, judged.element),
    scripts: tree.scripts,
    locked: isLocked(it),
    challenge: () => challengeIn(text),
    wall: () => wallIn(tree),
    charsetConfidence: decoded.charset.confidence,
    replaced: decoded.replaced
  }
  const links = kind === "article" ? [] : (ruledLinks(tree, ruled, hints.url) ?? listLinks(tree, hints))
  const { evidence, verdict } = judge(kind === "article" ? facts : { ...facts, text: visible.visible, locked: false })
  return {
    kind: kind === "list" && links.length === 0 ? "unknown" : kind,
    verdict,
    evidence: { ...evidence, reasons },
    charset: decoded.charset,
    content: kind === "article" ? said : null,
    links,
    flags: [...flags, ...tree.flags]
  }
}

const kindOf = (hints: Hints, rule: ParsingRule | null, looksLikeArticle: boolean): Reading["kind"] => {
  switch (hints.expected) {
    case "article":
      return "article"
    case "list":
    case "search_results":
      return "list"
    default:
      if (rule !== null) return rule.target_type === "list" ? "list" : "article"
      return looksLikeArticle ? "article" : "list"
  }
}
