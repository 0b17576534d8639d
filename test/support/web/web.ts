/** The fixture news web: many deterministic news hosts on loopback addresses, and the log of who asked them what. */
import { encodeEucKr } from "./euckr.ts"
import { type Entry, makeLog, type Stats } from "./log.ts"
import { type Article, address, bodyOf, korea, type Layout, host as makeHost } from "./press.ts"
import type { Language } from "./prose.ts"
import { fraction } from "./random.ts"
import { listenOn, type Reply, type Request } from "./server.ts"
import { makeSite, type Packed } from "./site.ts"
import { type Trap, trapAt, trapPath } from "./trap.ts"

/** Shares of articles (0 to 1) that fail first or are linked in more ways than one. */
export interface Faults {
  readonly tooMany: number
  readonly unavailable: number
  readonly broken: number
  /** How many first tries fail on the articles of the three shares above. */
  readonly tries: number
  /** Seconds in Retry-After of a 429. */
  readonly retryAfter: number
  /** Extra links to articles that are gone (404). */
  readonly dead: number
  /** Links that pass over a redirect. */
  readonly moved: number
  /** Links repeated with tracking parameters. */
  readonly repeated: number
  /** Linked from the first list of every host. */
  readonly traps: readonly Trap[]
}

export interface WebOptions {
  readonly hosts: number
  /** Per host, at the start. */
  readonly articles: number
  /** List pages per host. */
  readonly lists: number
  readonly seed: number
  /** 0 takes a free one. */
  readonly port: number
  /** Share of hosts that speak EUC-KR. */
  readonly eucKr: number
  /** One layout for all hosts; undefined gives host k layout k mod 7. */
  readonly layout: Layout | undefined
  /** Milliseconds before each answer. */
  readonly latency: number
  /** Seconds in robots.txt; 0 leaves it out. */
  readonly crawlDelay: number
  /** Instant of the newest article. */
  readonly newest: Date
  readonly faults: Partial<Faults>
}

export interface Truth {
  readonly url: string
  readonly title: string
  /** ISO 8601 with offset. */
  readonly published_at: string
  readonly author: string
  readonly section: string
  /** Paragraphs separated by an empty line. */
  readonly body: string
  readonly language: Language
  readonly charset: "utf-8" | "euc-kr"
  readonly layout: Layout
}

export interface Web {
  readonly port: number
  readonly origins: readonly string[]
  /** Front pages: what a crawl starts from. */
  readonly urls: readonly string[]
  readonly truth: () => readonly Truth[]
  readonly log: () => readonly Entry[]
  readonly stats: () => Stats
  /** Empties the log and the counts of tries; pages stay as they are. */
  readonly reset: () => void
  /** The address of a trap on a host. */
  readonly trap: (name: Trap, host?: number) => string
  /** Adds articles to every host, the newest ones, dated `at`; gives their addresses. */
  readonly publish: (count: number, at?: Date) => readonly string[]
  /** Adds a paragraph to an article, as an update does; false for an unknown address. */
  readonly revise: (url: string) => boolean
  /** Makes every page now, so that making one later delays no answer and blurs no time in the log. */
  readonly warm: () => void
  readonly close: () => Promise<void>
}

const standard: WebOptions = {
  hosts: 3,
  articles: 20,
  lists: 2,
  seed: 1,
  port: 0,
  eucKr: 0.1,
  layout: undefined,
  latency: 0,
  crawlDelay: 0,
  newest: new Date("2026-11-29T03:00:00Z"),
  faults: {}
}
const noFaults: Faults = {
  tooMany: 0,
  unavailable: 0,
  broken: 0,
  tries: 1,
  retryAfter: 1,
  dead: 0,
  moved: 0,
  repeated: 0,
  traps: []
}

const truthOf = (article: Article): Truth => ({
  url: article.url,
  title: article.title,
  published_at: korea(article.published),
  author: article.author,
  section: article.section,
  body: bodyOf(article),
  language: article.host.language,
  charset: article.host.charset,
  layout: article.host.layout
})

const text = (status: number, words: string, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  headers: { "content-type": "text/html; charset=utf-8", ...headers },
  body: new TextEncoder().encode(`<!DOCTYPE html><title>${words}</title><h1>${words}</h1>`)
})

