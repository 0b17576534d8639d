import { expect } from "bun:test"
import { Effect, Layer } from "effect"
import { Pages } from "../../src/domain/ports.ts"
import * as bus from "../../src/infra/bus.memory.ts"
import * as frontier from "../../src/infra/frontier.memory.ts"
import { layer, MemoryPages, type Options } from "../../src/infra/pages.memory.ts"
import * as urls from "../../src/infra/urls.memory.ts"
import { article, pagesSuite, rawBody } from "../support/conformance/pages.ts"
import { effect } from "../support/effect.ts"

const pages = (options: Options = {}) => layer(options).pipe(Layer.provideMerge(urls.layer()))

pagesSuite("pages in memory", Layer.provideMerge(frontier.layer, Layer.mergeAll(pages(), bus.layer())), {
  clock: "virtual",
  outcomes: MemoryPages.use((it) => it.outcomes)
})

effect("raw pages over the limit are dropped, the least recently used first", () =>
  Effect.gen(function* () {
    const store = yield* Pages
    const page = (id: string) => rawBody(id, new Uint8Array(400))
    yield* store.saveRaws([page("a"), page("b")])
    yield* store.raw("a")
    yield* store.saveRaws([page("c")])
    expect(yield* store.raw("b")).toBeNull()
    expect((yield* store.raw("a"))?.raw.id).toBe("a")
    expect((yield* store.raw("c"))?.raw.id).toBe("c")
    expect(yield* MemoryPages.use((it) => it.rawBytes)).toBe(800)
  }).pipe(Effect.provide(pages({ rawBytesMax: 1000 })))
)

effect("a page larger than the limit is kept until the next one comes", () =>
  Effect.gen(function* () {
    const store = yield* Pages
    yield* store.saveRaws([rawBody("large", new Uint8Array(5000))])
    expect((yield* store.raw("large"))?.body.byteLength).toBe(5000)
    yield* store.saveRaws([rawBody("small", new Uint8Array(10))])
    expect(yield* store.raw("large")).toBeNull()
  }).pipe(Effect.provide(pages({ rawBytesMax: 1000 })))
)

effect("without kept articles the latest stay readable, and all are told apart", () =>
  Effect.gen(function* () {
    const store = yield* Pages
    const save = (id: string, text: string, job_id: string) =>
      store.saveArticles([{ article: article(id, { text }), url_key: id, job_id }])
    for (let n = 0; n < 2001; n++) expect(yield* save(`id${n}`, "one", `job${n}`)).toEqual(["new"])
    expect((yield* store.articles({ ids: ["id0", "id1", "id2000"], limit: 10 })).map((it) => it.id)).toEqual([
      "id1",
      "id2000"
    ])
    expect(yield* save("id0", "one", "again")).toEqual(["duplicate"])
    expect(yield* save("id0", "two", "changed")).toEqual(["revision"])
  }).pipe(Effect.provide(pages({ keepArticles: false })))
)
