/** Proof real-pages: at least 95 % of 346 saved news pages become one article each when crawled over HTTP, no crash. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { listenOn, type Reply } from "../../test/support/web/server.ts"
import { bytesOf, type Saved, savedPages } from "./pages.ts"
import { binary, jsonLines, prove, run } from "./proof.ts"

const SHARE_MIN = 0.95
const SETS = ["naeb", "fundus"] as const
const PER_OCTET = 250
/** Hosts of this proof stand apart from those of the fixture web (127.0.1.1 …). */
const FIRST_OCTET = 40

const addresses = (pages: readonly Saved[]): ReadonlyMap<string, string> => {
  const hosts = [...new Set(pages.map(({ url }) => new URL(url).host))]
  return new Map(
    hosts.map((it, at) => [it, `127.0.${FIRST_OCTET + Math.floor(at / PER_OCTET)}.${1 + (at % PER_OCTET)}`])
  )
}
/** Each page keeps the path of its address; pages that would share one get a parameter of their own. */
const placed = (pages: readonly Saved[]): ReadonlyMap<string, Saved> => {
  const address = addresses(pages)
  const places = new Map<string, Saved>()
  for (const page of pages) {
    const { host, pathname, search } = new URL(page.url)
    const place = `${address.get(host)}${pathname}${search}`
    places.set(places.has(place) ? `${place}${search === "" ? "?" : "&"}page=${places.size}` : place, page)
  }
  return places
}

const notFound: Reply = {
  status: 404,
  headers: { "content-type": "text/html" },
  body: new TextEncoder().encode("gone")
}

await prove(async ({ folder, later }) => {
  const crawler = await binary()
  const pages = SETS.flatMap((set) => savedPages(set))
  const places = placed(pages)
  const listener = await listenOn(
    [...new Set(addresses(pages).values())],
    0,
    () => ({ ended: () => {} }),
    async ({ host, target }) => {
      const page = places.get(host + target)
      return page === undefined
        ? notFound
        : { status: 200, headers: { "content-type": "text/html" }, body: bytesOf(page) }
    }
  )
  later(listener.close)
  const urlOf = new Map(
    [...places].map(([place, page]) => [`http://${place.replace("/", `:${listener.port}/`)}`, page])
  )
  const seeds = join(folder, "seeds.txt")
  const out = join(folder, "out.jsonl")
  writeFileSync(seeds, [...urlOf.keys()].map((it) => `${it}\n`).join(""))
  const crawl = await run([crawler, "crawl", "--seeds", seeds, "--out", out, "--delay", "0", "--concurrency", "16"], {
    env: { ALLOW_PRIVATE_CIDRS: "127.0.0.0/8" },
    cwd: folder,
    seconds: 300
  })
  if (crawl.code !== 0) console.error(crawl.stderr.slice(-2000))
  const lines = jsonLines<{ url: string; title: string; text: string }>(await Bun.file(out).text())
  const known = (url: string) => urlOf.get(url)?.id ?? urlOf.get(decodeURI(url))?.id
  const found = new Set(lines.flatMap(({ text, title, url }) => (title && text ? (known(url) ?? []) : [])))
  const rows = SETS.map((set) => {
    const of = pages.filter(({ id }) => id.startsWith(`${set}/`))
    const with_article = of.filter(({ id }) => found.has(id)).length
    return { set, pages: of.length, with_article, share: (with_article / of.length).toFixed(3) }
  })
  if (process.argv.includes("--missing")) for (const it of pages) if (!found.has(it.id)) console.error(it.id, it.url)
  const share = found.size / pages.length
  return {
    rows,
    figure: `real-pages: ${found.size} of ${pages.length} pages (${(100 * share).toFixed(1)} %) in ${crawl.seconds.toFixed(1)} s, ${((1000 * crawl.cpuSeconds) / pages.length).toFixed(0)} ms CPU a page, exit ${crawl.code}`,
    holds: crawl.code === 0 && share >= SHARE_MIN
  }
})
