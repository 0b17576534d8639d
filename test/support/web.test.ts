import { afterEach, expect, test } from "bun:test"
import { join } from "node:path"
import { encodeEucKr } from "./web/euckr.ts"
import { summarise } from "./web/log.ts"
import { particle } from "./web/prose.ts"
import { startWeb, type Web, type WebOptions } from "./web/web.ts"

const open: Web[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((it) => it.close()))
})
const start = async (options: Partial<WebOptions> = {}) => {
  const web = await startWeb(options)
  open.push(web)
  return web
}
const read = async (url: string) => new Uint8Array(await (await fetch(url)).arrayBuffer())
const withoutPort = (text: string) => text.replaceAll(/127\.0\.(\d+)\.(\d+):\d+/g, "127.0.$1.$2")
const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;")

test("the same seed gives the same pages, another seed others", async () => {
  const page = async (seed: number) => {
    const web = await start({ seed, hosts: 1, articles: 3 })
    const [truth] = web.truth()
    return withoutPort(new TextDecoder().decode(await read(truth!.url)))
  }
  const first = await page(7)
  expect(await page(7)).toBe(first)
  expect(await page(8)).not.toBe(first)
})

test("every article of the truth is served in its charset, with its title and each of its paragraphs", async () => {
  const web = await start({ hosts: 14, articles: 2, eucKr: 0.4 })
  const truth = web.truth()
  expect(new Set(truth.map(({ layout }) => layout)).size).toBe(7)
  expect(new Set(truth.map(({ charset }) => charset)).size).toBe(2)
  expect(truth.length).toBe(28)
  for (const article of truth) {
    const text = new TextDecoder(article.charset, { fatal: true }).decode(await read(article.url))
    expect(text).toContain(escaped(article.title))
    for (const paragraph of article.body.split("\n\n")) expect(text).toContain(escaped(paragraph))
  }
})

test("front and list pages of a host together link every article of it", async () => {
  const web = await start({ hosts: 7, articles: 30, lists: 3 })
  for (const [index, origin] of web.origins.entries()) {
    const portal = web.truth().some((it) => it.url.startsWith(origin) && it.layout === "portal")
    const lists = [1, 2, 3].map((it) => (portal ? `/breakingnews/section/101/259?page=${it}` : `/list/${it}`))
    const pages = await Promise.all(lists.map(async (it) => new TextDecoder().decode(await read(origin + it))))
    const missing = web
      .truth()
      .filter(({ url }) => url.startsWith(`${origin}/`))
      .filter(({ url }) => !pages.some((it) => it.includes(`href="${url.slice(origin.length)}"`)))
    expect({ index, missing }).toEqual({ index, missing: [] })
  }
})

test("the log has each request with its status and its bytes, and reset empties it", async () => {
  const web = await start({ hosts: 1, articles: 1 })
  const url = `${web.origins[0]}/robots.txt`
  const bytes = (await read(url)).length
  await read(`${web.origins[0]}/nowhere`)
  const log = web.log().map(({ bytes, path, status }) => ({ bytes, path, status }))
  expect(log[0]).toMatchObject({ path: "/robots.txt", status: 200 })
  expect(log[1]).toMatchObject({ path: "/nowhere", status: 404 })
  expect(bytes).toBeGreaterThan(0)
  expect(web.log().every(({ end, start }) => end !== null && end >= start)).toBe(true)
  web.reset()
  expect(web.log()).toEqual([])
})

const entry = (start: number, end: number | null, path = "/list/1") => ({
  start,
  end,
  path,
  host: "127.0.1.1",
  status: 200,
  bytes: 1,
  agent: ""
})

test.each([
  ["one after the other, touching", [entry(0, 10), entry(10, 20)], { maxInFlight: 1, minGapMs: 10 }],
  ["two overlap", [entry(0, 10), entry(5, 20)], { maxInFlight: 2, minGapMs: 5 }],
  ["one is still being answered", [entry(0, null), entry(50, 60)], { maxInFlight: 2, minGapMs: 50 }],
  ["a page twice, with a tracking parameter", [entry(0, 1, "/a"), entry(9, 10, "/a?utm_source=x")], { repeats: 1 }],
  ["what robots.txt forbids", [entry(0, 1, "/private/members"), entry(9, 10, "/search?q=a")], { violations: 2 }]
] as const)("statistics: %s", (_, entries, expected) => {
  expect(summarise(entries, 0)).toMatchObject(expected)
})

test("requests at once to one host are seen as such when answers take time", async () => {
  const web = await start({ hosts: 1, articles: 1, latency: 100 })
  await Promise.all([1, 2, 3].map(() => read(`${web.origins[0]}/robots.txt`)))
  expect(web.stats().maxInFlight).toBe(3)
})

test("chosen articles fail on their first try and answer on the next", async () => {
  const web = await start({ hosts: 1, articles: 4, faults: { tooMany: 0.5, unavailable: 0.5 } })
  const url = web.truth()[0]!.url
  const first = await fetch(url)
  await first.arrayBuffer()
  expect([429, 503]).toContain(first.status)
  expect((await fetch(url)).status).toBe(200)
})

