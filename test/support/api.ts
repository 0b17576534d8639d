import { afterAll, beforeAll } from "bun:test"
import { connect } from "node:net"
import { Effect, Exit, Layer, Result, Scope } from "effect"
import * as health from "../../src/infra/api/health.ts"
import { Listening, layer as server } from "../../src/infra/api/server.ts"
import { load, Settings } from "../../src/infra/config.ts"
import * as local from "../../src/infra/control.local.ts"
import * as jobs from "../../src/infra/jobs.memory.ts"
import * as ledger from "../../src/infra/ledger.memory.ts"
import * as memory from "../../src/infra/store.memory.ts"

/** A real server on a free loopback port, over stores in memory; one per test file. */
export const ADMIN = "an-admin-token-of-this-test"
export const READ = "a-reading-token-of-this-test"
export const BODY_MAX = 1_048_576

const settings = Result.getOrThrow(load({}))
const options = {
  host: "127.0.0.1",
  port: 0,
  version: "0.1.0",
  bodyBytesMax: BODY_MAX,
  tokens: { admin: [ADMIN, "another-admin-token-beside-it"], read: [READ] },
  api: true
}
/** The AI jobs of the server. */
export const aiMemory = new jobs.AiMemory()
const live = server(options).pipe(
  Layer.provideMerge(Layer.mergeAll(health.layer, local.layer("0.1.0"))),
  Layer.provideMerge(memory.layer()),
  Layer.provideMerge(Layer.merge(jobs.layerOf(aiMemory), ledger.layerOf(aiMemory))),
  Layer.provideMerge(Layer.succeed(Settings, settings))
)

let base = ""
let port = 0
let healthOf: health.Health["Service"] | undefined
/** The server's health service, to which a test adds its probes. */
export const healthService = (): health.Health["Service"] => {
  if (healthOf === undefined) throw new Error("the server has not started")
  return healthOf
}

/** Starts the server before the tests of the calling file and stops it after them. */
export const serve = (): void => {
  const scope = Scope.makeUnsafe()
  beforeAll(async () => {
    const context = await Effect.runPromise(Layer.buildWithScope(live, scope))
    const { address, port: given } = await Effect.runPromise(Effect.provideContext(Listening, context))
    healthOf = await Effect.runPromise(Effect.provideContext(health.Health, context))
    base = address
    port = given
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
}

/** Bytes as given, on a socket of their own; the whole answer as text. */
export const raw = (text: string, limitMs = 5000): Promise<string> =>
  new Promise((done) => {
    let answer = ""
    const socket = connect(port, "127.0.0.1", () => socket.write(text))
    const end = () => socket.destroy()
    const timer = setTimeout(end, limitMs)
    socket.on("data", (data) => {
      answer += data.toString("latin1")
      // One answer is enough; what matters is its head.
      if (answer.includes("\r\n\r\n")) setTimeout(end, 30)
    })
    socket.on("error", () => undefined)
    socket.on("close", () => {
      clearTimeout(timer)
      done(answer)
    })
  })
export const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)

export const ask = async (
  path: string,
  given: { method?: string; token?: string | null; body?: unknown; headers?: Record<string, string> } = {}
) => {
  const token = given.token === undefined ? ADMIN : given.token
  const response = await fetch(`${base}${path}`, {
    method: given.method ?? (given.body === undefined ? "GET" : "POST"),
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(given.body === undefined ? {} : { "content-type": "application/json" }),
      ...given.headers
    },
    ...(given.body === undefined
      ? {}
      : { body: typeof given.body === "string" ? given.body : JSON.stringify(given.body) })
  })
  const text = await response.text()
  const body =
    response.headers.get("content-type")?.startsWith("application/json") && text !== "" ? JSON.parse(text) : text
  return { status: response.status, headers: response.headers, body }
}
export const codeOf = (answer: { body: { error?: { code?: string } } }) => answer.body.error?.code
