import { expect, test } from "bun:test"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const root = join(import.meta.dir, "..", "..")
const article = (at: number) =>
  `<html><head><title>Story number ${at} of the day</title><meta property="og:type" content="article">
   <meta property="article:published_time" content="2026-06-0${at}T10:00:00Z"></head><body><article><h1>Story number ${at} of the day</h1>
   ${Array.from({ length: 6 }, (_, n) => `<p>Paragraph ${n} of story ${at}: the council met on Monday and spoke of water, roads and schools at length.</p>`).join("")}
   </article></body></html>`
const links = [1, 2, 3, 4, 5].map(
  (at) => `<li><a href="/2026/06/0${at}/story-number-of-the-day">Story ${at} of the day, told in full</a></li>`
)
const front = `<html><body><main><ul>${links.join("")}</ul></main><nav><a href="/section/never">Never</a></nav></body></html>`

/** A site whose section never answers. */
const site = () =>
  Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 60,
    fetch: ({ url }) => {
      const { pathname } = new URL(url)
      if (pathname === "/section/never") return new Promise<Response>(() => undefined)
      const at = /\/0(\d)\/story/.exec(pathname)?.[1]
      if (pathname.includes("gone")) return new Response("<h1>404 Not found</h1>", { status: 404 })
      const body = pathname === "/" ? front : at === undefined ? null : article(Number(at))
      return body === null
        ? new Response("", { status: 404 })
        : new Response(body, { headers: { "content-type": "text/html" } })
    }
  })

test("a crawl with a limit ends when that many articles are written, whatever is still under way", async () => {
  const folder = mkdtempSync(join(tmpdir(), "crawler-test-"))
  const server = site()
  try {
    const out = join(folder, "articles.jsonl")
    const words = ["crawl", server.url.href, "--limit", "3", "--out", out, "--delay", "0", "--per-host", "8"]
    const child = Bun.spawn([process.execPath, join(root, "src", "main.ts"), ...words], {
      env: {
        ...process.env,
        ALLOW_PRIVATE_CIDRS: "127.0.0.0/8",
        CRAWLER_DATA_DIR: join(folder, "data"),
        FETCH_TIMEOUT: "60s"
      },
      stdout: "ignore",
      stderr: "pipe"
    })
    // The section would hold it for a minute; the deadline only bounds a failing test.
    const deadline = setTimeout(() => child.kill("SIGKILL"), 20_000)
    const code = await child.exited
    clearTimeout(deadline)
    expect({ code, stderr: code === 0 ? "" : await new Response(child.stderr).text() }).toEqual({ code: 0, stderr: "" })
    expect(readFileSync(out, "utf8").trim().split("\n")).toHaveLength(3)
  } finally {
    await server.stop(true)
    rmSync(folder, { recursive: true, force: true })
  }
}, 25_000)

test("a crawl that is told to stop drains, says what is left, and has done as it was told", async () => {
  const folder = mkdtempSync(join(tmpdir(), "crawler-test-"))
  const server = site()
  try {
    const out = join(folder, "articles.jsonl")
    const words = ["crawl", server.url.href, "--out", out, "--delay", "300ms", "--per-host", "4"]
    const child = Bun.spawn([process.execPath, join(root, "src", "main.ts"), ...words], {
      env: { ...process.env, ALLOW_PRIVATE_CIDRS: "127.0.0.0/8", DRAIN_TIMEOUT: "1s" },
      stdout: "ignore",
      stderr: "pipe"
    })
    const deadline = setTimeout(() => child.kill("SIGKILL"), 20_000)
    while (child.exitCode === null && (!existsSync(out) || readFileSync(out, "utf8") === "")) await Bun.sleep(20)
    child.kill("SIGINT")
    const code = await child.exited
    clearTimeout(deadline)
    const said = await new Response(child.stderr).text()
    expect([code, said]).toEqual([0, expect.stringMatching(/told to stop: [1-5] articles came, [1-6] pages are left/)])
  } finally {
    await server.stop(true)
    rmSync(folder, { recursive: true, force: true })
  }
}, 25_000)

test("a page that answered 404 is told with its answer, an empty one as well, copies by number, and a missing folder of --out in words", async () => {
  const server = site()
  const run = async (...words: ReadonlyArray<string>) => {
    const child = Bun.spawn([process.execPath, join(root, "src", "main.ts"), "crawl", ...words], {
      env: { ...process.env, ALLOW_PRIVATE_CIDRS: "127.0.0.0/8" },
      stdout: "ignore",
      stderr: "pipe"
    })
    return { said: await new Response(child.stderr).text(), code: await child.exited }
  }
  try {
    const gone = new URL("/2026/06/gone-story-of-the-day", server.url).href
    const { said, code } = await run(gone, "--delay", "0")
    expect([code, said]).toEqual([
      1,
      expect.stringContaining(`${gone}: no article: soft_404 (answered 404, there is no such page)`)
    ])
    const bare = new URL("/2026/06/bare-story-of-the-day", server.url).href
    expect(await run(bare, "--delay", "0")).toEqual({
      code: 1,
      said: expect.stringContaining(
        `${bare}: no article: empty, nothing_found (answered 404, it shows next to no text of its own`
      )
    })
    const twice = new URL("/2026/06/01/story-number-of-the-day", server.url).href
    const copy = new URL("/copies/01/story-number-of-the-day", server.url).href
    expect(await run(twice, `${twice}#top`, copy, "--delay", "0")).toEqual({
      code: 0,
      said: expect.stringMatching(
        /URLs that name a page named before: 1\n(.*\n)*crawler: pages with the same article as another page: 1\n/
      )
    })
    const nowhere = join(tmpdir(), "no-such-folder", "x")
    expect(await run(gone, "--out", nowhere)).toEqual({
      code: 74,
      said: expect.stringContaining(`--out ${nowhere}: no such file or directory (ENOENT)`)
    })
  } finally {
    await server.stop(true)
  }
}, 25_000)
