/** Proof robots: 100 % of Google's robots.txt tests and of its matcher's 32,016 decisions on live files come out the same. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { parseRobots, verdict } from "../../src/domain/robots.ts"
import { Missing, prove, shared } from "./proof.ts"

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
interface Score {
  readonly right: number
  readonly all: number
}

const folder = join(shared, "data", "conformance", "robots")
const read = (name: string) => readFileSync(join(folder, name))

const bodyOf = (it: Case) => Buffer.from(it.robots ?? it.robots_bytes_b64 ?? "", it.robots === null ? "base64" : "utf8")
const right = (it: Case) => verdict(parseRobots(bodyOf(it), it.agent), it.url).allowed === it.allowed
const score = (cases: ReadonlyArray<Case>): Score => ({ right: cases.filter(right).length, all: cases.length })

const live = (): Score => {
  const sites: Live = JSON.parse(gunzipSync(read("real/dev/robots_real.json.gz")).toString())
  const decisions = Object.values(sites).flatMap(({ robots, checks }) => {
    const body = Buffer.from(robots, "latin1")
    const rules = new Map(checks.map(([agent]) => [agent, parseRobots(body, agent)]))
    return checks.map(([agent, url, allowed]) => verdict(rules.get(agent)!, url).allowed === (allowed === 1))
  })
  return { right: decisions.filter((it) => it).length, all: decisions.length }
}

await prove(async () => {
  if (!existsSync(folder)) throw new Missing(`the vectors (${folder}) are not on this machine`)
  const unit: ReadonlyArray<Case> = JSON.parse(read("google_unittest.json").toString())
  const rows = [
    { set: "Google's unit tests, RFC 9309 part", ...score(unit.filter((it) => it.google_only !== true)) },
    { set: "Google's unit tests, beyond the RFC", ...score(unit.filter((it) => it.google_only === true)) },
    { set: "robotstxt-spec-test", ...score(JSON.parse(read("google_spec_test.json").toString())) },
    { set: "decisions on live files", ...live() }
  ]
  const sum = rows.reduce((total, it) => ({ right: total.right + it.right, all: total.all + it.all }), {
    right: 0,
    all: 0
  })
  return { rows, figure: `robots: ${sum.right} of ${sum.all} decisions right`, holds: sum.right === sum.all }
})
