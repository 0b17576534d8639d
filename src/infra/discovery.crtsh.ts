import { Effect, Schema } from "effect"
import { namesIn } from "../domain/research/names.ts"
import { type Asked, bare, decoded, get, hostOf, refusal, type Way, withQuery } from "./discovery.json.ts"

/** What is read of crt.sh's `output=json`: names of one certificate, a name a line. Rows without any are another format. */
const Certificates = Schema.Array(
  Schema.Struct({
    name_value: Schema.String,
    common_name: Schema.optionalKey(Schema.NullOr(Schema.String))
  })
)

/**
 * Hosts that certificates were issued for (S5.8). Wildcards, e-mail addresses and names of other domains are no hosts (B45); a
 * domain nobody issued a certificate for answers `[]`.
 */
export const crtsh = (way: Way, base: string): Asked => ({
  host: hostOf(base),
  ask: Effect.fnUntraced(function* (domain: string) {
    const url = withQuery(base, { q: `%.${domain}`, output: "json", exclude: "expired" })
    const reply = yield* get(way, url)
    if (reply.status !== 200) return yield* refusal(url, reply)
    const certificates = yield* decoded(url, Certificates, reply.text)
    const names = namesIn(
      certificates.flatMap((it) => [it.name_value, it.common_name ?? ""]),
      domain
    )
    return names.slice(0, way.resultsMax).map((name) => bare(`https://${name}/`))
  })
})
