import type { Link } from "../reading.ts"
import { ancestors, attribute, baseOf, type Element, inlineText, resolve, subtree, type Tree } from "../tree.ts"

export type Place = "main" | "navigation"

/** One place where a page links to an address. */
export interface Anchor {
  readonly url: string
  readonly title: string
  readonly place: Place
  /** Tags and classes of the element and its nearest ancestors: items of one list share it. */
  readonly template: string
  readonly isHeading: boolean
  /** The largest element around it that links to no other address: the item's box. */
  readonly box: Element | null
  /** What the page itself says the link is (`rel=alternate` of a feed). */
  readonly looks: (typeof Link.Type)["looks"] | null
}

/** Longest title, in characters. */
const TITLE_MAX = 500
/** Longest address taken, in characters; what is longer is no address. */
const HREF_MAX = 8192
/** How much of a class names a template, in characters. */
const CLASS_MAX = 100
/** Ancestors that name a template. */
const TEMPLATE_DEPTH = 3
/** Ancestors searched for the box of an item. */
const BOX_DEPTH = 7

const NAVIGATION_TAGS = new Set(["nav", "footer", "header"])
const NAVIGATION_NAMES =
  /(?:^|[\s_-])(?:nav|gnb|lnb|snb|navigation|menu|footer|breadcrumbs?|sns|share|social|paging|pagination|pager|language|util)(?:$|[\s_-])/i
const HEADING = /^h[1-6]$/

/** A fragment names a part of the page; one that starts like a route is an address of its own. */
const withoutFragment = (url: string): string => url.replace(/#(?![!/]).*$/, "")

const isNavigation = (it: Element): boolean =>
  (NAVIGATION_TAGS.has(it.tag) && it.tag !== "header") ||
  NAVIGATION_NAMES.test(`${attribute(it, "class") ?? ""} ${attribute(it, "id") ?? ""}`) ||
  attribute(it, "role") === "navigation"

const placeOf = (element: Element): Place => {
  for (const it of ancestors(element)) {
    if (it.tag === "article" || it.tag === "main") return "main"
    if (isNavigation(it)) return "navigation"
  }
  return "main"
}

const templateOf = (element: Element): string => {
  const names: Array<string> = []
  for (let it: Element | null = element; it !== null && names.length <= TEMPLATE_DEPTH; it = it.parent) {
    names.push(`${it.tag}.${(attribute(it, "class") ?? "").slice(0, CLASS_MAX).replace(/\d+/g, "0").trim()}`)
  }
  return names.join("<")
}

const isInHeading = (tree: Tree, element: Element): boolean => {
  const inner = subtree(tree, element).some((it) => HEADING.test(it.tag))
  const outer = [element.parent, element.parent?.parent].some(
    (it) => it !== null && it !== undefined && HEADING.test(it.tag)
  )
  return inner || outer
}

const titleOf = (tree: Tree, element: Element): string => {
  const inside = subtree(tree, element)
  const heading = inside.find((it) => HEADING.test(it.tag))
  const text = heading === undefined ? inlineText(element) : inlineText(heading)
  const image = inside.find((it) => it.tag === "img" && (attribute(it, "alt") ?? "").trim() !== "")
  const stated = attribute(element, "title") ?? attribute(element, "aria-label")
  const best = text !== "" ? text : (stated ?? (image === undefined ? "" : attribute(image, "alt")) ?? "")
  return best.replace(/\s+/g, " ").trim().slice(0, TITLE_MAX)
}

const FEED_TYPE = /^application\/(?:rss\+xml|atom\+xml|rdf\+xml|feed\+json)/i

/** Links outside anchors: feeds in the head, frames, an immediate refresh (field case B53). */
const addressOf = (it: Element): { readonly href: string | undefined; readonly looks: Anchor["looks"] } | null => {
  if (it.tag === "a" || it.tag === "area") return { href: attribute(it, "href"), looks: null }
  if (it.tag === "frame" || it.tag === "iframe")
    return it.tag === "frame" ? { href: attribute(it, "src"), looks: "list" } : null
  if (it.tag === "link") {
    const rel = (attribute(it, "rel") ?? "").toLowerCase().split(/\s+/)
    const isFeed = rel.includes("alternate") && FEED_TYPE.test(attribute(it, "type") ?? "")
    if (isFeed) return { href: attribute(it, "href"), looks: "feed" }
    return rel.includes("sitemap") ? { href: attribute(it, "href"), looks: "sitemap" } : null
  }
  const isRefresh = it.tag === "meta" && attribute(it, "http-equiv")?.toLowerCase() === "refresh"
  const target = isRefresh
    ? /^\s*[\d.]+\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)/i.exec(attribute(it, "content") ?? "")?.[1]
    : undefined
  return target === undefined ? null : { href: target, looks: null }
}

type Located = { readonly element: Element; readonly url: string; readonly looks: Anchor["looks"] }

/** For every ancestor near a link: the one address it links to, or null for several. */
const boxes = (found: ReadonlyArray<Located>): ReadonlyMap<Element, string | null> => {
  const owners = new Map<Element, string | null>()
  for (const { element, url } of found) {
    let depth = 0
    for (let it: Element | null = element; it !== null && depth < BOX_DEPTH; it = it.parent) {
      const owner = owners.get(it)
      owners.set(it, owner === undefined || owner === url ? url : null)
      depth += 1
    }
  }
  return owners
}

const boxOf = (element: Element, owners: ReadonlyMap<Element, string | null>): Element | null => {
  let box: Element | null = null
  let depth = 0
  for (let it: Element | null = element; it !== null && depth < BOX_DEPTH; it = it.parent) {
    if (owners.get(it) === null || it.tag === "body" || it.tag === "#root") break
    box = it
    depth += 1
  }
  return box
}

const locate = (tree: Tree, base: string): ReadonlyArray<Located> =>
  tree.elements.flatMap((element) => {
    const address = addressOf(element)
    const href = address?.href?.replace(/[\t\r\n]+/g, "").trim()
    if (
      address === null ||
      href === undefined ||
      href === "" ||
      href.length > HREF_MAX ||
      (href.startsWith("#") && !/^#[!/]/.test(href))
    )
      return []
    const url = resolve(href, base)
    return url === null ? [] : [{ element, url: withoutFragment(url), looks: address.looks }]
  })

/** All links of a page that lead to http or https, with what stands around them. */
export const anchorsOf = (
  tree: Tree,
  url: string
): { readonly anchors: ReadonlyArray<Anchor>; readonly base: string } => {
  const base = baseOf(tree, url)
  const own = withoutFragment(url)
  const found = locate(tree, base).filter((it) => it.url !== own)
  const owners = boxes(found)
  const anchors = found.map(
    ({ element, url: address, looks }): Anchor => ({
      url: address,
      title: titleOf(tree, element),
      place: placeOf(element),
      template: templateOf(element),
      isHeading: isInHeading(tree, element),
      box: boxOf(element, owners),
      looks
    })
  )
  return { anchors, base }
}
