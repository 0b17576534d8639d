/**
 * Claim: every robots.txt decision is the reference's: Google's unit and spec tests, and the decisions of Google's matcher on live
 * files. Bar: 100 % of each set. Needs ../shared/data/conformance/robots; exits 66 without it.
 */
import { existsSync, readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { parseRobots, verdict } from "../../src/domain/robots.ts"

interface Case {
  readonly robots: string | null
  readonly robots_bytes_b64?: string
  readonly agent: string
  readonly url: string
  readonly allowed: boolean
  readonly google_only?: boolean
}
type Live = Readonly<
  Record<string, { readonly robots: string; readonly checks: ReadonlyArray<readonly [string, string, 0 | 1]> }>
>

const folder = new URL("../../../shared/data/conformance/robots/", import.meta.url)
if (!existsSync(folder)) {
  console.error(`no vectors at ${folder.pathname}`)
  process.exit(66)
}
const read = (name: string) => readFileSync(new URL(name, folder))

const bodyOf = (it: Case) => Buffer.from(it.robots ?? it.robots_bytes_b64 ?? "", it.robots === null ? "base64" : "utf8")
const right = (it: Case) => verdict(parseRobots(bodyOf(it), it.agent), it.url).allowed === it.allowed
const score = (cases: ReadonlyArray<Case>) => ({ right: cases.filter(right).length, all: cases.length })

const live = (): { right: number; all: number } => {
  const sites: Live = JSON.parse(gunzipSync(read("real/dev/robots_real.json.gz")).toString())
  const decisions = Object.values(sites).flatMap(({ robots, checks }) => {
    const body = Buffer.from(robots, "latin1")
    const rules = new Map(checks.map(([agent]) => [agent, parseRobots(body, agent)]))
    return checks.map(([agent, url, allowed]) => verdict(rules.get(agent)!, url).allowed === (allowed === 1))
  })
  return { right: decisions.filter((it) => it).length, all: decisions.length }
}

const unit: ReadonlyArray<Case> = JSON.parse(read("google_unittest.json").toString())
const rows = {
  "Google unit tests, RFC 9309 part": score(unit.filter((it) => it.google_only !== true)),
  "Google unit tests, beyond the RFC": score(unit.filter((it) => it.google_only === true)),
  "robotstxt-spec-test": score(JSON.parse(read("google_spec_test.json").toString())),
  "decisions on live files": live()
}
console.table(rows)
const sum = Object.values(rows).reduce((a, b) => ({ right: a.right + b.right, all: a.all + b.all }))
console.log(`robots decisions right: ${sum.right}/${sum.all} (bar: all)`)
process.exit(sum.right === sum.all ? 0 : 1)
