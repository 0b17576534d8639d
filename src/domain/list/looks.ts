import { dateInUrl } from "../dates/path.ts"
import type { Link } from "../reading.ts"
import { registrableDomain } from "../url/domain.ts"

type Looks = (typeof Link.Type)["looks"]

/** What a URL's shape says, and whether the shape alone is enough. */
export interface Shape {
  readonly looks: Looks
  readonly sure: boolean
}

const FEED =
  /(?:\.(?:rss|atom|rdf)|\/(?:rss|feed|atom)(?:\/(?:rss2?|atom|all|index)?)?|\/(?:rss|feed|feeds|atom|index|news)\d*\.(?:xml|rdf)|\/(?:rss|feeds?|atom)\/.*\.xml|\/feed\.json)\/?$/i
const SITEMAP = /(?:sitemap[^/]*\.(?:xml|txt)(?:\.gz)?|\/sitemap(?:[-_.]?index)?(?:\.xml)?|\.xml\.gz)$/i
const FILE =
  /\.(?:jpe?g|png|gif|webp|avif|svg|ico|bmp|css|m?js|json|woff2?|ttf|eot|pdf|docx?|xlsx?|pptx?|hwpx?|zip|rar|7z|gz|tar|apk|exe|dmg|mp3|mp4|m4a|m4v|mov|avi|wmv|webm|ogg|wav|m3u8|epub|ics|vcf)$/i
/** Pages every site has that are neither articles nor lists of them. */
const SERVICE =
  /(?:^|\/)(?:log-?in|log-?out|sign-?(?:in|up)|register|join|member(?:ship)?s?|account|my-?page|mypage|auth|oauth|password|subscribe|subscription|newsletters?|abo|shop|cart|checkout|donate|about(?:-?us)?|contact(?:-?us)?|impressum|imprint|datenschutz|privacy(?:-?policy)?|terms(?:-?of-?(?:use|service))?|agb|legal|cookies?|policy|policies|help|faq|support|careers?|jobs?|advertis\w*|ads?|mediadaten|kontakt|company|corp|share|sharer|print|email|intent|comments?|reply|apps?|rules|ethics|youth|copyright|sitemap\.html?|wp-(?:admin|login|json|content)|cdn-cgi|xmlrpc\.php)(?:\.\w{2,5})?(?:\/|$)/i
const LIST =
  /(?:^|\/)(?:section|sections|category|categories|cat|tag|tags|topic|topics|thema|themen|rubrik|ressort|author|authors|autor|journalist|reporter|archive|archives|page|list|articlelist|search|latest|breakingnews|ranking|popular|trending|most-?read|index)(?:[-_.]?\w*)?(?:\/|$)/i
/** What follows one of these names a list, however much it reads like a headline. */
const TAXONOMY =
  /^(?:tags?|topics?|authors?|autor(?:en|es|i)?|categor(?:y|ies)|journalists?|reporters?|profiles?|by|hashtag)$/i
const ARTICLE_WORD =
  /(?:^|\/)(?:articles?|article_?view|articleview|news_?view|newsview|story|stories|read|view|post|posts|artikel|noticia|noticias|notizia|nachricht|beitrag|actualite|mnews|v|n|a)(?:\/|\.|$)/i
/** Query parameters that carry an article's number. */
const ARTICLE_KEY =
  /^(?:aid|idxno|article_?(?:id|no|idx)?|arc_?id|news_?(?:id|no|idx|seq)|no|seq|id|uid|nid|wr_id|idx|num|p|story_?id|contents?_?id|key|newskey|ud|art_?(?:nr|no|id)|seq_?code)$/i
const LIST_KEY = /^(?:page|pg|category|cate|cat|section|sec|sid\d?|q|query|search|keyword|tag)$/i

/** Words of a slug: four or more read as a headline. */
const SLUG_WORDS = 4
/** Digits of a number that names an article and not a page or a section. */
const ID_DIGITS = 5
/** Written words without hyphens (Korean, Chinese) read as a headline from this length. */
const HEADLINE_CHARS = 8

const decoded = (segment: string): string => segment.replace(/%[0-9a-f]{2}/gi, "\u00e9")

/** Does a segment read as a headline: certainly (2), perhaps (1), no (0)? */
const slugOf = (segment: string): 0 | 1 | 2 => {
  const name = segment.replace(/\.\w{2,5}$/, "")
  const count = name.split(/[-_+]|%20/).filter((it) => it.length > 1).length
  const foreign = decoded(name).replace(/[\u0000-\u007f]/g, "").length / 3
  if (count >= SLUG_WORDS || (foreign >= HEADLINE_CHARS && !/^[a-z]+$/i.test(name))) return 2
  return count >= 3 && name.length >= 12 ? 1 : 0
}

