import type { Server } from "bun"
import { Context, Effect, Layer } from "effect"
import { Hono, type Context as HonoContext } from "hono"
import type { Control } from "../control.ts"
import { Refusal } from "../exit.ts"
import { httpRequest, metricsText } from "../metrics.ts"
import { failure, plainJson, respond, securityHeaders } from "./envelope.ts"
import { rawPath, requestFault } from "./guard.ts"
import { type Finding, Health } from "./health.ts"
import { Idempotency } from "./idempotency.ts"
import type { OperationName } from "./operations.ts"
import { answer, paths } from "./routes.ts"
import { Tokens } from "./tokens.ts"

/** A connection that sends nothing, or never finishes its request, is cut after this many seconds (B114). */
const IDLE_SECONDS = 10
/** An operation may think for this long while its client waits silently (SQL over a large store). */
const WORK_SECONDS = 120
/** Time for requests in flight when the server stops. */
const STOP_TIMEOUT = "3 seconds"

export interface ServerOptions {
  readonly host: string
  /** 0: any free port (tests); the setting HTTP_PORT=0 means no server at all and never comes here. */
  readonly port: number
  readonly version: string
  readonly bodyBytesMax: number
  readonly tokens: { readonly admin: ReadonlyArray<string>; readonly read: ReadonlyArray<string> }
  /** Serve `/api/v1` and `/openapi.json` too (stage `api`); health and metrics are always served. */
  readonly api: boolean
}

/** Where the server listens. */
export class Listening extends Context.Service<
  Listening,
  { readonly address: string; readonly port: number; readonly host: string }
>()("crawler/Listening") {}

type Services = Control | Health
type Run = <A>(work: Effect.Effect<A, never, Services>) => Promise<A>
type Handler = (context: HonoContext) => Promise<Response>

const notFound = () => respond(failure(404, "not_found", "there is no such path"))
const wrongMethod = (allowed: ReadonlyArray<string>) =>
  respond(
    failure(405, "method_not_allowed", `this path takes ${allowed.join(", ")}`, {
      headers: { allow: allowed.join(", ") }
    })
  )

const findings = (all: ReadonlyArray<Finding>): Response => {
  const ok = all.every((it) => it.ok)
  return plainJson({ status: ok ? "ok" : "failing", checks: all }, ok ? 200 : 503)
}

const metricsPage = (version: string) =>
  Effect.map(
    metricsText(version),
    (text) =>
      new Response(text, {
        headers: { ...securityHeaders, "content-type": "text/plain; version=0.0.4; charset=utf-8" }
      })
  )

/** What needs no token: it tells nothing of what is crawled. */
const publicPages = ({ version, api }: ServerOptions): Record<string, Effect.Effect<Response, never, Services>> => ({
  "/": Effect.sync(() =>
    plainJson({
      name: "crawler",
      version,
      endpoints: ["/healthz", "/readyz", "/metrics", ...(api ? ["/openapi.json", ...paths.keys()] : [])]
    })
  ),
  "/healthz": Effect.flatMap(Health, (it) => Effect.map(it.live, findings)),
  "/readyz": Effect.flatMap(Health, (it) => Effect.map(it.ready, findings)),
  "/metrics": metricsPage(version),
  ...(api
    ? {
        "/openapi.json": Effect.map(
          Effect.promise(() => import("./openapi.ts")),
          (it) => plainJson(it.document(version))
        )
      }
    : {})
})

const counted = (name: string, work: Effect.Effect<Response, never, Services>) =>
  Effect.tap(work, (it) => httpRequest(name, it.status))

const mountPublic = (app: Hono, options: ServerOptions, run: Run): void => {
  for (const [path, page] of Object.entries(publicPages(options))) {
    const handle: Handler = ({ req }) =>
      req.raw.method === "GET" || req.raw.method === "HEAD"
        ? run(counted(path.slice(1) || "index", page))
        : Promise.resolve(wrongMethod(["GET", "HEAD"]))
    app.all(path, handle)
  }
}

const mountOperations = (app: Hono, options: ServerOptions, run: Run, patient: (request: Request) => void): void => {
  const desk = {
    patient,
    tokens: new Tokens(options.tokens),
    idempotency: new Idempotency(),
    bodyBytesMax: options.bodyBytesMax
  }
  // A fixed path goes before one with a parameter, whatever the order of the table.
  const ordered = [...paths].sort(([a], [b]) => a.split(":").length - b.split(":").length)
  for (const [path, methods] of ordered) {
    const handle: Handler = ({ req }) => {
      const name: OperationName | undefined = methods.get(req.raw.method)
      if (name === undefined) return Promise.resolve(wrongMethod([...methods.keys()]))
      return run(counted(name, Effect.map(answer(name, req.raw, req.param(), desk), respond)))
    }
    app.all(path, handle)
  }
}

const build = (options: ServerOptions, run: Run, patient: (request: Request) => void): Hono => {
  const app = new Hono({ getPath: rawPath })
  mountPublic(app, options, run)
  if (options.api) mountOperations(app, options, run, patient)
  app.notFound(notFound)
  app.onError(() => respond(failure(500, "internal", "an error of the crawler itself")))
  return app
}

const listen = (options: ServerOptions, run: Run) =>
  Effect.try({
    try: () => {
      const app = build(options, run, (request) => served.timeout(request, WORK_SECONDS))
      const served = Bun.serve({
        hostname: options.host,
        port: options.port,
        idleTimeout: IDLE_SECONDS,
        // Bodies are bounded by the bytes that a route reads, and answered in our form; unread ones are never buffered.
        maxRequestBodySize: Number.MAX_SAFE_INTEGER,
        development: false,
        // Outside development mode the runtime would share a port that another process serves already.
        reusePort: false,
        fetch: (request, server) => {
          const fault = requestFault(request, options.host)
          if (fault !== null) return respond(fault)
          if (request.body === null) server.timeout(request, WORK_SECONDS)
          return app.fetch(request)
        },
        error: () => respond(failure(500, "internal", "an error of the crawler itself"))
      })
      return served
    },
    catch: (cause) =>
      new Refusal({
        exit: "configuration",
        message: `HTTP_HOST ${options.host}, HTTP_PORT ${options.port}: ${String(cause)}; expected a free port (0 = no server)`
      })
  })

const stop = (server: Server<undefined>) =>
  Effect.promise(() => server.stop()).pipe(
    Effect.timeoutOption(STOP_TIMEOUT),
    Effect.andThen(Effect.promise(() => server.stop(true)))
  )

const addressOf = (host: string, port: number) => {
  const dialled = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host
  return `http://${dialled.includes(":") ? `[${dialled}]` : dialled}:${port}`
}

/** Serves health, metrics and (stage `api`) the operations, until its scope closes; requests in flight are let finish. */
export const layer = (options: ServerOptions): Layer.Layer<Listening, Refusal, Services> =>
  Layer.effect(
    Listening,
    Effect.gen(function* () {
      const context = yield* Effect.context<Services>()
      const run: Run = (work) => Effect.runPromiseWith(context)(work)
      const server = yield* Effect.acquireRelease(listen(options, run), stop)
      const port = server.port ?? options.port
      return Listening.of({ address: addressOf(options.host, port), port, host: options.host })
    })
  )
