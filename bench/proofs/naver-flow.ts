/**
 * Proof naver-flow: the Naver economy preset on a fixture of its shape (8 sections, `.section_latest`, EUC-KR and UTF-8): 40
 * articles by oid+aid, once each, from two list pages per section; every long one gets all five AI results, every short one none;
 * a second poll saves nothing. Every answer a provider can give leads to its state, code and wait, to the second (S3.15–S3.18).
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { presets } from "../../src/infra/cli/presets.ts"
import { openai } from "../../test/support/openai.ts"
import { encodeEucKr } from "../../test/support/web/euckr.ts"
import { everyAnswer } from "../jobs/errors.ts"
import { crawlerIn, rowsOf } from "./crawler.ts"
import { print, prove, root } from "./proof.ts"

const PORT = 18_461
const PER_SECTION = 5
/** Of each section, the last article is too short to be worth a summary. */
const LONG = PER_SECTION - 1
const FINISH_SECONDS_MAX = 240

const preset = presets["naver-economy"]
const sections = (preset?.sources ?? []).map((it) => ({
  name: it.section ?? "",
  id: new URL(it.url).pathname.split("/").at(-1) ?? ""
}))

const paragraph = (aid: number, at: number): string =>
  `한국은행은 ${aid % 28}일 ${at + 2}번째 회의에서 기준금리를 연 ${aid % 9}.${at}5%로 정했다고 밝혔다. 시장 참가자들은 물가와 환율의 흐름을 함께 지켜보고 있으며, 하반기 수출이 ${aid % 40}조 원에 이를 것으로 내다봤다.`

interface Item {
  readonly section: string
  readonly oid: string
  readonly aid: string
  readonly number: number
  readonly long: boolean
}
const items: ReadonlyArray<Item> = sections.flatMap(({ id }, s) =>
  Array.from({ length: PER_SECTION }, (_, n) => {
    const number = s * PER_SECTION + n + 1
    return {
      section: id,
      oid: String(1 + (number % 5)).padStart(3, "0"),
      aid: String(number).padStart(10, "0"),
      number,
      long: n < LONG
    }
  })
)
const pathOf = ({ aid, oid }: Item) => `/mnews/article/${oid}/${aid}`

/** The first list page has the newest, the second the others; there is no third. */
const FIRST_PAGE = 3
const list = (section: string, page: number): string => {
  const all = items.filter((it) => it.section === section)
  const own = page === 1 ? all.slice(0, FIRST_PAGE) : page === 2 ? all.slice(FIRST_PAGE) : []
  // Each article is linked by its picture and by its headline, and stands under two addresses.
  const entries = own.map(
    (it) =>
      `<li><a href="${pathOf(it)}"><img></a><a href="${pathOf(it)}?sid=101">경제 소식 제${it.number}호, 금리와 환율을 살핀다</a></li>`
  )
  return `<html><head><title>경제</title></head><body><ul class="menu"><li><a href="/article/999/9999999999">메뉴에 있는 기사</a></li></ul>
<div class="section_latest"><ul>${entries.join("")}</ul></div>
<div class="ranking"><a href="/article/998/9999999998">많이 본 뉴스 제목입니다 길게</a></div></body></html>`
}

const page = (it: Item): string => {
  const text = Array.from({ length: it.long ? 14 : 3 }, (_, at) => paragraph(it.number, at)).join("<br><br>")
  return `<html lang="ko"><head><meta property="og:title" content="다른 제목"><meta property="og:image" content="https://img.kr/${it.aid}.jpg"></head><body>
<div class="media_end_head_top_logo"><img alt="가나다신문"></div><h2 id="title_area" class="media_end_head_headline">경제 소식 제${it.number}호, 금리와 환율을 살핀다</h2>
<span class="media_end_head_info_datestamp_time" data-date-time="2026-11-${String(1 + (it.number % 28)).padStart(2, "0")} 09:30:00">입력</span>
<article id="dic_area">${text}</article><div class="ad">광고 문구입니다</div></body></html>`
}

/** Odd sections speak EUC-KR, declared in their header alone. */
const answer = (html: string, section: string): Response => {
  const old = sections.findIndex((it) => it.id === section) % 2 === 1
  return new Response(old ? encodeEucKr(html) : html, {
    headers: { "content-type": `text/html; charset=${old ? "EUC-KR" : "utf-8"}` }
  })
}

/** Numbers of the list pages asked for. */
const asked: Array<number> = []

const site = () =>
  Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => {
      const { pathname, searchParams } = new URL(request.url)
      const number = Number(searchParams.get("page") ?? 1)
      const section = /^\/breakingnews\/section\/101\/(\d+)$/.exec(pathname)?.[1]
      if (section !== undefined) {
        asked.push(number)
        return answer(list(section, number), section)
      }
      const found = items.find((it) => pathOf(it) === pathname)
      if (found !== undefined) return answer(page(found), found.section)
      return new Response("not found", { status: 404 })
    }
  })

