import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { Schema } from "effect"
import { assemble, type ChunkOf, type Found, sha256, written } from "../../src/domain/research/assemble.ts"
import { countryCode, countryName, isCountry, tldOf } from "../../src/domain/research/countries.ts"
import { lookupsOf, searchQueries } from "../../src/domain/research/lookup.ts"
import { batchId, Category, datasetId, isDay, parseDatasetId, paths } from "../../src/domain/research/path.ts"
import { domainId, placeOf, suffixList } from "../../src/domain/research/place.ts"
import { dues, limits, partsOf } from "../../src/domain/research/plan.ts"
import { Dataset } from "../../src/domain/research/record.ts"
import { publicDomain } from "../../src/domain/url.ts"
import { law } from "../support/law.ts"

describe("where a URL lives", () => {
  test.each([
    ["mom.gov.sg", "SG", "gov:sg:mom.gov.sg"],
    ["redcross.org.sg", "SG", "org:sg:redcross.org.sg"],
    ["dbs.com.sg", "SG", "com:sg:dbs.com.sg"],
    ["www.moel.go.kr", "SG", "gov:kr:moel.go.kr"],
    ["a.or.kr", "KR", "org:kr:a.or.kr"],
    ["www.service-public.gouv.fr", "FR", "gov:fr:service-public.gouv.fr"],
    ["news.bbc.co.uk", "SG", "com:gb:bbc.co.uk"],
    ["www.usa.gov", "US", "gov:us:usa.gov"],
    ["wikipedia.org", "SG", "org:sg:wikipedia.org"],
    ["straitstimes.com", "SG", "com:sg:straitstimes.com"],
    ["example.de", "SG", "com:de:example.de"],
    ["blog.foo.github.io", "SG", "com:io:foo.github.io"],
    ["93.184.216.34", "SG", "com:sg:93.184.216.34"]
  ])("%s in a batch for %s is %s (S5.10, settled 15)", (host, country, id) => expect(domainId(host, country)).toBe(id))

  test("the seed's URL comes apart as the seed says (S5.9)", () =>
    expect(placeOf("https://www.mom.gov.sg/newsroom/press-releases", "SG")).toEqual({
      raw_url: "https://www.mom.gov.sg/newsroom/press-releases",
      normalized_domain: "mom.gov.sg",
      registrable_domain: "mom.gov.sg",
      subdomain: "www",
      domain_id: "gov:sg:mom.gov.sg",
      source_type: "gov"
    }))

  test("Korean names are taken in punycode, ports and dots at the end are no part of a domain", () => {
    expect(placeOf("https://www.한겨레.한국:8443/a", "KR")?.registrable_domain).toBe(
      new URL("https://한겨레.한국").hostname
    )
    expect(placeOf("https://a.co.kr./x", "KR")?.domain_id).toBe("com:kr:a.co.kr")
    expect(placeOf("ftp://a.kr/", "KR")).toBeNull()
    expect(placeOf("no url", "KR")).toBeNull()
  })

  const label = Schema.String.check(Schema.isPattern(/^[a-z][a-z0-9]{0,8}$/))
  law(
    "a place is the same for every page of its host, and made of its host's parts",
    Schema.Struct({ a: label, b: label, path: label }),
    ({ a, b, path }) => {
      const host = `${a}.${b}.gov.sg`
      const place = placeOf(`https://${host}/${path}`, "SG")
      const other = placeOf(`http://${host}/`, "SG")
      return (
        place !== null &&
        place.domain_id === other?.domain_id &&
        `${place.subdomain}.${place.registrable_domain}` === host &&
        place.normalized_domain === (a === "www" ? host.slice(4) : host)
      )
    }
  )

  test("the version of the suffix list is the library's that is installed", () => {
    const { version } = JSON.parse(
      readFileSync(new URL("../../node_modules/tldts/package.json", import.meta.url), "utf8")
    )
    expect(suffixList).toBe(`tldts ${version}`)
  })

  const vectors = new URL("../../../shared/data/conformance/psl/tests.txt", import.meta.url).pathname
  test.skipIf(!existsSync(vectors))("all published vectors of the suffix list hold (skipped without the data)", () => {
    const wrong = readFileSync(vectors, "utf8")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("//") && !line.startsWith("null"))
      .map((line) => line.split(/\s+/))
      .filter(([host = "", domain]) => (publicDomain(host) ?? "null") !== domain)
    expect(wrong).toEqual([])
  })
})

