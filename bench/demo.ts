#!/usr/bin/env bun
/**
 * The demonstration: starts a small news web on loopback, crawls it from source and prints what came out, one short
 * line per article. Needs no network, no service and no build.
 */
import { join } from "node:path"
import { startWeb } from "../test/support/web/web.ts"

const HOSTS = 4
const ARTICLES = 8
/** Fewer articles than this and the demonstration has failed. */
const ARTICLES_MIN = 20
const WORDS_SHOWN = 60

interface Line {
  readonly title: string
  readonly published_at: string | null
  readonly text: string
  readonly host: string
}

const started = performance.now()
const web = await startWeb({ hosts: HOSTS, articles: ARTICLES, eucKr: 0.3, newest: new Date() })
const main = join(import.meta.dir, "..", "src", "main.ts")
console.error(`A news web of ${HOSTS} hosts with ${ARTICLES} articles each stands at ${web.urls[0]} …`)
const crawl = Bun.spawn(
  [process.execPath, main, "crawl", ...web.urls, "--delay", "0", "--limit", String(HOSTS * ARTICLES)],
  { env: { ...process.env, ALLOW_PRIVATE_CIDRS: "127.0.0.0/8" }, stdin: "ignore", stdout: "pipe", stderr: "inherit" }
)
const text = await new Response(crawl.stdout).text()
const code = await crawl.exited
await web.close()

const articles = text
  .split("\n")
  .filter((it) => it !== "")
  .map((it) => JSON.parse(it) as Line)
for (const { published_at, text, title } of articles)
  console.log(
    `${(published_at ?? "no date").slice(0, 16).replace("T", " ")}  ${title}\n    ${[...text.replaceAll("\n", " ")].slice(0, WORDS_SHOWN).join("")}…`
  )
console.log(
  `\n${articles.length} articles of ${HOSTS * ARTICLES} from ${HOSTS} hosts in ${((performance.now() - started) / 1000).toFixed(1)} s`
)
process.exit(code === 0 && articles.length >= ARTICLES_MIN ? 0 : 1)