await prove(async (bench) => {
  const answers = await everyAnswer()
  print(answers.map(({ right, ...it }) => ({ ...it, right: right ? "yes" : "NO" })))
  console.log("")
  const rightly = answers.filter((it) => it.right).length
  const server = site()
  bench.later(() => server.stop(true))
  const stub = openai({ delay: 5 })
  bench.later(stub.stop)
  const host = `127.0.0.1:${server.port}`
  // The preset as it ships; only its hosts are this machine's.
  mkdirSync(join(bench.folder, "set"))
  const listed = (preset?.sources ?? []).map((it) =>
    JSON.stringify({ ...it, cron: "* * * * *" }).replaceAll("https://news.naver.com", `http://${host}`)
  )
  writeFileSync(join(bench.folder, "set", "sources.jsonl"), `${listed.join("\n")}\n`)
  const rules = (preset?.rules ?? [])
    .filter((it) => it.host_pattern === "news.naver.com")
    .map((it) => ({ ...it, host_pattern: "127.0.0.1" }))
  const program = join(bench.folder, "crawler")
  writeFileSync(program, `#!/bin/sh\nexec ${process.execPath} ${join(root, "src", "main.ts")} "$@"\n`, { mode: 0o755 })
  const token = "naver-flow-proof-token"
  const env = {
    OPENAI_BASE_URL: stub.url,
    FETCH_DELAY: "20ms",
    SOURCE_BACKLOG: "3650d",
    ARTICLE_REVISITS: "off",
    ADMIN_TOKEN: token,
    AI_WORKER_CONCURRENCY: "8",
    CRAWL_MAX_PAGES: "3",
    CRAWL_STOP_AFTER_SEEN_STREAK: String(FIRST_PAGE)
  }
  const crawler = crawlerIn(bench, program, env, PORT)
  const life = await crawler.start()
  const set = await fetch(`http://127.0.0.1:${PORT}/api/v1/parsing-rules`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ rules })
  })
  if (set.status !== 200) throw new Error(`parsing-rules: ${set.status} ${await set.text()}`)
  const added = await crawler.ask("sources", "import", join(bench.folder, "set", "sources.jsonl"))
  if (added.code !== 0) throw new Error(`sources import: ${added.stderr}${added.stdout}`)

  const long = items.filter((it) => it.long).length
  const began = performance.now()
  const count = async (sql: string): Promise<number> =>
    (await rowsOf<{ n: number }>(crawler, `select count(*)::int as n from ${sql}`))[0]?.n ?? 0
  const elapsed = () => (performance.now() - began) / 1000
  while (
    ((await count("articles")) < items.length || (await count("ai_jobs where status = 'SUCCESS'")) < long * 5) &&
    elapsed() < FINISH_SECONDS_MAX
  )
    await Bun.sleep(500)
  const seconds = elapsed()
  // One more slot of every source: what is known is left alone.
  const calls = stub.requests.length
  await Bun.sleep(65_000)
  const articles = await rowsOf<{
    identity: string
    title: string
    text: string
    section: string
    published: string | null
    image: string | null
  }>(
    crawler,
    "select rest->>'identity' as identity, title, text, rest->>'section' as section, rest->>'published_at' as published, rest->>'image' as image from articles limit 1000"
  )
  const named = new Map(articles.map((it) => [it.identity, it]))
  const right = items.filter((it) => {
    const found = named.get(`aid=${it.aid}&oid=${it.oid}`)
    const section = sections.find((one) => one.id === it.section)?.name
    return (
      found?.title.startsWith(`경제 소식 제${it.number}호`) &&
      found.text.includes(paragraph(it.number, 1).slice(0, 30)) &&
      found.section === section &&
      found.published?.endsWith("T00:30:00Z") === true &&
      found.image !== null
    )
  }).length
  const results = await rowsOf<{ type: string; status: string; n: number }>(
    crawler,
    "select type, status, count(*)::int as n from ai_jobs group by 1, 2 order by 1"
  )
  const stored = await count("ai_results")
  const again = stub.requests.length - calls
  const stopped = await life.stop()
  // Once each: later polls meet known links on the first page and go no further.
  const further = [2, 3].map((page) => asked.filter((it) => it === page).length)
  const all = results.every((it) => it.status === "SUCCESS" && it.n === long) && results.length === 5
  return {
    rows: [
      {
        articles: articles.length,
        "as they should be": right,
        sections: sections.length,
        seconds: seconds.toFixed(0),
        "AI jobs": results.map((it) => `${it.n} ${it.type} ${it.status}`).join(", "),
        results: stored,
        "calls after a second poll": again,
        "further list pages": further.join("+"),
        exit: stopped.code
      }
    ],
    figure: `naver-flow: ${articles.length} of ${items.length} articles, ${right} right in identity, title, text, section, date and picture; ${stored} of ${long * 5} AI results; ${again} calls after another poll; ${rightly} of ${answers.length} answers lead where they should`,
    holds:
      articles.length === items.length &&
      right === items.length &&
      all &&
      stored === long * 5 &&
      again === 0 &&
      rightly === answers.length &&
      further.every((it) => it === sections.length) &&
      stopped.code === 0
  }
})
