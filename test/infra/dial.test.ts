import { describe, expect } from "bun:test"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { isIP } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createSecureContext, type TLSSocket, createServer as tlsServer } from "node:tls"
import { Effect, Result } from "effect"
import { Dialler } from "../../src/infra/dial.ts"
import { Resolver, layer as resolver } from "../../src/infra/dns.ts"
import { live } from "../support/effect.ts"
import { deaf, http, names, outward, tcp } from "../support/net.ts"

const status = (url: string) =>
  Dialler.use((it) => it.get(url, {}, (answer) => Effect.as(answer.read(1000), answer.status)))
const failure = (url: string) =>
  Effect.map(Effect.result(status(url)), (it) => (Result.isFailure(it) ? it.failure : null))

describe("a name with several addresses", () => {
  live("is tried at the next where one refuses the connection", () =>
    Effect.gen(function* () {
      const site = yield* http(() => new Response("here"), "127.0.0.5")
      const { layer } = names({ "a.test": [["127.0.0.4", "127.0.0.5"]] })
      expect(yield* status(`http://a.test:${site.port}/`).pipe(Effect.provide(outward({}, layer)))).toBe(200)
    })
  )

  live("is tried at the next where one swallows what it is sent, each within FETCH_CONNECT_TIMEOUT", () =>
    Effect.gen(function* () {
      const site = yield* http(() => new Response("here"), "127.0.0.5")
      const swallowing = yield* deaf("127.0.0.4", site.port)
      if (!swallowing) return
      const { layer } = names({ "a.test": [["127.0.0.4", "127.0.0.5"]], "deaf.test": [["127.0.0.4"]] })
      const env = { FETCH_CONNECT_TIMEOUT: "300ms", FETCH_FIRST_BYTE_TIMEOUT: "20s" }
      const ways = outward(env, layer)
      expect(yield* status(`http://a.test:${site.port}/`).pipe(Effect.provide(ways))).toBe(200)
      const error = yield* failure(`http://deaf.test:${site.port}/`).pipe(Effect.provide(ways))
      expect(error).toMatchObject({ code: "network", message: expect.stringContaining("ConnectTimeout") })
    })
  )

  live("is not tried again where one was reached and hung up", () =>
    Effect.gen(function* () {
      const first = yield* tcp((socket) => socket.destroy(), "127.0.0.4")
      const { layer } = names({ "a.test": [["127.0.0.4", "127.0.0.4", "127.0.0.4"]] })
      expect(yield* failure(`http://a.test:${first.port}/`).pipe(Effect.provide(outward({}, layer)))).toMatchObject({
        code: "network"
      })
      expect(first.connections()).toBe(1)
    })
  )
})

live("the system's resolver knows this machine", () =>
  Effect.gen(function* () {
    const found = yield* Resolver.use((it) => it.resolve("localhost"))
    expect(found.some((address) => address === "127.0.0.1" || address === "::1")).toBe(true)
  }).pipe(Effect.provide(resolver))
)

live("endless headers are given up early", () =>
  Effect.gen(function* () {
    let sent = 0
    const site = yield* tcp((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n")
      const line = `X: ${"a".repeat(10_000)}\r\n`
      const more = () => {
        while (!socket.destroyed) {
          sent += line.length
          if (!socket.write(line)) break
        }
      }
      socket.on("drain", more)
      more()
    })
    const error = yield* failure(`http://127.0.0.1:${site.port}/`).pipe(Effect.provide(outward()))
    expect(error).toMatchObject({ _tag: "Retryable", code: "network" })
    expect(sent).toBeLessThan(64 * 1_048_576)
  })
)

interface Identity {
  readonly key: string
  readonly cert: string
}
/** A certificate made for this run. */
const identity = (folder: string, name: string): Identity | null => {
  const kind = isIP(name) === 0 ? "DNS" : "IP"
  const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)]
  const subject = ["-subj", `/CN=${name}`, "-addext", `subjectAltName=${kind}:${name}`]
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
  const command = [
    "openssl",
    "req",
    "-x509",
    ...curve,
    "-nodes",
    "-keyout",
    key,
    "-out",
    cert,
    "-days",
    "2",
    ...subject
  ]
  const made = Bun.which("openssl") !== null && Bun.spawnSync(command, { stderr: "ignore" }).success
  return made ? { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") } : null
}
const folder = mkdtempSync(join(tmpdir(), "crawler-tls-"))
const identities = ["a.test", "b.test", "127.0.0.1"].map((name) => identity(folder, name))
rmSync(folder, { recursive: true })
const [a, b, ip] = identities

/** More than a connection takes at once, so that it is stopped and goes on. */
const LARGE = 3_000_000

/** Writes on and on, and never says goodbye. */
const endless = (socket: TLSSocket): void => {
  const more = () => {
    if (!socket.destroyed && socket.write(Buffer.alloc(65_536))) setImmediate(more)
  }
  socket.on("drain", more)
  setTimeout(more, 20)
}

