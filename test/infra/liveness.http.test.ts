import { afterAll, describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { type Checked, judge, livenessFile, type Seen } from "../../src/domain/liveness.ts"
import { Prober } from "../../src/domain/research.ts"
import * as hosts from "../../src/infra/hosts.memory.ts"
import * as prober from "../../src/infra/liveness.http.ts"
import { kinds, siteServers } from "../support/discovery/sites.ts"
import { names, outward } from "../support/net.ts"

const hop = (url: string, status: number, more: { headers?: Record<string, string>; body?: string } = {}) => ({
  url,
  status,
  headers: more.headers ?? {},
  body: more.body ?? "",
  tls: true
})
const seen = (over: Partial<Seen>): Seen => ({
  domain: "a.sg",
  hops: [],
  failure: null,
  unasked: null,
  tls_error: null,
  ...over
})

describe("the verdict of a check (S5.24, settled 13)", () => {
  const table: ReadonlyArray<readonly [string, Partial<Seen>, string]> = [
    ["a final 2xx", { hops: [hop("https://a.sg/", 204)] }, "alive"],
    ["403", { hops: [hop("https://a.sg/", 403)] }, "blocked"],
    ["429", { hops: [hop("https://a.sg/", 429)] }, "blocked"],
    [
      "403 after a permanent redirect to another site",
      { hops: [hop("https://a.sg/", 301), hop("https://b.sg/", 403)] },
      "blocked"
    ],
    [
      "a redirect to a captcha",
      { hops: [hop("https://a.sg/", 302), hop("https://a.sg/cdn-cgi/challenge-platform/x", 200)] },
      "blocked"
    ],
    [
      "a challenge header",
      { hops: [hop("https://a.sg/", 200, { headers: { "cf-mitigated": "challenge" } })] },
      "blocked"
    ],
    [
      "an article about captchas",
      { hops: [hop("https://a.sg/", 200, { body: "<title>How captcha works</title><p>g-recaptcha is a class.</p>" })] },
      "alive"
    ],
    [
      "a permanent redirect within the site",
      { hops: [hop("https://a.sg/", 301), hop("https://www.a.sg/", 200)] },
      "alive"
    ],
    [
      "a permanent redirect to another site",
      { hops: [hop("https://a.sg/", 308), hop("https://b.sg/", 200)] },
      "redirect"
    ],
    [
      "a permanent redirect to another site that is dead",
      { hops: [hop("https://a.sg/", 301), hop("https://b.sg/", 301)], failure: "x" },
      "redirect"
    ],
    ["a temporary redirect to another site", { hops: [hop("https://a.sg/", 302), hop("https://b.sg/", 200)] }, "error"],
    ["404", { hops: [hop("https://a.sg/", 404)] }, "error"],
    ["500", { hops: [hop("https://a.sg/", 500)] }, "error"],
    ["a loop", { hops: [hop("https://a.sg/", 302), hop("https://a.sg/", 302)] }, "error"],
    ["no address", { failure: "no address for a.sg" }, "dead"],
    ["a refused address", { unasked: "a.sg is refused: private" }, "error"]
  ]
  test.each(table.map((it) => [...it] as const))("%s", (_, over, status) =>
    expect(judge(seen(over)).status).toBe(status as never)
  )

  test("files count all, and list their own; the same checks give the same bytes", () => {
    const of = (domain: string, status: Checked["status"]): Checked => ({
      domain_id: `com:sg:${domain}`,
      domain,
      status,
      http_status: null,
      response_time_ms: 1,
      last_check: "2026-01-25T10:30:00.000Z",
      ssl_valid: null,
      redirect_chain: [],
      error: null
    })
    const all = [of("c.sg", "dead"), of("a.sg", "alive"), of("b.sg", "blocked")]
    const file = livenessFile("SG", "2026-01-25", all, "liveness")
    expect(file.meta).toEqual({
      country: "SG",
      check_date: "2026-01-25",
      total_domains: 3,
      alive_count: 1,
      dead_count: 1,
      blocked_count: 1
    })
    expect(file.results.map((it) => it.domain)).toEqual(["a.sg", "b.sg", "c.sg"])
    expect(livenessFile("SG", "2026-01-25", all.toReversed(), "dead").results.map((it) => it.domain)).toEqual(["c.sg"])
    expect(livenessFile("SG", "2026-01-25", all.toReversed(), "liveness")).toEqual(file)
  })
})

const servers = siteServers()
afterAll(() => servers?.stop())

describe.skipIf(servers === null)("checks over TLS (needs openssl)", () => {
  const check = (kind: string, env: Record<string, string> = {}) => {
    const hostsOf = Object.fromEntries(
      [`d0.${kind}.com.sg`, `w0.${kind}.com.sg`, "d0.elsewhere.com.sg"].flatMap((name) => {
        const address = servers?.resolve(name)
        return address === null || address === undefined ? [] : [[name, [[address]]]]
      })
    )
    const services = prober
      .layer({ port: servers?.port ?? 0 })
      .pipe(
        Layer.provide(hosts.layer()),
        Layer.provide(outward({ LIVENESS_TIMEOUT: "20s", ...env }, names(hostsOf).layer, { ca: [servers?.ca ?? ""] }))
      )
    return Effect.runPromise(Prober.use((it) => it.check(`d0.${kind}.com.sg`, "SG")).pipe(Effect.provide(services)))
  }
  const quick = Object.entries(kinds).filter(([, { at }]) => at !== "silent")
  test.each(quick.map(([kind, { status }]) => [kind, status] as const))("%s is %s", async (kind, status) => {
    const found = await check(kind)
    expect(found.status).toBe(status)
    expect(found.ssl_valid).toBe(kinds[kind]?.at === "site" ? kind !== "badcert" : null)
    if (status === "dead") expect(found.error).not.toBeNull()
  })
  test("a server that never answers is dead once its time is up, and the error says so", async () => {
    const found = await check("silent", { LIVENESS_TIMEOUT: "300ms" })
    expect(found).toMatchObject({ status: "dead", http_status: null })
    expect(found.error).toContain("no answer within 300ms")
  })
  test("the redirect chain is told from the first URL to the last (S5.7)", async () =>
    expect((await check("moved")).redirect_chain.map((it) => it.replace(/:\d+$/, ""))).toEqual([
      "https://d0.moved.com.sg",
      "https://w0.moved.com.sg"
    ]))
  test("an address that is not public is not dialled, and says nothing of the domain", async () =>
    expect((await check("alive", { ALLOW_PRIVATE_CIDRS: "" })).status).toBe("error"))
})
