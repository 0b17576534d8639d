import { describe, expect } from "bun:test"
import { Effect, Fiber } from "effect"
import { Dialler } from "../../../src/infra/dial.ts"
import { live } from "../../support/effect.ts"
import { outward, tcp } from "../../support/net.ts"

/** Dials of one sentence, each to the same server. */
const dials = 20
/** What ends at once is over within this many looks, 20 ms apart. */
const looks = 100
/** The begin of a TLS handshake record whose rest never comes. */
const begun = Buffer.from([0x16, 0x03, 0x03, 0x40, 0x00, 0x02])

const gone = (open: () => number) =>
  Effect.gen(function* () {
    for (let look = 0; look < looks && open() > 0; look += 1) yield* Effect.sleep("20 millis")
    return open()
  })
const many = <E, R>(one: Effect.Effect<unknown, E, R>) =>
  Effect.forEach(Array.from({ length: dials }), () => Effect.result(one), { concurrency: "unbounded", discard: true })
const env = { FETCH_CONNECT_TIMEOUT: "300ms", FETCH_FIRST_BYTE_TIMEOUT: "300ms" }

/** A peer that takes each connection and never gets any further. */
const peers = {
  "says nothing to a handshake": ["https", () => undefined],
  "begins a handshake and goes on no further": ["https", (socket) => socket.write(begun)],
  "says nothing to a request": ["http", () => undefined],
  "begins an answer and goes on no further": ["http", (socket) => socket.write("HTTP/1.1 200 OK\r\nX: ")]
} satisfies Record<string, readonly [scheme: string, speak: Parameters<typeof tcp>[0]]>

describe("a peer that takes a connection and", () => {
  for (const [name, [scheme, speak]] of Object.entries(peers)) {
    live(`${name} keeps no socket of ours when the time is up`, () =>
      Effect.gen(function* () {
        const site = yield* tcp(speak)
        const get = Dialler.use((it) => it.get(`${scheme}://127.0.0.1:${site.port}/`, {}, () => Effect.void))
        yield* Effect.provide(many(get), outward(env))
        expect([site.connections(), yield* gone(site.open)]).toEqual([dials, 0])
      })
    )

    live(`${name} keeps none when the dial is given up before`, () =>
      Effect.gen(function* () {
        const site = yield* tcp(speak)
        const get = Dialler.use((it) => it.get(`${scheme}://127.0.0.1:${site.port}/`, {}, () => Effect.void))
        yield* Effect.gen(function* () {
          // Given up before anything was sent, while it is connected, and after that.
          for (const wait of ["0 millis", "1 millis", "20 millis"] as const) {
            const fiber = yield* Effect.forkChild(many(get), { startImmediately: true })
            yield* Effect.sleep(wait)
            yield* Fiber.interrupt(fiber)
          }
          yield* Effect.sleep("50 millis")
          expect(yield* gone(site.open)).toBe(0)
        }).pipe(Effect.provide(outward({ FETCH_CONNECT_TIMEOUT: "20s", FETCH_FIRST_BYTE_TIMEOUT: "20s" })))
      })
    )
  }
})
