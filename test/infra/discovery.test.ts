import { afterAll, beforeEach, describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import type { Method } from "../../src/domain/research/record.ts"
import { unlikelyLabel } from "../../src/domain/research/words.ts"
import { Discovery } from "../../src/domain/research.ts"
import * as discovery from "../../src/infra/discovery.ts"
import { nameServer } from "../support/discovery/dns.ts"
import { discoveryServer, type Mood } from "../support/discovery/server.ts"
import { namesOf, pagesOf, resultsOf } from "../support/discovery/world.ts"
import { outward } from "../support/net.ts"

let server = discoveryServer()
beforeEach(() => {
  server.stop()
  server = discoveryServer()
})
afterAll(() => server.stop())

const ask = (method: Method, subject: string, env: Record<string, string> = {}) => {
  const services = discovery.layer.pipe(Layer.provide(outward({ ...server.settings, RESEARCH_TIMEOUT: "2s", ...env })))
  const lookup = { method, subject, query: subject }
  return Effect.runPromise(Effect.result(Discovery.use((it) => it.ask(lookup))).pipe(Effect.provide(services)))
}
const urlsOf = (result: Awaited<ReturnType<typeof ask>>): ReadonlyArray<string> =>
  result._tag === "Success" ? result.success.map((it) => it.url) : [`${result.failure._tag} ${result.failure.code}`]
const tagOf = (result: Awaited<ReturnType<typeof ask>>): string =>
  result._tag === "Failure" ? `${result.failure._tag} ${result.failure.code}` : `${result.success.length} found`

const domain = "site7.com.sg"

describe("discovery sources in their own formats", () => {
  test("crt.sh: names of certificates, without wildcards, e-mails and strangers", async () =>
    expect(urlsOf(await ask("crtsh", domain))).toEqual([...namesOf(domain)].sort().map((it) => `https://${it}/`)))

  test("Wayback: archived pages as they may be visited today", async () =>
    expect(urlsOf(await ask("wayback_machine", "site11.org.sg"))).toEqual(
      pagesOf("site11.org.sg").map((it) => it.replace(":80", ""))
    ))

  test("Google: all pages of results with title and snippet", async () => {
    const query = "Singapore ministry news 2026"
    const result = await ask("google_search", query)
    expect(urlsOf(result)).toEqual(resultsOf(query).map((it) => it.link))
    if (result._tag === "Success") {
      expect(result.success[0]).toMatchObject({
        title: resultsOf(query)[0]?.title,
        description: resultsOf(query)[0]?.snippet
      })
    }
  })

  test("no more than RESEARCH_RESULTS_MAX is taken", async () =>
    expect(tagOf(await ask("google_search", "Singapore ministry news 2026", { RESEARCH_RESULTS_MAX: "3" }))).toBe(
      "3 found"
    ))
})

describe("a source that does not answer is never one that found nothing", () => {
  const table: ReadonlyArray<readonly [Method, "google" | "crtsh" | "wayback", Mood, string]> = [
    ["crtsh", "crtsh", "html", "Retryable parse_failed"],
    ["crtsh", "crtsh", "broken", "Retryable parse_failed"],
    ["crtsh", "crtsh", "half", "Retryable parse_failed"],
    ["crtsh", "crtsh", "foreign", "Retryable parse_failed"],
    ["crtsh", "crtsh", "404", "Retryable http_4xx"],
    ["crtsh", "crtsh", "500", "Retryable http_5xx"],
    ["crtsh", "crtsh", "429", "Retryable http_429"],
    ["crtsh", "crtsh", "empty", "0 found"],
    ["wayback_machine", "wayback", "429", "Retryable http_429"],
    ["wayback_machine", "wayback", "half", "Retryable parse_failed"],
    ["wayback_machine", "wayback", "html", "Retryable parse_failed"],
    ["wayback_machine", "wayback", "foreign", "Retryable parse_failed"],
    ["wayback_machine", "wayback", "404", "Retryable http_4xx"],
    ["wayback_machine", "wayback", "empty", "0 found"],
    ["google_search", "google", "quota", "Suspendable quota"],
    ["google_search", "google", "minute", "Retryable http_429"],
    ["google_search", "google", "foreign", "Retryable parse_failed"],
    ["google_search", "google", "429", "Retryable http_429"],
    ["google_search", "google", "html", "Retryable parse_failed"],
    ["google_search", "google", "500", "Retryable http_5xx"],
    ["google_search", "google", "empty", "0 found"]
  ]
  test.each(table.map((it) => [...it] as const))("%s, %s answering %s: %s", async (method, source, mood, said) => {
    server.mood(source, mood)
    expect(tagOf(await ask(method, domain))).toBe(said)
  })

  test("a Retry-After is passed on, in milliseconds", async () => {
    server.mood("wayback", "429")
    const result = await ask("wayback_machine", domain)
    expect(result._tag === "Failure" && result.failure._tag === "Retryable" ? result.failure.after : 0).toBe(120_000)
  })

  test("without a key, or with a wrong one, Google waits for an operator", async () => {
    expect(tagOf(await ask("google_search", "q", { GOOGLE_API_KEY: "" }))).toBe("Suspendable auth")
    expect(tagOf(await ask("google_search", "q", { GOOGLE_API_KEY: "bad" }))).toBe("Suspendable auth")
  })

  test("a source on a private address is not dialled unless it is allowed", async () =>
    expect(tagOf(await ask("crtsh", domain, { ALLOW_PRIVATE_CIDRS: "" }))).toBe("Fatal url_refused"))
})

describe("DNS enumeration", () => {
  const withNames = async (answer: (name: string) => string | null | "fail") => {
    const names = await nameServer(answer)
    const result = await ask("dns", "a.sg", { DNS_SERVERS: names.address })
    names.stop()
    return result
  }
  test("names of the list that exist are found", async () =>
    expect(urlsOf(await withNames((name) => (/^(?:www|news)\.a\.sg$/.test(name) ? "93.184.216.34" : null)))).toEqual([
      "https://www.a.sg/",
      "https://news.a.sg/"
    ]))
  test("a wildcard finds nothing; a name beside it with another address is found", async () => {
    expect(tagOf(await withNames(() => "93.184.216.34"))).toBe("0 found")
    expect(urlsOf(await withNames((name) => (name === "news.a.sg" ? "93.184.216.99" : "93.184.216.34")))).toEqual([
      "https://news.a.sg/"
    ])
  })
  test("a wildcard that draws from a pool of addresses finds nothing either", async () => {
    let turn = 0
    expect(tagOf(await withNames(() => `93.184.216.${(turn++ % 200) + 1}`))).toBe("0 found")
  })
  test("two names that nobody has are asked first", async () => {
    const names = await nameServer(() => null)
    await ask("dns", "a.sg", { DNS_SERVERS: names.address })
    names.stop()
    expect(names.asked.slice(0, 2)).toEqual([1, 2].map((turn) => `${unlikelyLabel("a.sg", turn)}.a.sg`))
  })
  test("a server that fails is a failure", async () =>
    expect(tagOf(await withNames(() => "fail"))).toBe("Retryable network"))
})
