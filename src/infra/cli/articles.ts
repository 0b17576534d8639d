import { Clock, Effect } from "effect"
import type { Article } from "../../domain/article.ts"
import type { Input } from "../api/operations.ts"
import { Control } from "../control.ts"
import { Refusal } from "../exit.ts"
import { visible } from "../logging.ts"
import type { Command } from "./commands.ts"
import type { Since } from "./flag.ts"
import { hostNamed } from "./host.ts"
import { Output } from "./output.ts"
import { print, type Work } from "./print.ts"
import { facts, table } from "./table.ts"

/** Articles of one page of an export. */
const PAGE = 500
/** Articles listed when no limit is given. */
const LIMIT = 20

/** A time as the API takes it. */
export const instant = (since: Since, now: number): string =>
  new Date("at" in since ? since.at : now - since.ago).toISOString()

interface Wanted {
  readonly host: string | null
  readonly since: Since | null
  readonly limit: number
  readonly html: boolean
}

/** Articles page by page, so that an export of any size holds one page in memory. */
const eachArticle = Effect.fnUntraced(function* (
  wanted: Wanted,
  use: (articles: ReadonlyArray<Article>) => Effect.Effect<void, Refusal>
) {
  const control = yield* Control
  const now = yield* Clock.currentTimeMillis
  let left = wanted.limit
  let after: string | null = null
  while (left > 0) {
    const input: Input<"articles.list"> = {
      limit: Math.min(PAGE, left),
      html: wanted.html,
      ...(wanted.host === null ? {} : { host: hostNamed(wanted.host) }),
      ...(wanted.since === null ? {} : { since: instant(wanted.since, now) }),
      ...(after === null ? {} : { after })
    }
    const page = yield* control["articles.list"](input)
    yield* use(page.articles)
    left -= page.articles.length
    after = page.next
    if (after === null) break
  }
  return wanted.limit - left
})

const listArticles = ({ flags }: Extract<Command, { name: "articles list" }>): Work =>
  Effect.gen(function* () {
    const found: Array<Article> = []
    const limit = flags.limit ?? LIMIT
    yield* eachArticle({ ...flags, limit, html: false }, (page) => Effect.sync(() => void found.push(...page)))
    const output = yield* Output
    if (flags.json) yield* Effect.forEach(found, (it) => output.line(JSON.stringify(it)), { discard: true })
    else yield* output.line(table(found, ["id", "published_at", "host", "title"]))
    return "done" as const
  })

const exportArticles = ({ flags }: Extract<Command, { name: "articles export" }>): Work =>
  Effect.gen(function* () {
    const output = yield* Output
    const wanted = { ...flags, limit: flags.limit ?? Number.MAX_SAFE_INTEGER }
    const count = yield* eachArticle(wanted, (page) =>
      Effect.forEach(page, (it) => output.line(JSON.stringify(it)), { discard: true })
    )
    yield* output.note(`${count} articles`)
    return "done" as const
  })

const showArticle = ({ words, flags }: Extract<Command, { name: "articles show" }>): Work =>
  Effect.gen(function* () {
    const control = yield* Control
    const [given = ""] = words
    const isUrl = /^https?:/i.test(given)
    const article = isUrl
      ? (yield* control["articles.list"]({ url: given, html: true })).articles[0]
      : yield* control["articles.show"]({ id: given })
    if (article === undefined) {
      return yield* new Refusal({
        exit: "nothing",
        message: `no article of ${visible(given)} is known (crawler explain says why)`
      })
    }
    const { text, html: _, ...rest } = article
    yield* print(flags.json, article, () => `${facts(rest)}\n\n${text.split("\n").map(visible).join("\n")}`)
    return "done" as const
  })

/** `crawler articles …` */
export const askArticles = (command: Extract<Command, { name: `articles ${string}` }>): Work => {
  switch (command.name) {
    case "articles list":
      return listArticles(command)
    case "articles export":
      return exportArticles(command)
    case "articles show":
      return showArticle(command)
  }
}
