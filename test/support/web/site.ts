/** One host at work: which articles it has by now, and the bytes of each of its pages. */

import { atom, robots, rss, sitemap, sitemapIndex } from "./feeds.ts"
import { framer, listPath } from "./markup.ts"
import { aboutPage, articlePage, frontPage, listPage, type Site } from "./page.ts"
import { type Article, type Host, article as makeArticle } from "./press.ts"
import { digest, fraction } from "./random.ts"
import { trapPath } from "./trap.ts"
import type { Faults, WebOptions } from "./web.ts"

/** A page ready to send. */
export interface Packed {
  readonly type: string
  readonly plain: Uint8Array<ArrayBuffer>
  /** Compressed at the first request for it. */
  readonly zipped: () => Uint8Array
  readonly etag: string
  readonly modified: string
}

/** Articles of one host are half an hour apart, give or take ten minutes. */
const STEP_MS = 1_800_000
const JITTER_MS = 600_000
/** Pages kept ready; above it the oldest is made anew when asked for. */
const READY_MAX = 4000

type Encode = (text: string, charset: string) => Uint8Array<ArrayBuffer>

const pack = (type: string, plain: Uint8Array<ArrayBuffer>, modified: Date): Packed => {
  let zipped: Uint8Array | undefined
  return {
    type,
    plain,
    zipped: () => (zipped ??= Bun.gzipSync(plain)),
    etag: `"${Bun.hash(plain).toString(16)}"`,
    modified: modified.toUTCString()
  }
}

/** How lists link an article: see `Faults`. A dead link takes a number that no article has. */
const hrefsOf =
  (seed: number, faults: Faults) =>
  (article: Article): readonly string[] => {
    const name = `${article.host.index}/${article.number}`
    const link = fraction(seed, `moved ${name}`) < faults.moved ? `/moved${article.path}` : article.path
    return [
      link,
      ...(fraction(seed, `repeated ${name}`) < faults.repeated
        ? [`${article.path}?utm_source=front&fbclid=a${digest(seed, name)}`]
        : []),
      ...(fraction(seed, `dead ${name}`) < faults.dead
        ? [article.path.replace(/\d+$/, String(800_000 + article.number))]
        : [])
    ]
  }

/** The articles a host has by now: those it starts with, those published since, and how often each was revised. */
const shelf = (host: Host, { articles: count, newest, seed }: WebOptions) => {
  const dates = Array.from({ length: count }, (_, at) => {
    const jitter = fraction(seed, `time ${host.index}/${at}`) * JITTER_MS
    return new Date(newest.getTime() - (count - 1 - at) * STEP_MS - Math.floor(jitter / 1000) * 1000)
  })
  const revisions = new Map<number, number>()
  let known: { newestFirst: readonly Article[]; byPath: ReadonlyMap<string, Article> } | undefined
  const make = () => {
    const newestFirst = dates.map((it, at) => makeArticle(seed, host, at + 1, it, revisions.get(at + 1) ?? 0)).reverse()
    return { newestFirst, byPath: new Map(newestFirst.map((it) => [it.path, it])) }
  }
  const current = () => (known ??= make())
  return {
    current,
    publish: (added: number, at: Date): readonly string[] => {
      for (let more = 0; more < added; more++) dates.push(at)
      known = undefined
      return current()
        .newestFirst.slice(0, added)
        .map(({ url }) => url)
    },
    revise: (url: string): boolean => {
      const found = current().newestFirst.find((it) => it.url === url)
      if (found === undefined) return false
      revisions.set(found.number, (revisions.get(found.number) ?? 0) + 1)
      known = undefined
      return true
    }
  }
}

/** The portal answers on two paths for one article and selects its list by query. */
const portalPath = (path: string) => path.replace(/^\/mnews\/article\//, "/article/")

export const makeSite = (host: Host, options: WebOptions, faults: Faults, encode: Encode) => {
  const { lists, newest, seed } = options
  const articles = shelf(host, options)
  const frame = framer(seed, host, lists)
  const ready = new Map<string, Packed>()
  const hrefs = hrefsOf(seed, faults)
  const traps = faults.traps.map(trapPath)
  const site = (): Site => ({ seed, host, frame, lists, hrefs, traps, articles: articles.current().newestFirst })
  const html =
    host.declares === "header" || host.charset === "utf-8" ? `text/html; charset=${host.charset}` : "text/html"
  const find = (path: string) => articles.current().byPath.get(portalPath(path))

  const feeds: Readonly<Record<string, () => Packed>> = {
    "/robots.txt": () => pack("text/plain; charset=utf-8", encode(robots(host, options.crawlDelay), "utf-8"), newest),
    "/sitemap.xml": () => pack("application/xml", encode(sitemap(site().articles), "utf-8"), newest),
    "/sitemap-index.xml": () => pack("application/xml", encode(sitemapIndex(host), "utf-8"), newest),
    "/sitemap.xml.gz": () => pack("application/gzip", Bun.gzipSync(encode(sitemap(site().articles), "utf-8")), newest),
    "/rss.xml": () => pack("application/rss+xml", encode(rss(host, site().articles), host.charset), newest),
    "/atom.xml": () => pack("application/atom+xml", encode(atom(host, site().articles), host.charset), newest)
  }
  const make = (target: string): Packed | undefined => {
    const path = target.replace(/[?#].*$/, "")
    const found = find(path)
    if (found !== undefined) return pack(html, encode(articlePage(site(), found), host.charset), found.published)
    const page =
      /^\/list\/(\d+)$/.exec(path)?.[1] ??
      (path.startsWith("/breakingnews/section/") ? (/[?&]page=(\d+)/.exec(target)?.[1] ?? "1") : undefined)
    const whole = (text: string) => pack(html, encode(text, host.charset), newest)
    if (page !== undefined)
      return Number(page) >= 1 && Number(page) <= lists ? whole(listPage(site(), Number(page))) : undefined
    if (path === "/") return whole(frontPage(site()))
    if (path === "/about") return whole(aboutPage(site()))
    return feeds[path]?.()
  }
  return {
    host,
    articles: () => articles.current().newestFirst,
    article: find,
    /** Where a moved link leads. */
    moved: (path: string) => {
      const found = path.startsWith("/moved/") ? find(path.slice("/moved".length)) : undefined
      return found?.url
    },
    page: (target: string): Packed | undefined => {
      const key = target.startsWith("/breakingnews/") ? target : target.replace(/[?#].*$/, "")
      const known = ready.get(key) ?? make(target)
      if (known === undefined) return undefined
      ready.set(key, known)
      if (ready.size > READY_MAX) ready.delete(ready.keys().next().value ?? "")
      return known
    },
    targets: (): readonly string[] => [
      "/",
      "/about",
      ...Array.from({ length: lists }, (_, at) => listPath(host, at + 1)),
      ...Object.keys(feeds),
      ...articles.current().newestFirst.map(({ path }) => path)
    ],
    publish: (count: number, at: Date) => {
      ready.clear()
      return articles.publish(count, at)
    },
    revise: (url: string) => {
      const found = articles.revise(url)
      if (found) ready.clear()
      return found
    }
  }
}
