import { expect } from "bun:test"
import { Effect } from "effect"
import { type Frontier, Pages, type RawBody } from "../../../src/domain/ports.ts"
import type { sentences } from "./clock.ts"

export type It<R> = ReturnType<typeof sentences<Pages | Frontier | R, unknown>>

export const rawBody = (id: string, body: Uint8Array, more: Partial<RawBody["raw"]> = {}): RawBody => ({
  raw: {
    id,
    url: "https://a.kr/1",
    final_url: "https://a.kr/1?한글",
    host: "a.kr",
    status: 200,
    content_type: "text/html; charset=euc-kr",
    fetcher: "http",
    fetched_at: 1_700_000_000_123,
    elapsed_ms: 12.5,
    bytes: body.byteLength,
    truncated: false,
    hops: [{ url: "http://a.kr/1", status: 301 }],
    validators: { etag: 'W/"x"', last_modified: null },
    ...more
  },
  body
})

/** What every store of pages promises of raw ones. */
export const raws = <R>(it: It<R>) => {
  it("a raw page comes back byte for byte, with what is known of it", () =>
    Effect.gen(function* () {
      const pages = yield* Pages
      const all = rawBody(
        "all",
        Uint8Array.from({ length: 256 }, (_, byte) => byte)
      )
      const long = rawBody("long", new TextEncoder().encode("가나다라 ".repeat(20_000)))
      const none = rawBody("none", new Uint8Array(), { status: 304, content_type: null })
      yield* pages.saveRaws([all, long, none])
      for (const expected of [all, long, none]) {
        const seen = yield* pages.raw(expected.raw.id)
        expect(seen?.raw).toEqual(expected.raw)
        expect(Buffer.compare(seen?.body ?? new Uint8Array([1]), expected.body)).toBe(0)
      }
    }))

  it("an unknown raw page is null", () =>
    Effect.gen(function* () {
      expect(yield* Pages.use((pages) => pages.raw("nowhere"))).toBeNull()
    }))

  it("the stored pages of a host come newest first, one per URL, without those that are too large", () =>
    Effect.gen(function* () {
      const pages = yield* Pages
      const page = (id: string, url: string, minute: number, size = 10, host = "a.kr") => {
        // Bytes without a pattern, so that their size as stored is their size.
        let seed = minute
        const body = Uint8Array.from({ length: size }, () => {
          seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
          return seed >>> 24
        })
        return rawBody(id, body, { url, host, fetched_at: 1_700_000_000_000 + minute * 60_000 })
      }
      yield* pages.saveRaws([
        page("1", "https://a.kr/1", 1),
        page("1again", "https://a.kr/1", 4),
        page("2", "https://a.kr/2", 2),
        page("3", "https://a.kr/3", 3),
        page("large", "https://a.kr/large", 5, 200_000),
        page("other", "https://b.kr/1", 6, 10, "b.kr")
      ])
      const found = yield* pages.raws({ host: "a.kr", limit: 2, bytesMax: 150_000 })
      expect(found.map((it) => it.raw.id)).toEqual(["1again", "3"])
      expect(found[0]?.body.byteLength).toBe(10)
      const all = yield* pages.raws({ host: "a.kr", limit: 10, bytesMax: 150_000 })
      expect(all.map((it) => it.raw.id)).toEqual(["1again", "3", "2"])
      expect(yield* pages.raws({ host: "c.kr", limit: 10, bytesMax: 150_000 })).toEqual([])
    }))

  it("a raw page saved twice, also inside one call, is one page", () =>
    Effect.gen(function* () {
      const pages = yield* Pages
      const raw = rawBody("twice", new Uint8Array([1, 2, 3]))
      yield* pages.saveRaws([raw, raw])
      yield* pages.saveRaws([raw])
      expect((yield* pages.raw("twice"))?.raw).toEqual(raw.raw)
    }))

  it("no rows are no failure", () =>
    Effect.gen(function* () {
      const pages = yield* Pages
      yield* pages.saveRaws([])
      yield* pages.saveOutcomes([])
      yield* pages.saveValidators([])
      expect(yield* pages.saveArticles([])).toEqual([])
    }))
}