test("a broken connection breaks the first try only, and the log says so", async () => {
  const web = await start({ hosts: 1, articles: 1, faults: { broken: 1 } })
  const url = web.truth()[0]!.url
  await expect(read(url)).rejects.toThrow()
  expect((await read(url)).length).toBeGreaterThan(1000)
  expect(web.log().map(({ status }) => status)).toEqual([0, 200])
})

test("a moved link leads to its article", async () => {
  const web = await start({ hosts: 1, articles: 1, faults: { moved: 1 } })
  const { title, url } = web.truth()[0]!
  const { origin, pathname } = new URL(url)
  const answer = await fetch(`${origin}/moved${pathname}`)
  expect(answer.url).toBe(url)
  expect(await answer.text()).toContain(escaped(title))
})

test.each([
  ["loop", 302],
  ["private", 302],
  ["too_many", 429],
  ["unavailable", 503],
  ["dead", 404],
  ["captcha", 403],
  ["shell", 200],
  ["soft_404", 200]
] as const)("trap %s answers %i", async (name, status) => {
  const web = await start({ hosts: 1, articles: 1 })
  const answer = await fetch(web.trap(name), { redirect: "manual" })
  await answer.arrayBuffer()
  expect(answer.status).toBe(status)
})

test("an endless body goes on until the reader leaves", async () => {
  const web = await start({ hosts: 1, articles: 1 })
  const left = new AbortController()
  const answer = await fetch(web.trap("endless"), { signal: left.signal })
  const reader = answer.body!.getReader()
  let seen = 0
  while (seen < 1_000_000) seen += (await reader.read()).value?.length ?? 0
  left.abort()
  expect(seen).toBeGreaterThanOrEqual(1_000_000)
})

test("the truncated page announces more than it sends", async () => {
  const web = await start({ hosts: 1, articles: 1 })
  await expect(read(web.trap("truncated"))).rejects.toThrow()
})

test("published articles lead the list, and a revised one has one paragraph more", async () => {
  const web = await start({ hosts: 1, articles: 2, lists: 1 })
  const before = web.truth().length
  const [url] = web.publish(1, new Date("2026-11-29T06:00:00Z"))
  expect(web.truth().length).toBe(before + 1)
  expect(web.truth()[0]).toMatchObject({ url: url!, published_at: "2026-11-29T15:00:00+09:00" })
  const paragraphs = () => web.truth()[0]!.body.split("\n\n").length
  const count = paragraphs()
  expect(web.revise(url!)).toBe(true)
  expect(paragraphs()).toBe(count + 1)
})

test("warming makes every page and asks nothing of the log", async () => {
  const web = await start({ hosts: 7, articles: 2 })
  web.warm()
  expect(web.log()).toEqual([])
  for (const { url } of web.truth()) expect((await fetch(url)).status).toBe(200)
})

test("as a program it says where its control is, and serves hosts, truth, log and statistics there", async () => {
  const program = join(import.meta.dir, "web", "serve.ts")
  const child = Bun.spawn([process.execPath, program, "--hosts", "2", "--articles", "3", "--port", "0", "--warm"], {
    stdout: "pipe"
  })
  try {
    const line = await child.stdout.getReader().read()
    const { control } = JSON.parse(new TextDecoder().decode(line.value))
    const lines = async (path: string) => (await (await fetch(control + path)).text()).trim().split("\n")
    const [front] = await lines("/__hosts")
    await read(front!)
    expect(await lines("/__truth")).toHaveLength(6)
    expect(await lines("/__log")).toHaveLength(1)
    expect(JSON.parse((await lines("/__stats"))[0]!)).toMatchObject({ requests: 1, byStatus: { 200: 1 } })
    expect(JSON.parse((await lines("/__publish?count=1"))[0]!)).toHaveLength(2)
    expect(await lines("/__truth")).toHaveLength(8)
  } finally {
    child.kill()
    await child.exited
  }
})

test("an unchanged page answers 304 to its own validator", async () => {
  const web = await start({ hosts: 1, articles: 1 })
  const url = `${web.origins[0]}/rss.xml`
  const first = await fetch(url)
  await first.arrayBuffer()
  const again = await fetch(url, { headers: { "if-none-match": first.headers.get("etag") ?? "" } })
  expect(again.status).toBe(304)
})

test("the EUC-KR table reads back as what was written, and a character outside it as a reference", () => {
  const text = "한국은행, ‘금리’… 똠방각하 ABC"
  expect(new TextDecoder("euc-kr").decode(encodeEucKr(text))).toBe(text)
  expect(new TextDecoder("euc-kr").decode(encodeEucKr("😀"))).toBe("&#x1f600;")
})

test.each([
  ["예산안", "topic", "예산안은"],
  ["공사", "topic", "공사는"],
  ["허가", "subject", "허가가"],
  ["공항", "object", "공항을"],
  ["서울", "towards", "서울로"],
  ["부산", "towards", "부산으로"],
  ["버스", "with", "버스와"]
] as const)("Korean particles follow the last syllable: %s %s", (word, kind, expected) => {
  expect(particle(word, kind)).toBe(expected)
})
