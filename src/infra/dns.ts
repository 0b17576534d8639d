import { Context, Effect, Layer } from "effect"

/** A name that has no address now. Not final: DNS answers later (field case B25). */
export interface NoAddress {
  readonly _tag: "NoAddress"
  readonly message: string
}

/** All addresses of a name, as the system resolves it (hosts file, DNS). The guard remembers answers, not this. */
export class Resolver extends Context.Service<
  Resolver,
  { readonly resolve: (name: string) => Effect.Effect<ReadonlyArray<string>, NoAddress> }
>()("crawler/Resolver") {}

const reason = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : "failed"

/**
 * The system's resolver, by c-ares: `getaddrinfo` (also behind node:dns) has two threads here, so that two names whose server is
 * silent would hold up all others.
 */
export const layer: Layer.Layer<Resolver> = Layer.succeed(Resolver, {
  resolve: (name) =>
    Effect.tryPromise({
      try: () => Bun.dns.lookup(name, { backend: "c-ares" }),
      catch: (error): NoAddress => ({ _tag: "NoAddress", message: `no address for ${name}: ${reason(error)}` })
    }).pipe(Effect.map((found) => found.map(({ address }) => address)))
})
