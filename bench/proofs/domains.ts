/**
 * Proof domains: 77 of 77 test vectors of the public suffix list come out right, and at least 100,000 URLs/s are normalised and given
 * their domain_id on one core.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { placeOf } from "../../src/domain/research/place.ts"
import { publicDomain } from "../../src/domain/url.ts"
import { seedUrls } from "../../test/support/discovery/world.ts"
import { Missing, prove, shared } from "./proof.ts"

const BAR = 100_000
const URLS = 400_000
const suffixes = "gov.sg org.sg com.sg go.kr or.kr co.kr gov.uk co.uk gouv.fr com com.au go.jp".split(" ")

const vectors = (): ReadonlyArray<readonly [string, string | null]> =>
  readFileSync(join(shared, "data", "conformance", "psl", "tests.txt"), "utf8")
    .split("\n")
    .flatMap((line) => {
      const [host = "", domain] = line.trim().split(/\s+/)
      return line.startsWith("//") || domain === undefined || host === "null"
        ? []
        : [[host, domain === "null" ? null : domain] as const]
    })

await prove(async () => {
  if (!existsSync(join(shared, "data", "conformance", "psl"))) throw new Missing("the vectors are not on this machine")
  const all = vectors()
  const wrong = all.filter(([host, domain]) => publicDomain(host) !== domain)
  const urls = [
    ...seedUrls(10_000),
    ...Array.from(
      { length: 10_000 },
      (_, at) => `https://m${at % 7}.press${at}.${suffixes[at % suffixes.length]}/a/${at}?b=c`
    )
  ]
  for (const url of urls) placeOf(url, "SG")
  const started = performance.now()
  let ids = 0
  for (let at = 0; at < URLS; at++) ids += placeOf(urls[at % urls.length] ?? "", "SG")?.domain_id.length ?? 0
  const rate = URLS / ((performance.now() - started) / 1000)
  return {
    rows: [
      { vectors: all.length, wrong: wrong.length, urls: URLS, "URLs/s": Math.round(rate), "characters of ids": ids }
    ],
    figure: `domains: ${all.length - wrong.length} of ${all.length} vectors right, ${Math.round(rate / 1000)} k URLs/s normalised with domain_id`,
    holds: wrong.length === 0 && all.length === 77 && rate >= BAR
  }
})