const isSlug = (segment: string): boolean => slugOf(segment) > 0

const hasId = (segment: string): boolean => {
  const name = segment.replace(/\.\w{2,5}$/, "")
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-/i.test(name)) return true
  const digits = name.match(/\d+/g)?.some((it) => it.length >= ID_DIGITS) ?? false
  return digits || (/^[A-Za-z0-9_-]{8,}$/.test(name) && /\d/.test(name) && /[A-Za-z]/.test(name))
}

const byQuery = (url: URL): Shape | null => {
  const pairs = [...url.searchParams]
  const hasArticle = pairs.some(([key, value]) => ARTICLE_KEY.test(key) && /\d{3,}|[A-Z]{2,}\w*\d{4,}/.test(value))
  if (hasArticle && !LIST.test(url.pathname)) {
    const isSure =
      ARTICLE_WORD.test(url.pathname) || pairs.some(([key, value]) => ARTICLE_KEY.test(key) && /\d{5,}/.test(value))
    return { looks: "article", sure: isSure }
  }
  return pairs.some(([key]) => LIST_KEY.test(key)) ? { looks: "list", sure: true } : null
}

const byPath = (url: URL): Shape => {
  const segments = url.pathname.split("/").filter((it) => it !== "")
  const last = segments.at(-1) ?? ""
  const dated = dateInUrl(url.pathname) !== null
  const afterDate = /\/(?:19|20)\d{2}[/-]?\d{2}(?:[/-]?\d{2})?\/?$/.test(url.pathname)
  if (dated && !afterDate) return { looks: "article", sure: true }
  if (afterDate && segments.length <= 4 && !isSlug(last)) return { looks: "list", sure: true }
  const previous = segments.at(-2) ?? ""
  const isFiled = segments.slice(0, -1).some((it) => TAXONOMY.test(it))
  if (TAXONOMY.test(previous) || (isFiled && !hasId(last))) return { looks: "list", sure: true }
  if (isSlug(last) || (isSlug(previous) && !LIST.test(url.pathname)))
    return { looks: "article", sure: !LIST.test(url.pathname) && Math.max(slugOf(last), slugOf(previous)) === 2 }
  const isNumbered = hasId(last) && (isSlug(previous) || /^archives?$/i.test(previous))
  if (isNumbered || (isSlug(last) && /^a?\d{6,}$/.test(previous))) return { looks: "article", sure: true }
  if (LIST.test(url.pathname) && !(hasId(last) && ARTICLE_WORD.test(url.pathname))) return { looks: "list", sure: true }
  if (hasId(last) || /^a?\d{6,}$/.test(previous))
    return { looks: "article", sure: segments.length > 1 || ARTICLE_WORD.test(url.pathname) }
  if (ARTICLE_WORD.test(url.pathname) && /\d/.test(last) && segments.length > 1)
    return { looks: "article", sure: false }
  return { looks: segments.length <= 3 ? "list" : "other", sure: false }
}

/** The shape of an absolute URL. */
export const shapeOf = (url: URL): Shape => {
  const path = url.pathname
  if (SITEMAP.test(path)) return { looks: "sitemap", sure: true }
  if (FEED.test(path) || /[?&]feed=(?:rss2?|atom|rdf)/.test(url.search)) return { looks: "feed", sure: true }
  if (FILE.test(path)) return { looks: "other", sure: true }
  if (path === "/" && url.search === "") return { looks: "list", sure: true }
  const shape = byQuery(url) ?? byPath(url)
  const isService = SERVICE.test(path) && !(shape.looks === "article" && shape.sure)
  return isService ? { looks: "other", sure: true } : shape
}

/** Another site's pages are taken only when their shape is certain. */
export const looksFrom = (shape: Shape, isForeign: boolean): Looks => {
  if (!isForeign) return shape.looks
  return shape.looks === "article" && shape.sure ? "article" : "other"
}

/**
 * What a URL looks like by its shape alone, seen from `base`: dates, headline slugs and long numbers make an article;
 * short paths and section words a list.
 */
export const looksOf = (url: string, base: string): Looks => {
  const parsed = URL.parse(url, base)
  const from = URL.parse(base)
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return "other"
  const isForeign = from !== null && registrableDomain(parsed.hostname) !== registrableDomain(from.hostname)
  return looksFrom(shapeOf(parsed), isForeign)
}
