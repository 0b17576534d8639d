import { expect } from "bun:test"
import { appendFileSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { ready, under } from "../../src/infra/raws.files.ts"
import { pack, unpack } from "../../src/infra/raws.ts"
import { live } from "../support/effect.ts"
import { temporary } from "../support/store.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const put = (bodies: ReturnType<typeof under>, day: string, texts: ReadonlyArray<string>) =>
  Effect.map(
    bodies.put(
      day,
      texts.map((it) => ({ id: it, body: bytes(it) }))
    ),
    (starts) => texts.map((id, at) => ({ id, start: starts[at] ?? -1, size: bytes(id).byteLength }))
  )

live("bodies in files come back byte for byte, whoever wrote at the same time", () =>
  Effect.gen(function* () {
    const bodies = under(join(yield* temporary, "raws"))
    const groups = Array.from({ length: 20 }, (_, group) => [`a${group}`, "", `한글 ${group}`])
    const kept = (yield* Effect.forEach(groups, (it) => put(bodies, "2031-05-11", it), {
      concurrency: "unbounded"
    })).flat()
    for (const it of kept) {
      const found = yield* bodies.get("2031-05-11", it)
      expect(new TextDecoder().decode(found ?? bytes("gone"))).toBe(it.id)
    }
  }).pipe(Effect.scoped)
)

live("what a killed process left half written is nobody's body", () =>
  Effect.gen(function* () {
    const folder = join(yield* temporary, "raws")
    mkdirSync(folder)
    appendFileSync(join(folder, "2031-05-11"), "torn")
    const [kept] = yield* put(under(folder), "2031-05-11", ["whole"])
    expect(kept?.start).toBeGreaterThan(4)
    expect(yield* under(folder).get("2031-05-11", kept ?? { id: "", start: 0, size: 0 })).toEqual(Buffer.from("whole"))
  }).pipe(Effect.scoped)
)

live("a body that is gone, or ends early, is null, and a day is over once", () =>
  Effect.gen(function* () {
    const bodies = under(join(yield* temporary, "raws"))
    expect(yield* bodies.get("2031-05-11", { id: "x", start: 0, size: 1 })).toBeNull()
    yield* put(bodies, "2031-05-11", ["abc"])
    expect(yield* bodies.get("2031-05-11", { id: "x", start: 1, size: 3 })).toBeNull()
    expect(yield* bodies.expire("2031-05-11")).toBe(true)
    expect(yield* bodies.expire("2031-05-11")).toBe(true)
    expect(yield* bodies.get("2031-05-11", { id: "abc", start: 0, size: 3 })).toBeNull()
  }).pipe(Effect.scoped)
)

live("a folder that cannot be written is an outage, not a loss", () =>
  Effect.gen(function* () {
    const file = join(yield* temporary, "raws")
    appendFileSync(file, "")
    const error = yield* Effect.flip(put(under(file), "2031-05-11", ["x"]))
    expect(error._tag).toBe("Unavailable")
    expect(error.dependency).toBe("disk")
    expect(error.message).toBe(`bodies of pages in ${file}: something else of that name is there (EEXIST)`)
    expect((yield* Effect.flip(ready(file))).message).toBe(error.message)
  }).pipe(Effect.scoped)
)

live("bytes that are no body are null, whole ones come back", () =>
  Effect.gen(function* () {
    const whole = yield* pack(bytes("a".repeat(1000)))
    expect(whole.codec).toBe("zstd")
    expect(yield* unpack(whole)).toEqual(Buffer.from("a".repeat(1000)))
    for (const body of [bytes("torn"), new Uint8Array(20), whole.body.subarray(0, 10)])
      expect(yield* unpack({ codec: "zstd", body })).toBeNull()
  })
)

live("what lies now where another page's body was is not that page's", () =>
  Effect.gen(function* () {
    const bodies = under(join(yield* temporary, "raws"))
    const [old] = yield* put(bodies, "2031-05-11", ["lost"])
    yield* bodies.expire("2031-05-11")
    const [now] = yield* put(bodies, "2031-05-11", ["kept"])
    const none = { id: "", start: 0, size: 0 }
    expect(old?.start).toBe(now?.start ?? 0)
    expect(yield* bodies.get("2031-05-11", old ?? none)).toBeNull()
    expect(yield* bodies.get("2031-05-11", now ?? none)).toEqual(Buffer.from("kept"))
  }).pipe(Effect.scoped)
)