/** A page as its reader asked for it: not modified, compressed or plain. */
const answer = (page: Packed, { headers }: Request): Reply => {
  const facts = { "content-type": page.type, etag: page.etag, "last-modified": page.modified }
  if (headers.get("if-none-match") === page.etag) return { status: 304, headers: facts, body: new Uint8Array() }
  const zipped = page.type !== "application/gzip" && (headers.get("accept-encoding") ?? "").includes("gzip")
  return zipped
    ? { status: 200, headers: { ...facts, "content-encoding": "gzip", vary: "accept-encoding" }, body: page.zipped() }
    : { status: 200, headers: facts, body: page.plain }
}

async function* half(page: Packed) {
  yield page.plain.subarray(0, page.plain.length >> 1)
}

/** The fault of an article on this try, or undefined when it answers properly. */
const firstFault = (page: Packed, faults: Faults, where: number): Reply | undefined => {
  if (where < faults.tooMany) return text(429, "Slow down", { "retry-after": String(faults.retryAfter) })
  if (where < faults.tooMany + faults.unavailable) return text(503, "Service unavailable")
  if (where < faults.tooMany + faults.unavailable + faults.broken)
    return {
      status: 200,
      headers: { "content-type": page.type },
      body: half(page),
      announced: page.plain.length,
      ending: "reset"
    }
  return undefined
}

/** Starts the web. `control` answers requests to 127.0.0.1 (the program uses it); without it that address is closed. */
export const startWeb = async (
  given: Partial<WebOptions> = {},
  control?: (web: Web, request: Request) => Reply
): Promise<Web> => {
  const options = { ...standard, ...given }
  const faults = { ...noFaults, ...options.faults }
  const log = makeLog()
  const tries = new Map<string, number>()
  let sites: ReadonlyMap<string, ReturnType<typeof makeSite>> = new Map()

  const respond = (request: Request): Reply => {
    const site = sites.get(request.host)
    if (site === undefined) return text(421, "No such host")
    const path = request.target.replace(/[?#].*$/, "")
    const trap = trapAt(path, site.host)
    if (trap !== undefined) return trap
    const target = site.moved(path)
    if (target !== undefined) return text(301, "Moved", { location: target })
    const page = site.page(request.target)
    if (page === undefined) return text(404, "Not found")
    if (site.article(path) === undefined) return answer(page, request)
    const key = request.host + path
    const turn = (tries.get(key) ?? 0) + 1
    tries.set(key, turn)
    const fault = turn > faults.tries ? undefined : firstFault(page, faults, fraction(options.seed, `fault ${key}`))
    return fault ?? answer(page, request)
  }
  const isControl = ({ host }: Request) => host === "127.0.0.1" || host === "localhost"
  const listener = await listenOn(
    [...(control === undefined ? [] : ["127.0.0.1"]), ...Array.from({ length: options.hosts }, (_, at) => address(at))],
    options.port,
    (request) => ({
      ended: isControl(request)
        ? () => {}
        : log.arrived(request.host, request.target, request.headers.get("user-agent") ?? "")
    }),
    async (request) => {
      if (control !== undefined && isControl(request)) return control(web, request)
      if (options.latency > 0) await Bun.sleep(options.latency)
      return respond(request)
    }
  )
  const hosts = Array.from({ length: options.hosts }, (_, at) =>
    makeHost(options.seed, at, listener.port, options.eucKr, options.layout)
  )
  const encode = (words: string, charset: string) =>
    charset === "euc-kr" ? encodeEucKr(words) : new TextEncoder().encode(words)
  sites = new Map(hosts.map((it) => [it.address, makeSite(it, options, faults, encode)]))
  const all = () => [...sites.values()]
  const web: Web = {
    port: listener.port,
    origins: hosts.map(({ origin }) => origin),
    urls: hosts.map(({ origin }) => `${origin}/`),
    truth: () => all().flatMap((it) => it.articles().map(truthOf)),
    log: log.entries,
    stats: log.stats,
    reset: () => {
      log.reset()
      tries.clear()
    },
    trap: (name, host = 0) => (hosts[host]?.origin ?? "") + trapPath(name),
    publish: (count, at = new Date()) => all().flatMap((it) => it.publish(count, at)),
    revise: (url) => all().some((it) => it.revise(url)),
    warm: () => {
      for (const site of all()) for (const target of site.targets()) site.page(target)?.zipped()
    },
    close: listener.close
  }
  return web
}
