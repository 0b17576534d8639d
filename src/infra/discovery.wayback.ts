import { Effect, Schema } from "effect"
import { isWithin } from "../domain/research/names.ts"
import { normaliseUrl } from "../domain/url.ts"
import { type Asked, bare, decoded, foreign, get, hostOf, refusal, type Way, withQuery } from "./discovery.json.ts"

/** Rows of CDX `output=json`: the first names the fields. */
const Rows = Schema.Array(Schema.Array(Schema.String))

/** An archived URL as it may be visited today: no default port, no fragment; null for what was no page of the domain. */
const pageOf = (original: string, domain: string): string | null => {
  const url = URL.parse(original)
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return null
  if (url.username !== "" || url.port !== "" || !isWithin(url.hostname.replace(/\.$/, ""), domain)) return null
  url.hash = ""
  return url.href
}

/** Pages that the Wayback Machine has snapshots of (S5.8), one per address. An unknown domain answers nothing or `[]`. */
export const wayback = (way: Way, base: string): Asked => ({
  host: hostOf(base),
  ask: Effect.fnUntraced(function* (domain: string) {
    const url = withQuery(base, {
      url: domain,
      matchType: "domain",
      output: "json",
      fl: "original",
      collapse: "urlkey",
      limit: String(way.resultsMax)
    })
    const asked = withQuery(withQuery(url, { filter: "statuscode:200" }), { filter: "mimetype:text/html" })
    const reply = yield* get(way, asked)
    if (reply.status !== 200) return yield* refusal(url, reply)
    if (reply.text.trim() === "") return []
    const [head, ...rows] = yield* decoded(url, Rows, reply.text)
    if (head === undefined) return []
    const at = head.indexOf("original")
    if (at < 0 || rows.some((row) => row[at] === undefined)) return yield* foreign(url, reply.text)
    const pages = rows.flatMap((row) => pageOf(row[at] ?? "", domain) ?? [])
    // Snapshots by http and by https are the same page: the safer one stays.
    const byPage = new Map(pages.toSorted().map((it) => [normaliseUrl(it).replace(/^https?:/, ""), it]))
    return [...byPage.values()].slice(0, way.resultsMax).map(bare)
  })
})
