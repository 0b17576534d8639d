import { describe, expect, test } from "bun:test"
import { connect } from "node:net"
import { Deferred, Effect, Exit, Fiber, Layer, Result, Scope } from "effect"
import * as health from "../../src/infra/api/health.ts"
import { Listening, layer as server } from "../../src/infra/api/server.ts"
import { load, Settings } from "../../src/infra/config.ts"
import * as local from "../../src/infra/control.local.ts"
import * as memory from "../../src/infra/store.memory.ts"
import { live } from "../support/effect.ts"

const world = Layer.mergeAll(health.layer, local.layer("0.1.0")).pipe(
  Layer.provideMerge(memory.layer()),
  Layer.provideMerge(Layer.succeed(Settings, Result.getOrThrow(load({}))))
)
const options = {
  host: "127.0.0.1",
  port: 0,
  version: "0.1.0",
  bodyBytesMax: 1_048_576,
  tokens: { admin: [], read: [] },
  api: false
}
const started = Effect.gen(function* () {
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(Layer.provideMerge(server(options), world), scope)
  const { address, port } = yield* Effect.provideContext(Listening, context)
  return { scope, address, port, health: yield* Effect.provideContext(health.Health, context) }
})
const get = (url: string) => Effect.promise(() => fetch(url).then((it) => it.status))

describe("a server", () => {
  live("that stops lets the request in flight finish and takes no new one", () =>
    Effect.gen(function* () {
      const { address, health: probes, scope } = yield* started
      const asked = yield* Deferred.make<void>()
      const answer = yield* Deferred.make<string | null>()
      yield* probes.add("ready", "slow", Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(answer)))
      const inFlight = yield* Effect.forkChild(get(`${address}/readyz`))
      yield* Deferred.await(asked)
      const stopping = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* Deferred.succeed(answer, null)
      expect(yield* Fiber.join(inFlight)).toBe(200)
      yield* Fiber.join(stopping)
      const refused = yield* Effect.promise(() =>
        fetch(`${address}/healthz`).then(
          () => "answered",
          () => "refused"
        )
      )
      expect(refused).toBe("refused")
    })
  )

  live("without stage api serves health and metrics, and nothing else", () =>
    Effect.gen(function* () {
      const { address, scope } = yield* started
      expect(yield* get(`${address}/healthz`)).toBe(200)
      expect(yield* get(`${address}/metrics`)).toBe(200)
      expect(yield* get(`${address}/api/v1/sources`)).toBe(404)
      expect(yield* get(`${address}/openapi.json`)).toBe(404)
      yield* Scope.close(scope, Exit.void)
    })
  )

  live("on a port that is taken is refused by its setting's name", () =>
    Effect.gen(function* () {
      const { port, scope } = yield* started
      const again = Effect.scoped(Layer.build(Layer.provide(server({ ...options, port }), world)))
      const error = yield* Effect.flip(again)
      expect([error.exit, error.message.includes(`HTTP_PORT ${port}`)]).toEqual(["configuration", true])
      yield* Scope.close(scope, Exit.void)
    })
  )

  live("asks a thousand half-sent requests for nothing: it answers others and cuts them (B114)", () =>
    Effect.gen(function* () {
      const { address, port, scope } = yield* started
      const sockets = Array.from({ length: 1000 }, (_, at) => {
        const socket = connect(port, "127.0.0.1", () => socket.write(at % 2 === 0 ? "GET / HTTP/1.1\r\nHost: loc" : ""))
        socket.on("error", () => undefined)
        return socket
      })
      const closed = Promise.all(sockets.map((it) => new Promise<void>((done) => it.once("close", () => done()))))
      expect(yield* get(`${address}/healthz`)).toBe(200)
      yield* Effect.promise(() => closed)
      expect(yield* get(`${address}/healthz`)).toBe(200)
      yield* Scope.close(scope, Exit.void)
    })
  )
})

test("a command whose reader has gone ends quietly", async () => {
  const program = `
    import { Effect } from "effect"
    import { layer, Output } from "${import.meta.dir}/../../src/infra/cli/output.ts"
    const lines = Effect.flatMap(Output, (it) => Effect.forever(it.line("x".repeat(1000))))
    await Effect.runPromise(Effect.provide(lines, layer(null)))`
  const piped = Bun.spawn(["sh", "-c", `"$0" -e '${program}' | head -1; echo "\${PIPESTATUS:-}"`, process.execPath], {
    stdout: "pipe",
    stderr: "pipe"
  })
  const [out, complaint] = await Promise.all([new Response(piped.stdout).text(), new Response(piped.stderr).text()])
  expect([out.trim(), complaint]).toEqual(["x".repeat(1000), ""])
})
