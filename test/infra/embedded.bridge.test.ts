import { expect } from "bun:test"
import { Effect, Exit, type Scope } from "effect"
import { buildSeed, seedPath } from "../../src/infra/embedded/seed.ts"
import { open } from "../../src/infra/embedded/store.ts"
import { live } from "../support/effect.ts"
import { temporary } from "../support/store.ts"

const int32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
const framed = (type: string, body: Buffer) => Buffer.concat([Buffer.from(type), int32(body.length + 4), body])
const query = (text: string) => framed("Q", Buffer.from(`${text}\0`))
const startup = (() => {
  const body = Buffer.concat([int32(196608), Buffer.from("user\0postgres\0database\0postgres\0\0")])
  return Buffer.concat([int32(body.length + 4), body])
})()
const tlsRequest = Buffer.concat([int32(8), int32(80877103)])
const goodbye = framed("X", Buffer.alloc(0))

/** A client that speaks bytes, so that a test may cut them where it likes. */
const connect = (path: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      let heard = Buffer.alloc(0)
      let wake = Promise.withResolvers<void>()
      let closed = false
      const told = () => {
        wake.resolve()
        wake = Promise.withResolvers<void>()
      }
      const socket = await Bun.connect({
        unix: path,
        socket: {
          data: (_, chunk) => {
            heard = Buffer.concat([heard, chunk])
            told()
          },
          close: () => {
            closed = true
            told()
          }
        }
      })
      /** All bytes up to the next one the test waits for. */
      const until = async (done: (heard: Buffer) => boolean): Promise<Buffer> => {
        while (!done(heard) && !closed) await wake.promise
        const all = heard
        heard = Buffer.alloc(0)
        return all
      }
      const end = async () => {
        socket.end()
        while (!closed) await wake.promise
      }
      const send = async (bytes: Buffer) => {
        for (let at = 0; at < bytes.length && !closed; ) {
          const sent = Math.max(socket.write(bytes.subarray(at)), 0)
          at += sent
          if (sent === 0) await Bun.sleep(1)
        }
      }
      return { send: (bytes: Buffer) => Effect.promise(() => send(bytes)), until, end, closed: () => closed }
    }),
    (client) => Effect.promise(client.end)
  )

/** ReadyForQuery: `Z`, five, and the state of the transaction. */
const ready = (state: string) => (heard: Buffer) =>
  heard.includes(Buffer.concat([Buffer.from("Z"), int32(5), Buffer.from(state)]))
const idle = ready("I")

const store = Effect.gen(function* () {
  yield* Effect.promise(() => buildSeed(seedPath))
  return (yield* open(yield* temporary)).socket
})

const it = (name: string, program: (path: string) => Effect.Effect<void, unknown, Scope.Scope>) =>
  live(`embedded store, its socket: ${name}`, () => Effect.flatMap(store, program))

it("messages arrive whole however they are cut, and several at once", (path) =>
  Effect.gen(function* () {
    const client = yield* connect(path)
    yield* client.send(startup)
    yield* Effect.promise(() => client.until(idle))
    const text = "x".repeat(3000)
    for (const byte of query(`select '${text}' as first`)) yield* client.send(Buffer.from([byte]))
    expect((yield* Effect.promise(() => client.until(idle))).includes(text)).toBe(true)
    yield* client.send(Buffer.concat([query("select 'second'"), query("select 'third'")]))
    const both = yield* Effect.promise(() => client.until((heard) => heard.includes("third") && idle(heard)))
    expect(both.includes("second")).toBe(true)
  }))

it("a statement of megabytes, and an answer of megabytes", (path) =>
  Effect.gen(function* () {
    const client = yield* connect(path)
    yield* client.send(startup)
    yield* Effect.promise(() => client.until(idle))
    const bytes = query(`select length('${"x".repeat(3_000_000)}'), repeat('y', 3000000)`)
    yield* client.send(bytes)
    const answer = yield* Effect.promise(() => client.until(idle))
    expect(answer.includes("3000000")).toBe(true)
    expect(answer.length).toBeGreaterThan(3_000_000)
  }))

it("a wish for TLS is answered with no, and the session goes on", (path) =>
  Effect.gen(function* () {
    const client = yield* connect(path)
    yield* client.send(tlsRequest)
    expect((yield* Effect.promise(() => client.until((heard) => heard.length > 0))).toString()).toBe("N")
    yield* client.send(startup)
    expect(idle(yield* Effect.promise(() => client.until(idle)))).toBe(true)
  }))

it("a second connection is closed, since all would share one session", (path) =>
  Effect.gen(function* () {
    const first = yield* connect(path)
    yield* first.send(startup)
    yield* Effect.promise(() => first.until(idle))
    // The door may fall shut before the visitor has quite come in: a reset is a closed connection as well.
    const second = yield* Effect.exit(connect(path))
    if (Exit.isSuccess(second)) {
      yield* Effect.promise(() => second.value.until(() => false))
      expect(second.value.closed()).toBe(true)
    }
    yield* first.send(query("select 'still here'"))
    expect((yield* Effect.promise(() => first.until(idle))).includes("still here")).toBe(true)
  }))

it("a connection that ends inside a transaction has it rolled back, and a goodbye ends no store", (path) =>
  Effect.gen(function* () {
    yield* Effect.scoped(
      Effect.gen(function* () {
        const client = yield* connect(path)
        yield* client.send(startup)
        yield* Effect.promise(() => client.until(idle))
        yield* client.send(query("create table kept (a int)"))
        yield* Effect.promise(() => client.until(idle))
        yield* client.send(query("begin; insert into kept values (1)"))
        yield* Effect.promise(() => client.until(ready("T")))
        yield* client.send(goodbye)
      })
    )
    const client = yield* connect(path)
    yield* client.send(startup)
    yield* Effect.promise(() => client.until(idle))
    yield* client.send(query("select 'rows: ' || count(*) from kept"))
    expect((yield* Effect.promise(() => client.until(idle))).includes("rows: 0")).toBe(true)
  }))