/** Two sites on one address, told apart by the name in the handshake; tells which names were asked for. */
const twoSites = (one: Identity, other: Identity) =>
  Effect.acquireRelease(
    Effect.callback<{
      readonly port: number
      readonly asked: Array<string>
      readonly open: () => number
      readonly close: () => void
    }>((resume) => {
      const asked: Array<string> = []
      let open = 0
      const pick = (name: string) => createSecureContext(name === "b.test" ? other : one)
      const server = tlsServer(
        {
          ...one,
          allowHalfOpen: true,
          SNICallback: (name, done) => {
            asked.push(name)
            done(null, pick(name))
          }
        },
        (socket) => {
          open += 1
          socket.on("close", () => {
            open -= 1
          })
          socket.on("error", () => undefined)
          socket.on("data", (request) => {
            if (request.includes("/goodbye")) {
              socket.write("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
              endless(socket)
              return
            }
            const body = Buffer.alloc(request.includes("/large") ? LARGE : 2, "ok")
            socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`)
            socket.write(body)
          })
        }
      )
      server.on("tlsClientError", () => undefined)
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        resume(Effect.succeed({ port, asked, open: () => open, close: () => void server.close() }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

describe.skipIf(a === null || b === null)("TLS to a checked address (needs openssl)", () => {
  const pair = { one: a ?? { key: "", cert: "" }, other: b ?? { key: "", cert: "" } }
  const table = names({ "a.test": [["127.0.0.1"]], "b.test": [["127.0.0.1"]], "c.test": [["127.0.0.1"]] }).layer
  const trusting = outward({}, table, { ca: [pair.one.cert, pair.other.cert] })

  live("asks for the name, not the address, and shares no connection between names", () =>
    Effect.gen(function* () {
      const { port, asked } = yield* twoSites(pair.one, pair.other)
      for (const name of ["a.test", "b.test", "a.test", "b.test"]) {
        expect(yield* status(`https://${name}:${port}/`)).toBe(200)
      }
      expect(asked).toEqual(["a.test", "b.test"])
    }).pipe(Effect.provide(trusting))
  )

  live("asks an address for no name (RFC 6066), and holds its certificate against the address all the same", () =>
    Effect.gen(function* () {
      const own = ip ?? pair.one
      const trusted = outward({}, table, { ca: [pair.one.cert, own.cert] })
      const right = yield* twoSites(own, pair.other)
      expect(yield* status(`https://127.0.0.1:${right.port}/`).pipe(Effect.provide(trusted))).toBe(200)
      expect(right.asked).toEqual([])
      const wrong = yield* twoSites(pair.one, pair.other)
      const error = yield* failure(`https://127.0.0.1:${wrong.port}/`).pipe(Effect.provide(trusted))
      expect(error?.message).toContain("ERR_TLS_CERT_ALTNAME_INVALID")
    })
  )

  live("takes large bodies whole, many at once", () =>
    Effect.gen(function* () {
      const { port } = yield* twoSites(pair.one, pair.other)
      const large = Dialler.use((it) => it.get(`https://a.test:${port}/large`, {}, (answer) => answer.read(2 * LARGE)))
      const all = yield* Effect.all(
        Array.from({ length: 10 }, () => large),
        { concurrency: 10 }
      )
      expect(all.every(({ bytes, end }) => end === "complete" && Buffer.alloc(LARGE, "ok").equals(bytes))).toBe(true)
    }).pipe(Effect.provide(trusting))
  )

  live(
    "is over when the answer was the last one, though its server writes on",
    () =>
      Effect.gen(function* () {
        const { port, open } = yield* twoSites(pair.one, pair.other)
        expect(yield* status(`https://a.test:${port}/goodbye`)).toBe(200)
        yield* Effect.sleep("5 millis").pipe(Effect.repeat({ while: () => open() > 0 }))
      }).pipe(Effect.provide(trusting)),
    10_000
  )

  live("is not fooled by a server that speaks without it", () =>
    Effect.gen(function* () {
      const site = yield* tcp((socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))
      expect(yield* failure(`https://a.test:${site.port}/`)).toMatchObject({ _tag: "Retryable", code: "network" })
      expect(site.connections()).toBe(1)
    }).pipe(Effect.provide(trusting))
  )

  live("refuses a certificate of another name", () =>
    Effect.gen(function* () {
      const { port } = yield* twoSites(pair.one, pair.other)
      const error = yield* failure(`https://c.test:${port}/`)
      expect(error).toMatchObject({ _tag: "Retryable", code: "network" })
      expect(error?.message).toContain("ERR_TLS_CERT_ALTNAME_INVALID")
    }).pipe(Effect.provide(trusting))
  )

  live("refuses a certificate nobody vouches for", () =>
    Effect.gen(function* () {
      const { port } = yield* twoSites(pair.one, pair.other)
      expect(yield* failure(`https://a.test:${port}/`)).toMatchObject({ _tag: "Retryable", code: "network" })
    }).pipe(Effect.provide(outward({}, table)))
  )
})
