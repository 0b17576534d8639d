import { describe, expect } from "bun:test"
import type { Socket } from "node:net"
import { Effect } from "effect"
import { Dialler } from "../../../src/infra/dial.ts"
import { get, OK, page, says, whole } from "../../support/dial.ts"
import { live } from "../../support/effect.ts"
import { names, outward, tcp } from "../../support/net.ts"

const head = (port: number) =>
  Dialler.use((it) => it.ask(`http://127.0.0.1:${port}/`, { headers: {}, method: "HEAD" }, whole))

describe("a connection", () => {
  /** How many connections three requests take where each answer is this one. */
  const connections = (speak: (socket: Socket) => void, ask = get) =>
    Effect.gen(function* () {
      const site = yield* tcp((socket) => speak(socket))
      for (let turn = 0; turn < 3; turn += 1) yield* ask(site.port)
      return site.connections()
    }).pipe(Effect.provide(outward()))

  const kept: ReadonlyArray<readonly [what: string, text: string]> = [
    ["a page", page("hello")],
    ["an empty page", page("")],
    ["chunks", says(OK, "Transfer-Encoding: chunked", "", "5", "hello", "0", "", "")],
    ["no body at all", says("HTTP/1.1 204 No Content", "", "")],
    ["an interim answer first", `${says("HTTP/1.1 103 Early Hints", "Link: </a>", "", "")}${page("hello")}`],
    ["old, but kept alive", says("HTTP/1.0 200 OK", "Connection: keep-alive", "Content-Length: 1", "", "a")]
  ]
  for (const [what, text] of kept) {
    live(`serves again after ${what}`, () =>
      Effect.gen(function* () {
        expect(yield* connections((socket) => socket.write(text))).toBe(1)
      })
    )
  }

  const ended: ReadonlyArray<readonly [what: string, text: string]> = [
    ["bytes behind the body", `${page("hello")}?`],
    ["another answer behind it", `${page("hello")}${page("poison")}`],
    ["two kinds of length", says(OK, "Transfer-Encoding: chunked", "Content-Length: 9", "", "1", "a", "0", "", "")],
    ["an old answer", says("HTTP/1.0 200 OK", "Content-Length: 1", "", "a")],
    ["a goodbye", says(OK, "Connection: close", "Content-Length: 1", "", "a")]
  ]
  for (const [what, text] of ended) {
    live(`serves no more after ${what}`, () =>
      Effect.gen(function* () {
        expect(yield* connections((socket) => socket.write(text))).toBe(3)
      })
    )
  }

  live("serves again after HEAD, whatever was announced", () =>
    Effect.gen(function* () {
      expect(yield* connections((socket) => socket.write(says(OK, "Content-Length: 99", "", "")), head)).toBe(1)
    })
  )

  live("that its server closed while it rested is replaced without a word", () =>
    Effect.gen(function* () {
      const site = yield* tcp((socket) => socket.end(page("hello")))
      for (let turn = 0; turn < 5; turn += 1) expect(yield* get(site.port)).toMatchObject({ body: "hello" })
      expect(site.connections()).toBe(5)
    }).pipe(Effect.provide(outward()))
  )

  const seconds: ReadonlyArray<readonly [what: string, speak: (socket: Socket) => void]> = [
    ["closes", (socket) => socket.destroy()],
    ["closes amid the head of an answer", (socket) => socket.end(says(OK, "Content-Le"))],
    ["answers with what the first one should not have had, a body", (socket) => socket.write("<html>late</html>")]
  ]
  for (const [what, speak] of seconds) {
    live(`whose server ${what} on the second request is replaced, once`, () =>
      Effect.gen(function* () {
        const seen = new Set<Socket>()
        const site = yield* tcp((socket) => {
          if (seen.has(socket)) speak(socket)
          else socket.write(page("hello"))
          seen.add(socket)
        })
        for (let turn = 0; turn < 3; turn += 1) expect(yield* get(site.port)).toMatchObject({ body: "hello" })
        expect(site.connections()).toBe(3)
      }).pipe(Effect.provide(outward()))
    )
  }

  live("that has rested too long, as its server says, is replaced, once", () =>
    Effect.gen(function* () {
      const late = says("HTTP/1.1 408 Request Timeout", "Connection: close", "Content-Length: 3", "", "bye")
      const seen = new Set<Socket>()
      const site = yield* tcp((socket, bytes) => {
        socket.write(seen.has(socket) || bytes.includes("/always") ? late : page("hello"))
        seen.add(socket)
      })
      for (let turn = 0; turn < 3; turn += 1) expect(yield* get(site.port)).toMatchObject({ body: "hello" })
      expect(site.connections()).toBe(3)
      const always = Dialler.use((it) => it.get(`http://127.0.0.1:${site.port}/always`, {}, whole))
      expect(yield* always).toMatchObject({ status: 408, body: "bye" })
      expect(site.connections()).toBe(4)
    }).pipe(Effect.provide(outward()))
  )

  live("says nothing while it rests, or is closed", () =>
    Effect.gen(function* () {
      const site = yield* tcp((socket) => {
        socket.write(page("hello"))
        setTimeout(() => socket.write(page("poison")), 20)
      })
      expect(yield* get(site.port)).toMatchObject({ body: "hello" })
      yield* Effect.sleep("5 millis").pipe(Effect.repeat({ while: () => site.open() > 0 }))
      expect(yield* get(site.port)).toMatchObject({ body: "hello" })
    }).pipe(Effect.provide(outward()))
  )

  live("is one name's, also without TLS", () =>
    Effect.gen(function* () {
      const asked = new Map<Socket, Set<string>>()
      const site = yield* tcp((socket, bytes) => {
        const host = /^Host: ([^:]*)/m.exec(bytes)?.[1] ?? ""
        asked.set(socket, (asked.get(socket) ?? new Set()).add(host))
        socket.write(page("hello"))
      })
      const of = (name: string) => Dialler.use((it) => it.get(`http://${name}:${site.port}/`, {}, whole))
      for (const name of ["a.test", "b.test", "a.test", "b.test"]) yield* of(name)
      expect([...asked.values()].map((it) => [...it])).toEqual([["a.test"], ["b.test"]])
    }).pipe(Effect.provide(outward({}, names({ "a.test": [["127.0.0.1"]], "b.test": [["127.0.0.1"]] }).layer)))
  )

  live(
    "rests beside a few hundred others, not more, whoever kept theirs before",
    () =>
      Effect.gen(function* () {
        const last = says(OK, "Connection: close", "Content-Length: 1", "", "a")
        const site = yield* tcp(
          (socket, bytes) => socket.write(bytes.includes("/last") ? last : page("hello")),
          "0.0.0.0"
        )
        const of = (at: number, path: string) =>
          Dialler.use((it) => it.get(`http://127.0.${at >> 7}.${1 + (at & 127)}:${site.port}/${path}`, {}, whole))
        for (let at = 0; at < 100; at += 1) yield* of(at, "first").pipe(Effect.andThen(of(at, "last")))
        for (let at = 100; at < 450; at += 1) yield* of(at, "first")
        yield* Effect.sleep("5 millis").pipe(Effect.repeat({ while: () => site.open() > 256 }))
        expect(yield* of(449, "first")).toMatchObject({ body: "hello" })
        expect(site.connections()).toBe(450)
      }).pipe(Effect.provide(outward())),
    10_000
  )

  live("ends with the crawler", () =>
    Effect.gen(function* () {
      const site = yield* tcp((socket) => socket.write(page("hello")))
      yield* get(site.port).pipe(Effect.provide(outward()))
      yield* Effect.sleep("5 millis").pipe(Effect.repeat({ while: () => site.open() > 0 }))
      expect(site.connections()).toBe(1)
    })
  )
})
