/**
 * Proof verdicts: at most 3 % of non-article pages are called an article and at most 0.5 % of articles are rejected: of generated
 * walls, shells, lists and fronts and of news, and of the forums, manuals, shops, services, portals and articles of the open web.
 */
import { read } from "../../src/domain/read.ts"
import { type Made, makeWeb, walls } from "../../test/support/web/walls.ts"
import { bytesOf, savedPages, setFolder } from "./pages.ts"
import { Missing, prove } from "./proof.ts"

const bars = { called: 0.03, rejected: 0.005 }
/** Verdicts of documents that go on to become articles. */
const goesOn = new Set(["ok", "paywall", "charset_uncertain"])

const verdictOf = (bytes: Uint8Array, { status, url }: Pick<Made, "status" | "url">) => {
  const hints = {
    url,
    expected: "auto",
    status,
    content_type: "text/html",
    truncated: false,
    fetched_at: Date.now(),
    html: false
  } as const
  const { kind, verdict } = read(bytes, hints, null)
  return { isArticle: kind === "article" && goesOn.has(verdict), verdict }
}

interface Group {
  readonly pages: string
  readonly n: number
  readonly articles: number
  /** Generated pages whose verdict is the one they were made for. */
  readonly right: string
}

const generated = (made: ReadonlyArray<Made>): ReadonlyArray<Group> =>
  [...Map.groupBy(made, (it) => it.name)].map(([name, own]) => {
    const found = own.map((it) => ({ it, ...verdictOf(new TextEncoder().encode(it.html), it) }))
    const right = found.filter(({ it, verdict }) => verdict === it.verdict).length
    return { pages: name, n: own.length, articles: found.filter((it) => it.isArticle).length, right: `${right}` }
  })

const saved = async (): Promise<ReadonlyArray<Group>> => {
  const groups = new Map<string, { n: number; articles: number }>()
  for (const set of ["naeb", "fundus", "wcxb"]) {
    const truth = (await Bun.file(`${setFolder(set)}/truth.json`).json()) as Record<string, { page_type?: string }>
    for (const page of savedPages(set)) {
      const type = truth[page.id.slice(set.length + 1)]?.page_type ?? "article"
      const name = `${set}: ${type}`
      const group = groups.get(name) ?? { n: 0, articles: 0 }
      groups.set(name, group)
      group.n += 1
      if (verdictOf(bytesOf(page), { url: page.url, status: 200 }).isArticle) group.articles += 1
    }
  }
  if (groups.size === 0) throw new Missing("the saved pages are not on this machine")
  return [...groups].map(([pages, it]) => ({ pages, ...it, right: "–" }))
}

const sum = (groups: ReadonlyArray<Group>, key: "n" | "articles"): number =>
  groups.reduce((total, it) => total + it[key], 0)

await prove(async () => {
  const made = generated([...walls(), ...makeWeb(7)])
  const pages = await saved()
  const others = made.filter((it) => !it.pages.startsWith("article"))
  const ours = made.filter((it) => it.pages.startsWith("article"))
  const news = [...pages.filter((it) => /^(?:naeb|fundus): article/.test(it.pages)), ...ours]
  const open = pages.filter((it) => /^wcxb: (?!article)/.test(it.pages))
  const called = sum(others, "articles") / sum(others, "n")
  const rejected = 1 - sum(news, "articles") / sum(news, "n")
  const openShare = sum(open, "articles") / sum(open, "n")
  const openArticles = pages.filter((it) => it.pages === "wcxb: article")
  const openRejected = 1 - sum(openArticles, "articles") / sum(openArticles, "n")
  const percent = (share: number) => `${(100 * share).toFixed(2)} %`
  return {
    rows: [...made, ...pages].map((it) => ({ ...it, share: (it.articles / it.n).toFixed(3) })),
    figure: `verdicts: ${percent(called)} of ${sum(others, "n")} walls, shells, lists and fronts called an article, ${percent(rejected)} of ${sum(news, "n")} news articles rejected; of ${sum(open, "n")} forums, manuals, shops, services and portals of the open web ${percent(openShare)} called an article, of its ${sum(openArticles, "n")} articles ${percent(openRejected)} rejected`,
    holds: Math.max(called, openShare) <= bars.called && Math.max(rejected, openRejected) <= bars.rejected
  }
})
