import { Context, Effect, Layer } from "effect"

/** null: well. Otherwise what is wrong, in a sentence. */
export type Probe = Effect.Effect<string | null>

export interface Finding {
  readonly name: string
  readonly ok: boolean
  readonly message: string
}

/** How long one probe may take before it counts as failed. */
const PROBE_TIMEOUT = "2 seconds"

/**
 * What `/healthz` (this process works: its consumers are alive) and `/readyz` (what it depends on answers) report. The
 * parts of the process add their probes by name; a later probe of the same name replaces the earlier one.
 */
export class Health extends Context.Service<
  Health,
  {
    readonly add: (kind: "live" | "ready", name: string, probe: Probe) => Effect.Effect<void>
    readonly live: Effect.Effect<ReadonlyArray<Finding>>
    readonly ready: Effect.Effect<ReadonlyArray<Finding>>
  }
>()("crawler/Health") {}

const ask = (name: string, probe: Probe): Effect.Effect<Finding> =>
  probe.pipe(
    Effect.timeoutOrElse({
      duration: PROBE_TIMEOUT,
      orElse: () => Effect.succeed<string | null>(`no answer within ${PROBE_TIMEOUT}`)
    }),
    Effect.catchCause(() => Effect.succeed<string | null>("the check itself failed")),
    Effect.map((message) => ({ name, ok: message === null, message: message ?? "ok" }))
  )

export const layer: Layer.Layer<Health> = Layer.sync(Health, () => {
  const probes = { live: new Map<string, Probe>(), ready: new Map<string, Probe>() }
  const all = (kind: "live" | "ready") =>
    Effect.suspend(() =>
      Effect.forEach([...probes[kind]], ([name, probe]) => ask(name, probe), { concurrency: "unbounded" })
    )
  return Health.of({
    add: (kind, name, probe) => Effect.sync(() => void probes[kind].set(name, probe)),
    live: all("live"),
    ready: all("ready")
  })
})
