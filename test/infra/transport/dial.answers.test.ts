import { describe, expect } from "bun:test"
import type { Socket } from "node:net"
import { Effect, Result } from "effect"
import { Dialler } from "../../../src/infra/dial.ts"
import { get, OK, page, says, whole } from "../../support/dial.ts"
import { live } from "../../support/effect.ts"
import { names, outward, tcp } from "../../support/net.ts"

const failure = (port: number, headers?: Readonly<Record<string, string>>) =>
  Effect.map(Effect.result(get(port, headers)), (it) => (Result.isFailure(it) ? it.failure : it.success))

/** Writes one piece after another, each by itself. */
const inTurn = (socket: Socket, pieces: ReadonlyArray<string>): void => {
  const [first, ...rest] = pieces
  if (first === undefined) return
  socket.write(first, "latin1", () => setImmediate(() => inTurn(socket, rest)))
}

describe("an answer", () => {
  const text = "words of an article ".repeat(20_000)
  const chunks = text.match(/.{1,7001}/gs) ?? []
  const forms: ReadonlyArray<readonly [what: string, pieces: ReadonlyArray<string>, end?: boolean]> = [
    ["by length", [page(text)]],
    ["until the end", [says(OK, "", ""), text], true],
    [
      "in chunks",
      [
        says(OK, "Transfer-Encoding: chunked", "", ""),
        ...chunks.map((it) => says(it.length.toString(16), it, "")),
        says("0", "", "")
      ]
    ],
    ["in odd pieces", page(text).match(/.{1,30011}/gs) ?? []],
    ["with its head byte by byte", [...says(OK, `Content-Length: ${text.length}`, "", ""), text]]
  ]
  for (const [what, pieces, end] of forms) {
    live(`${what} comes whole`, () =>
      Effect.gen(function* () {
        const site = yield* tcp((socket) => {
          if (end === true) socket.end(pieces.join(""))
          else inTurn(socket, pieces)
        })
        const { body, end: how } = yield* get(site.port)
        expect(how).toBe("complete")
        expect(body === text).toBe(true)
      }).pipe(Effect.provide(outward()))
    )
  }

  live("until the end is not whole where the end is a reset", () =>
    Effect.gen(function* () {
      const site = yield* tcp((socket) =>
        socket.write(says(OK, "", "half"), () => setTimeout(() => socket.resetAndDestroy(), 20))
      )
      expect(yield* get(site.port)).toMatchObject({ body: "half", end: "broken" })
    }).pipe(Effect.provide(outward()))
  )

  live(
    "whose body nobody wants and nobody sends is not waited for",
    () =>
      Effect.gen(function* () {
        const site = yield* tcp((socket) => socket.write(says("HTTP/1.1 302 Found", "Content-Length: 9", "", "")))
        const discard = Dialler.use((it) =>
          it.get(`http://127.0.0.1:${site.port}/`, {}, (answer) => Effect.as(answer.discard, answer.status))
        )
        expect(yield* discard).toBe(302)
        yield* Effect.sleep("5 millis").pipe(Effect.repeat({ while: () => site.open() > 0 }))
      }).pipe(Effect.provide(outward())),
    10_000
  )

  live("that is there before the request has gone out is taken", () =>
    Effect.gen(function* () {
      const site = yield* tcp((socket) => socket.end(says("HTTP/1.1 431 Too Large", "Connection: close", "", "no")))
      const headers = { Cookie: "a".repeat(8_000_000) }
      const answer = yield* failure(site.port, headers)
      // Where the rest of the request is refused with a reset, the answer may be lost with it.
      if ("status" in answer) expect(answer.status).toBe(431)
      else expect(answer).toMatchObject({ _tag: "Retryable", code: "network" })
    }).pipe(Effect.provide(outward()))
  )

  for (const [what, text] of [
    ["another protocol", says("HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "", "")],
    ["no HTTP", "220 mail.test ESMTP\r\n"],
    ["two lengths", says(OK, "Content-Length: 1", "Content-Length: 2", "", "ab")]
  ] as const) {
    live(`that is ${what} is refused at once, the connection cut`, () =>
      Effect.gen(function* () {
        const site = yield* tcp((socket) => socket.write(text))
        const error = yield* failure(site.port)
        expect(error).toMatchObject({ _tag: "Retryable", code: "network" })
        expect("message" in error ? error.message : "").toContain("MalformedResponse before an answer")
        yield* Effect.sleep("5 millis").pipe(Effect.repeat({ while: () => site.open() > 0 }))
      }).pipe(Effect.provide(outward()))
    )
  }
})

describe("a request", () => {
  const asked = (headers: Readonly<Record<string, string>>) =>
    Effect.gen(function* () {
      let request = ""
      const site = yield* tcp((socket, bytes) => {
        request += bytes
        if (request.endsWith("\r\n\r\n")) socket.write(page("ok"))
      })
      const answer = yield* failure(site.port, headers)
      return { request, answer, port: site.port }
    }).pipe(Effect.provide(outward()))

  live("names its host first and says what it was given, byte for byte", () =>
    Effect.gen(function* () {
      const { request, port } = yield* asked({ "If-None-Match": 'W/"\u00eb\u0089"', Cookie: "a=b" })
      const lines = ["GET / HTTP/1.1", `Host: 127.0.0.1:${port}`, 'If-None-Match: W/"\u00eb\u0089"', "Cookie: a=b"]
      expect(request).toBe(says(...lines, "Connection: keep-alive", "", ""))
    })
  )

  for (const [what, value] of [
    ["a line end", "a\r\nX: y"],
    ["a bare line end", "a\nX: y"],
    ["a NUL", "a\u0000"],
    ["a letter that is no byte", "\uac00"]
  ] as const) {
    live(`with ${what} in a header goes without that header`, () =>
      Effect.gen(function* () {
        const { port, request } = yield* asked({ Cookie: value, Accept: "*/*" })
        const lines = ["GET / HTTP/1.1", `Host: 127.0.0.1:${port}`, "Accept: */*", "Connection: keep-alive"]
        expect(request).toBe(says(...lines, "", ""))
      })
    )
  }

  live("of many bytes goes out whole", () =>
    Effect.gen(function* () {
      const cookie = "0123456789".repeat(400_000)
      const { request, answer } = yield* asked({ Cookie: cookie })
      expect(request.includes(`Cookie: ${cookie}\r\n`)).toBe(true)
      expect(answer).toMatchObject({ status: 200 })
    })
  )

  live("goes to an IPv6 address as to any other", () =>
    Effect.gen(function* () {
      let host = ""
      const site = yield* tcp((socket, bytes) => {
        host = /^Host: (.*)\r$/m.exec(bytes)?.[1] ?? ""
        socket.write(page("six"))
      }, "::1")
      const answer = yield* Dialler.use((it) => it.get(`http://[::1]:${site.port}/`, {}, whole)).pipe(
        Effect.provide(outward({ ALLOW_PRIVATE_CIDRS: "::1/128" }, names({}).layer))
      )
      expect([answer.body, host]).toEqual(["six", `[::1]:${site.port}`])
    })
  )
})