describe("names, ids and paths", () => {
  test("ids and paths are the seed's (S5.3, S5.5, S5.14)", () => {
    const shelf = { country: "SG", category: "news" }
    expect(datasetId(shelf, "2026-01-25", 1)).toBe("sg-news-2026-01-25-0001")
    expect(batchId("sg-news", "2026-01-25", 1)).toBe("batch_2026-01-25_sg-news_001")
    expect(paths.dataset(shelf, "2026-01-25", 1)).toBe(
      "research/datasets/country=sg/category=news/2026-01-25_0001.json"
    )
    expect(paths.summary(shelf, "2026-01-25")).toBe(
      "research/datasets/country=sg/category=news/2026-01-25_summary.json"
    )
    expect(paths.liveness("dead", "SG", "2026-01-24")).toBe("research/dead/country=sg/2026-01-24.json")
    expect(paths.checkpoint(shelf)).toBe(
      "research/processing/checkpoints/country=sg/category=news/research/checkpoint.json"
    )
  })

  law(
    "a dataset id says what it is of",
    Schema.Struct({ category: Category, number: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 99_999 })) }),
    ({ category, number }) => {
      const id = datasetId({ country: "KR", category }, "2026-02-28", number)
      const parsed = parseDatasetId(id)
      return (
        parsed?.shelf.category === category &&
        parsed.number === number &&
        parsed.day === "2026-02-28" &&
        parsed.shelf.country === "KR"
      )
    }
  )

  test.each(["../x", "a/b", "", "a.b", "News", " news", "-", "뉴스", `${"a".repeat(51)}`, "a\n"])(
    "category %p is none",
    (text) => expect(Schema.is(Category)(text)).toBe(false)
  )
  test.each([
    ["2026-02-30", false],
    ["2026-02-28", true],
    ["2024-02-29", true],
    ["2026-13-01", false],
    ["26-01-01", false],
    ["2026-1-1", false]
  ] as const)("day %s: %p (bad input B100)", (day, real) => expect(isDay(day)).toBe(real))
  test.each([
    ["SG", true],
    ["sg", true],
    ["UK", false],
    ["XX", false],
    ["SGP", false],
    ["", false],
    ["S1", false]
  ] as const)("country %p: %p (ISO 3166-1)", (code, real) => expect(isCountry(code)).toBe(real))
  test("a country has a name and a top-level domain", () => {
    expect([countryName("SG"), tldOf("GB"), countryCode("kr")]).toEqual(["Singapore", "uk", "KR"])
  })
})

describe("the parts of a batch", () => {
  const urls = Array.from({ length: 2350 }, (_, at) => `https://a${at}.kr/`)
  test("a large batch's messages come one after the other: none before its sources can have come so far", () => {
    const urls = Array.from({ length: 450 }, (_, at) => `https://a${at}.sg/`)
    const due = (of: ReadonlyArray<string>, ...chosen: Parameters<typeof partsOf>[2]) =>
      dues(partsOf(of, 100, chosen), "SG", "news", 1000)
    expect(due(urls, "crtsh", "wayback_machine")).toEqual([0, 0, 100_000, 200_000, 300_000])
    expect(due(urls, "google_search", "crtsh")).toEqual([0, 0, 4000, 104_000, 204_000, 304_000])
    expect(due(urls, "dns")).toEqual([0, 0, 0, 0, 0])
    // Pages of three sites: what was asked for the first message is known for all others.
    const pages = Array.from({ length: 450 }, (_, at) => `https://a${at % 3}.sg/${at}`)
    expect(due(pages, "crtsh")).toEqual([0, 0, 3000, 3000, 3000])
  })

  test("a chunk of a thousand travels as messages of a hundred; country queries go once (settled 14)", () => {
    const parts = partsOf(urls, 1000, ["google_search", "crtsh"])
    expect(parts[0]).toEqual({ chunk_index: 1, part: 0, urls: [], methods: ["google_search"] })
    expect(parts.filter((it) => it.chunk_index === 1).length).toBe(11)
    expect(parts.filter((it) => it.methods.includes("google_search")).length).toBe(1)
    expect(parts.at(-1)?.urls.length).toBe(50)
    expect(parts.flatMap((it) => it.urls)).toEqual(urls)
    expect(Math.max(...parts.map((it) => it.urls.length))).toBe(limits.urlsPerMessage)
  })
  test("each domain is asked about once, each query is a sentence", () => {
    const part = {
      urls: ["https://www.a.kr/1", "https://a.kr/2", "https://b.a.kr/"],
      methods: ["crtsh", "dns"] as const
    }
    expect(lookupsOf(part, "KR", "news", 2026).map((it) => `${it.method} ${it.query}`)).toEqual([
      "crtsh %.a.kr",
      "dns a.kr"
    ])
    expect(searchQueries("SG", "news", 2026).slice(0, 2)).toEqual([
      "Singapore government news site:.gov.sg",
      "Singapore ministry news 2026"
    ])
  })
})

