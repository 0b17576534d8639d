import { Resolver } from "node:dns/promises"
import { Effect } from "effect"
import { Retryable } from "../domain/errors.ts"
import { unlikelyLabel, words } from "../domain/research/words.ts"
import { type Asked, bare } from "./discovery.json.ts"

/** Questions to name servers in flight. */
const CONCURRENCY = 8
/** One question, ms, and how often it is asked. */
const TIMEOUT_MS = 2000
const TRIES = 2

/** The name does not exist, or has no such record: an answer. All else is none. */
const NOTHING = new Set(["ENOTFOUND", "ENODATA", "NOTFOUND", "NODATA"])
const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "failed"

/** Addresses of a name; empty: it has none. */
const addresses = (resolver: Resolver, name: string): Effect.Effect<ReadonlyArray<string>, Retryable> =>
  Effect.tryPromise({ try: () => resolver.resolve4(name), catch: codeOf }).pipe(
    Effect.catch((code) =>
      NOTHING.has(code)
        ? Effect.succeed<ReadonlyArray<string>>([])
        : Effect.fail(new Retryable({ code: "network", message: `DNS for ${name}: ${code}` }))
    )
  )

/**
 * Hosts of the word list that exist below a domain (S5.8). Two names that nobody has registered are asked first: what they answer
 * with is what the domain answers for every name (a wildcard), and tells nothing. Where they get different addresses, the wildcard draws
 * from a pool, and no address tells anything.
 */
export const enumeration = (servers: ReadonlyArray<string>, resultsMax: number): Asked => {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
  if (servers.length > 0) resolver.setServers([...servers])
  return {
    host: null,
    ask: Effect.fnUntraced(function* (domain: string) {
      const first = yield* addresses(resolver, `${unlikelyLabel(domain, 1)}.${domain}`)
      const second = yield* addresses(resolver, `${unlikelyLabel(domain, 2)}.${domain}`)
      const everywhere = new Set([...first, ...second])
      if (everywhere.size > Math.max(first.length, second.length)) return []
      const found = yield* Effect.forEach(
        words,
        (word) => Effect.map(addresses(resolver, `${word}.${domain}`), (ips) => ({ word, ips })),
        { concurrency: CONCURRENCY }
      )
      return found
        .filter(({ ips }) => ips.some((it) => !everywhere.has(it)))
        .slice(0, resultsMax)
        .map(({ word }) => bare(`https://${word}.${domain}/`))
    })
  }
}
