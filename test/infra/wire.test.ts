import { expect, test } from "bun:test"
import { read, type Take } from "../../src/infra/wire.ts"

const MEBIBYTE = 1_048_576
/** Bytes that tell where they stand. */
const pattern = (seed: number, length: number) =>
  Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 8) * 7 + seed) & 255)

/** A body in pieces of this size, each in memory of its own, as a socket gives them. */
const inPieces = (bytes: Uint8Array, size: number): Take => {
  let at = 0
  return async () => {
    await Bun.sleep(0)
    const piece = bytes.slice(at, at + size)
    at += size
    return piece.length === 0 ? null : piece
  }
}

test("many large bodies at once come whole, whatever pieces they come in", async () => {
  const bodies = Array.from({ length: 40 }, (_, at) => pattern(at, MEBIBYTE + at * 1013))
  const all = await Promise.all(bodies.map((body, at) => read(inPieces(body, 20_011 + at * 3919), 10 * MEBIBYTE)))
  for (const [at, { bytes, end }] of all.entries()) {
    expect(end).toBe("complete")
    expect(Buffer.compare(bytes, bodies[at] ?? new Uint8Array())).toBe(0)
  }
})

test.each([1, 100, 4095, 4096, 5000])("pieces of %d bytes and longer ones in turn come whole", async (size) => {
  const body = pattern(3, 300_000)
  let at = 0
  let long = false
  const take: Take = async () => {
    long = !long
    const piece = body.slice(at, at + (long ? 5001 : size))
    at += piece.length
    return piece.length === 0 ? null : piece
  }
  const { bytes, end } = await read(take, MEBIBYTE)
  expect(end).toBe("complete")
  expect(Buffer.compare(bytes, body)).toBe(0)
})

test("a body that breaks off gives what came, and lets others in", async () => {
  const body = pattern(1, 3 * MEBIBYTE)
  const broken = (): Take => {
    const take = inPieces(body, 100_003)
    let pieces = 0
    return () => {
      pieces += 1
      return pieces > 20 ? Promise.reject(new Error("lost")) : take()
    }
  }
  const all = await Promise.all(Array.from({ length: 20 }, () => read(broken(), 10 * MEBIBYTE)))
  expect(all.map(({ end }) => end)).toEqual(Array.from({ length: 20 }, () => "broken"))
  expect(all.every(({ bytes }) => Buffer.compare(bytes, body.subarray(0, 2_000_060)) === 0)).toBe(true)
})

test("a body that is too long is cut, and nothing of it is kept; the next one is none the worse", async () => {
  const body = pattern(1, 3 * MEBIBYTE)
  const cut = await read(inPieces(body, 30_011), 2 * MEBIBYTE)
  expect([cut.end, cut.bytes.length]).toEqual(["over", 0])
  const { bytes, end } = await read(inPieces(body, 30_011), 4 * MEBIBYTE)
  expect(end).toBe("complete")
  expect(Buffer.compare(bytes, body)).toBe(0)
})

test("bodies whose servers send a little and then nothing keep no other one waiting", async () => {
  const done = Promise.withResolvers<null>()
  const stalled = (): Take => {
    let sent = false
    return () => {
      if (sent) return done.promise
      sent = true
      return Promise.resolve(new Uint8Array(100_000))
    }
  }
  const others = Array.from({ length: 60 }, () => read(stalled(), MEBIBYTE))
  const body = pattern(5, 300_000)
  const { bytes } = await read(inPieces(body, 30_011), MEBIBYTE)
  expect(Buffer.compare(bytes, body)).toBe(0)
  done.resolve(null)
  expect((await Promise.all(others)).map(({ end }) => end)).toEqual(others.map(() => "complete"))
}, 20_000)

/** Bodies that come just fast enough to keep their turn, and the time (ms) one of them may keep it alone. */
const paced = 12
const sliceMs = 2000

test("a page that comes at once is not kept waiting a whole turn by each of many that are paced", async () => {
  const done = { of: 0, given: false }
  const piece = 65_536
  const fast = pattern(7, MEBIBYTE)
  const pacing = async () => {
    if (done.given) throw new Error("given up")
    await Bun.sleep(24)
    done.of += piece
    return new Uint8Array(piece)
  }
  const attackers = Array.from({ length: paced }, () => read(pacing, 10 * MEBIBYTE))
  // Together they hold so much that each further body takes turns with them.
  while (done.of < 6_000_000) await Bun.sleep(20)
  const begun = performance.now()
  const { bytes, end } = await read(inPieces(fast, piece), 10 * MEBIBYTE)
  expect([Buffer.compare(bytes, fast), end]).toEqual([0, "complete"])
  expect(performance.now() - begun).toBeLessThan((paced * sliceMs) / 4)
  done.given = true
  await Promise.all(attackers)
}, 60_000)
