import { expect, test } from "bun:test"
import { letGo, read } from "../../src/infra/wire.ts"

const MEBIBYTE = 1_048_576
/** Bytes that tell where they stand. */
const pattern = (seed: number, length: number) =>
  Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 8) * 7 + seed) & 255)

const serve = (answer: (at: number) => ReadableStream<Uint8Array>) =>
  Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => new Response(answer(Number(new URL(url).pathname.slice(1))))
  })
const inPieces = (bytes: Uint8Array, size: number) =>
  new ReadableStream<Uint8Array>({
    async start(controller) {
      for (let at = 0; at < bytes.length; at += size) {
        controller.enqueue(bytes.slice(at, at + size))
        await Bun.sleep(0)
      }
      controller.close()
    }
  })

test("many large bodies at once come whole, whatever pieces they come in", async () => {
  const bodies = Array.from({ length: 8 }, (_, at) => pattern(at, 2 * MEBIBYTE + at * 1013))
  const server = serve((at) => inPieces(bodies[at] ?? new Uint8Array(), 20_011 + at * 7919))
  try {
    const all = await Promise.all(bodies.map(async (_, at) => read(await fetch(`${server.url}${at}`), 10 * MEBIBYTE)))
    for (const [at, { bytes, end }] of all.entries()) {
      expect(end).toBe("complete")
      expect(Buffer.compare(bytes, bodies[at] ?? new Uint8Array())).toBe(0)
    }
  } finally {
    await server.stop(true)
  }
})

test("a body that is too long is cut, and nothing of it is kept; the next one is none the worse", async () => {
  const body = pattern(1, 3 * MEBIBYTE)
  const server = serve(() => inPieces(body, 30_011))
  try {
    const cut = await read(await fetch(`${server.url}0`), 2 * MEBIBYTE)
    expect([cut.end, cut.bytes.length]).toEqual(["over", 0])
    const { bytes, end } = await read(await fetch(`${server.url}1`), 4 * MEBIBYTE)
    expect(end).toBe("complete")
    expect(Buffer.compare(bytes, body)).toBe(0)
  } finally {
    await server.stop(true)
  }
})

test("memory is given back at once, but for the last piece", () => {
  const shared = new Uint8Array(100)
  const chunks = [new Uint8Array(10), shared.subarray(0, 40), shared.subarray(40)]
  letGo(chunks)
  expect(chunks.map((it) => it.length)).toEqual([0, 40, 60])
})