const chunk: ChunkOf = {
  batch_id: "batch_2026-01-25_sg-news_001",
  country: "SG",
  category: "news",
  day: "2026-01-25",
  created_at: Date.parse("2026-01-25T03:12:00Z"),
  methods: ["google_search", "crtsh"],
  chunk_index: 1,
  total_chunks: 3,
  chunk_size: 100,
  number: 1
}
const at = Date.parse("2026-01-25T03:12:15.500Z")
const find = (url: string, title: string | null = null) => ({ url, title, description: null, language: null })
const found: Found = {
  urls: ["https://www.mom.gov.sg/newsroom"],
  answers: [
    {
      method: "google_search",
      query: "q",
      tag: "ok",
      reason: null,
      at,
      finds: [find("https://www.mom.gov.sg/newsroom/", "Newsroom"), find("mailto:x@a.sg")]
    },
    {
      method: "crtsh",
      query: "%.mom.gov.sg",
      tag: "ok",
      reason: null,
      at,
      finds: [find("https://stats.mom.gov.sg/"), find("https://www.mom.gov.sg/newsroom/#x")]
    },
    { method: "crtsh", query: "%.dbs.com.sg", tag: "empty", reason: null, at, finds: [] }
  ]
}

describe("a dataset", () => {
  test("records each page once, by its surest method, with what the source returned", () => {
    const { meta, records } = assemble(chunk, [found])
    expect(records.map((it) => [it.discovery_method, it.raw_url, it.confidence])).toEqual([
      ["google_search", "https://www.mom.gov.sg/newsroom/", 0.95],
      ["given", "https://www.mom.gov.sg/newsroom", 0.9],
      ["crtsh", "https://stats.mom.gov.sg/", 0.7]
    ])
    expect(records[0]?.metadata).toEqual({ title: "Newsroom", description: null, language: null })
    expect(records[0]?.discovered_at).toBe("2026-01-25T03:12:15Z")
    expect(meta).toMatchObject({
      dataset_id: "sg-news-2026-01-25-0001",
      record_count: 3,
      partial: false,
      engine: { name: "research-engine" }
    })
    expect(meta.chunk_info).toEqual({ chunk_index: 1, total_chunks: 3, chunk_size: 100 })
    expect(meta.queries).toEqual(["%.dbs.com.sg", "%.mom.gov.sg", "q"])
    expect(Schema.is(Dataset)({ meta, records })).toBe(true)
  })

  test("a source that failed is not one that found nothing", () => {
    const failed = { method: "crtsh", query: "%.x.sg", tag: "failed", reason: "network: gone", at, finds: [] } as const
    const { meta } = assemble(chunk, [{ urls: [], answers: [...found.answers, failed] }])
    expect(meta.partial).toBe(true)
    expect(meta.sources.find((it) => it.method === "crtsh")).toEqual({
      method: "crtsh",
      ok: 1,
      empty: 1,
      failed: 1,
      reasons: ["network: gone"]
    })
  })

  test("its manifest line has the hash and length of its very bytes", () => {
    const { text, entry, domains } = written(chunk, assemble(chunk, [found]), at)
    expect(entry).toMatchObject({
      sha256: sha256(text),
      size_bytes: Buffer.byteLength(text),
      record_count: 3,
      unique_domains: 1
    })
    expect(domains).toEqual(["mom.gov.sg"])
  })

  law(
    "the same answers give the same bytes, whatever their order",
    Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 }))),
    (numbers) => {
      const answers = numbers.map((n) => ({
        method: n % 2 === 0 ? ("crtsh" as const) : ("wayback_machine" as const),
        query: `q${n % 5}`,
        tag: "ok" as const,
        reason: null,
        at,
        finds: [find(`https://a${n}.sg/`)]
      }))
      const one = assemble(chunk, [{ urls: ["https://z.sg/"], answers }])
      const parts = answers.toReversed().map((it) => ({ urls: [], answers: [it] }))
      const other = assemble(chunk, [...parts, { urls: ["https://z.sg/"], answers: [] }])
      return JSON.stringify(one) === JSON.stringify(other)
    }
  )
})
