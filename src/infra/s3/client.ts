import { Effect } from "effect"
import { Unavailable } from "../../domain/errors.ts"
import { type Asked, escaped, type Keys, signed } from "./signature.ts"

/** Longest time of one request. */
const answerMsMax = 30_000
/** Longest part of a refusal that is repeated. */
const refusalMax = 300

export interface Place {
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  readonly keys: Keys
  /** Longest time of one request. */
  readonly answerMs?: number
}

/** Objects of one bucket. `put` answers false where `fresh` was asked and another object is there already. */
export interface Objects {
  readonly get: (key: string) => Effect.Effect<Uint8Array | null, Unavailable>
  readonly put: (key: string, body: Uint8Array<ArrayBuffer>, fresh: boolean) => Effect.Effect<boolean, Unavailable>
  readonly remove: (key: string) => Effect.Effect<void, Unavailable>
  readonly list: (prefix: string) => Effect.Effect<ReadonlyArray<string>, Unavailable>
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" }
const plain = (text: string): string =>
  text.replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => entities[name] ?? "")
const inTag = (xml: string, tag: string): ReadonlyArray<string> =>
  [...xml.matchAll(new RegExp(`<${tag}>([^<]*)</${tag}>`, "g"))].map((it) => plain(it[1] ?? ""))

const nothing = new Uint8Array()

/** One signed request. Answers outside 2xx that are `accepted` are answers; all others are Unavailable. */
const asking =
  ({ keys, region, answerMs = answerMsMax }: Place) =>
  (what: Asked, accepted: ReadonlyArray<number>) =>
    Effect.tryPromise({
      try: async () => {
        const headers = signed(what, keys, region, new Date())
        // The query is sent just as it was signed: a space is %20, never a plus.
        const href = what.url.href.replace(/\+/g, "%20")
        const body = what.method === "PUT" ? { body: what.body } : {}
        const signal = AbortSignal.timeout(answerMs)
        const answer = await fetch(href, { method: what.method, headers, redirect: "error", signal, ...body })
        const bytes = new Uint8Array(await answer.arrayBuffer())
        if (answer.ok || accepted.includes(answer.status)) return { status: answer.status, bytes }
        throw new Error(`${answer.status} ${new TextDecoder().decode(bytes).slice(0, refusalMax)}`)
      },
      catch: (cause) =>
        new Unavailable({
          dependency: "objects",
          message: `${what.method} ${what.url.pathname}: ${cause instanceof Error ? cause.message : String(cause)}`
        })
    })

/**
 * The few calls of the S3 API that the crawler needs, signed. Own calls and not the runtime's client, since that can neither put an
 * object only where none is (`If-None-Match`) nor list on every server. Fails with Unavailable only.
 */
export const objectsOf = (place: Place): Objects => {
  const base = `${place.endpoint.replace(/\/+$/, "")}/${place.bucket}`
  const urlOf = (key: string, query: Readonly<Record<string, string>> = {}): URL => {
    const url = new URL(`${base}${key === "" ? "" : `/${key.split("/").map(escaped).join("/")}`}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    return url
  }
  const ask = asking(place)
  const page = (prefix: string, token: string | null) =>
    Effect.map(
      ask(
        {
          method: "GET",
          url: urlOf("", { "list-type": "2", prefix, ...(token === null ? {} : { "continuation-token": token }) }),
          headers: {},
          body: nothing
        },
        []
      ),
      ({ bytes }) => {
        const xml = new TextDecoder().decode(bytes)
        return { keys: inTag(xml, "Key"), next: inTag(xml, "NextContinuationToken")[0] ?? null }
      }
    )
  const list = Effect.fnUntraced(function* (prefix: string) {
    const all: Array<string> = []
    for (let token: string | null = null; ; ) {
      const { keys: found, next }: { keys: ReadonlyArray<string>; next: string | null } = yield* page(prefix, token)
      all.push(...found)
      if (next === null) return all
      token = next
    }
  })
  return {
    get: (key) =>
      Effect.map(ask({ method: "GET", url: urlOf(key), headers: {}, body: nothing }, [404]), (it) =>
        it.status === 404 ? null : it.bytes
      ),
    put: (key, body, fresh) =>
      Effect.map(
        ask(
          { method: "PUT", url: urlOf(key), headers: fresh ? { "if-none-match": "*" } : {}, body },
          // Refused because an object is there, or because another is being put there at the moment.
          fresh ? [409, 412] : []
        ),
        (it) => it.status !== 412 && it.status !== 409
      ),
    remove: (key) => Effect.asVoid(ask({ method: "DELETE", url: urlOf(key), headers: {}, body: nothing }, [404])),
    list
  }
}
