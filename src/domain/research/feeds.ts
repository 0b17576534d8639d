import { Parser } from "htmlparser2"

const FEED_TYPE = /^application\/(?:rss\+xml|atom\+xml|rdf\+xml|feed\+json)/i
/** Feeds of comments tell nothing new of a site. */
const COMMENTS = /\/comments?\/feed|[?&]feed=comments/i

/**
 * Feeds that a page's head names, made absolute, each once.
 * @example feedsIn('<link rel=alternate type=application/rss+xml href=/rss>', "https://a.kr/") // => ["https://a.kr/rss"]
 */
export const feedsIn = (html: string, base: string): ReadonlyArray<string> => {
  const found = new Set<string>()
  const parser = new Parser({
    onopentag: (name, { rel = "", type = "", href = "" }) => {
      if (name !== "link" || !rel.toLowerCase().split(/\s+/).includes("alternate") || !FEED_TYPE.test(type.trim()))
        return
      const url = URL.parse(href.trim(), base)
      if (url !== null && /^https?:$/.test(url.protocol) && !COMMENTS.test(url.href)) found.add(url.href)
    }
  })
  parser.end(html)
  return [...found]
}
