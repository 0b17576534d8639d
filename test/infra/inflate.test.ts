import { describe, expect, test } from "bun:test"
import * as zlib from "node:zlib"
import { Effect, Result } from "effect"
import { inflate } from "../../src/infra/inflate.ts"

const limits = { bytesMax: 52_428_800, ratioMax: 200 }
const undo = (body: Uint8Array, header: string | null, how = limits) => Effect.runPromise(inflate(body, header, how))
const refusal = async (body: Uint8Array, header: string | null, how = limits) => {
  const result = await Effect.runPromise(Effect.result(inflate(body, header, how)))
  return Result.isFailure(result) ? result.failure : null
}

/** Lines that do not compress to nothing, the same each time. */
const lines = (count: number) =>
  Buffer.from(Array.from({ length: count }, (_, n) => `<p>${(n * 2_654_435_761) % 4_294_967_296} news</p>`).join("\n"))
const small = lines(300)
/** Over the length that is inflated on this thread. */
const large = lines(60_000)

const coders = {
  gzip: zlib.gzipSync,
  "x-gzip": zlib.gzipSync,
  deflate: zlib.deflateSync,
  "deflate without a header": zlib.deflateRawSync,
  br: (body: Buffer) => zlib.brotliCompressSync(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: zlib.zstdCompressSync
} as const
const headerOf = (name: string) => name.split(" ")[0] ?? ""

describe.each(Object.entries(coders))("%s", (name, coder) => {
  const header = headerOf(name)
  test("small and large bodies come back", async () => {
    for (const body of [small, large]) {
      const { bytes, truncated } = await undo(coder(body), header)
      expect(Buffer.compare(bytes, body)).toBe(0)
      expect(truncated).toBe(false)
    }
  })

  test("a body that is plain all the same stays as it is", async () => {
    for (const body of [
      small,
      Buffer.from("  \n{}"),
      Buffer.from("\ufeff<rss/>"),
      Buffer.from([0x3c, 0x62, 0x3e, 0xb4, 0xba])
    ]) {
      expect(Buffer.compare((await undo(body, header)).bytes, body)).toBe(0)
    }
  })

  test("a body cut in the middle gives its beginning, and says so", async () => {
    // A zstd block is all or nothing, and a small body is one block.
    for (const body of name === "zstd" ? [large] : [small, large]) {
      const coded = coder(body)
      const { bytes, truncated } = await undo(coded.subarray(0, Math.floor(coded.length * 0.7)), header)
      expect(truncated).toBe(true)
      expect(bytes.length).toBeGreaterThan(body.length / 8)
      expect(Buffer.compare(bytes, body.subarray(0, bytes.length))).toBe(0)
    }
  })

  test("a bomb is refused before it is whole", async () => {
    const bomb = coder(Buffer.alloc(30_000_000))
    expect(await refusal(bomb, header)).toMatchObject({ _tag: "TooLarge", code: "bomb" })
    expect(await refusal(coder(large), header, { bytesMax: 1_000_000, ratioMax: 10_000 })).toMatchObject({
      _tag: "TooLarge",
      code: "body_too_large"
    })
  })

  test("a body that only looks like a bomb comes whole", async () => {
    const blank = Buffer.alloc(5_000_000, "<br>\n")
    const { bytes, truncated } = await undo(coder(blank), header, { bytesMax: 50_000_000, ratioMax: 1_000_000 })
    expect(Buffer.compare(bytes, blank)).toBe(0)
    expect(truncated).toBe(false)
  })

  test("an empty body is empty", async () => {
    expect((await undo(new Uint8Array(0), header)).bytes.length).toBe(0)
  })
})

describe("gzip as servers send it", () => {
  test("a bomb that says it is small is refused", async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(30_000_000))
    bomb.writeUInt32LE(1000, bomb.length - 4)
    expect(await refusal(bomb, "gzip")).toMatchObject({ _tag: "TooLarge", code: "bomb" })
  })

  const gz = zlib.gzipSync(small)
  const twin = Buffer.concat([small, small])
  const changed = (at: number, value: number) => {
    const copy = Buffer.from(gz)
    copy[at < 0 ? copy.length + at : at] = value
    return copy
  }
  const named = Buffer.concat([
    Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]),
    Buffer.from("page.html\0"),
    gz.subarray(10)
  ])
  test.each([
    ["two members", Buffer.concat([gz, gz]), twin],
    ["rubbish behind it", Buffer.concat([gz, Buffer.from("\r\n<!-- cached -->")]), small],
    ["NUL bytes behind it", Buffer.concat([gz, Buffer.alloc(512)]), small],
    ["a wrong checksum", changed(-6, 0), small],
    ["a length that lies", changed(-1, 0xff), small],
    ["a file name in its header", named, small],
    ["a file name and rubbish", Buffer.concat([named, Buffer.from("x")]), small]
  ])("%s", async (_, body, expected) => {
    const { bytes, truncated } = await undo(body, "gzip")
    expect(Buffer.compare(bytes, expected)).toBe(0)
    expect(truncated).toBe(false)
  })

  test("a cut is told", async () => {
    expect((await undo(gz.subarray(0, gz.length - 30), "gzip")).truncated).toBe(true)
  })

  test("nothing but a header is no body", async () => {
    expect(await refusal(gz.subarray(0, 10), "gzip")).toMatchObject({ _tag: "Undecodable" })
  })

  test("a page of blanks is no bomb, though it shrinks a thousandfold", async () => {
    expect((await undo(zlib.gzipSync(Buffer.alloc(1_000_000, " ")), "gzip")).bytes.length).toBe(1_000_000)
  })
})

describe("a gzipped sitemap (B19)", () => {
  const bodies = { plain: small, once: zlib.gzipSync(small), twice: zlib.gzipSync(zlib.gzipSync(small)) }
  for (const [name, body] of Object.entries(bodies)) {
    for (const header of ["gzip", null]) {
      test(`${name}, with content-encoding ${header}, is the same document`, async () => {
        expect(Buffer.compare((await undo(body, header)).bytes, small)).toBe(0)
      })
    }
  }

  test("coded a third time it stays coded: two layers are undone, no more", async () => {
    const { bytes } = await undo(zlib.gzipSync(bodies.twice), "gzip")
    expect(Buffer.compare(bytes, bodies.once)).toBe(0)
  })

  test("two declared codings are undone from the last to the first", async () => {
    expect(Buffer.compare((await undo(coders.br(bodies.once), "gzip, br")).bytes, small)).toBe(0)
  })
})

test("a zstd body of which no block is whole is no body", async () => {
  const coded = zlib.zstdCompressSync(small)
  expect(await refusal(coded.subarray(0, coded.length - 1), "zstd")).toMatchObject({ _tag: "Undecodable" })
  const frames = Buffer.concat([coded, zlib.zstdCompressSync(Buffer.alloc(100_000)), coded])
  expect((await undo(frames, "zstd")).truncated).toBe(false)
})

test("a coding nobody knows leaves the body as it is", async () => {
  for (const header of ["identity", "utf-8", "compress", ""]) {
    expect(Buffer.compare((await undo(small, header)).bytes, small)).toBe(0)
  }
})
