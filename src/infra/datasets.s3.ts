import { Effect, Layer } from "effect"
import { Datasets } from "../domain/research.ts"
import { Settings } from "./config.ts"
import { type Objects, objectsOf } from "./s3/client.ts"

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** Every path of the tree begins so: a path from elsewhere touches no other object of the bucket. */
const isInside = (path: string): boolean => path.startsWith("research/") && !path.split("/").includes("..")

/**
 * Datasets as objects under a prefix. An object is written whole or not at all, and `publish` puts one only where none is: the store
 * decides between two writers. A store that ignores that condition still sees the look beforehand.
 */
export const over = (objects: Objects, prefix: string): Datasets["Service"] => {
  const keyed = <A, E>(path: string, work: (key: string) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
    isInside(path) ? work(`${prefix}${path}`) : Effect.die(new Error(`${path} is no path of the research tree`))
  const standing = (key: string, text: string) =>
    Effect.map(objects.get(key), (found) => {
      if (found === null) return null
      return textOf(found) === text ? ("present" as const) : ("taken" as const)
    })
  const publish = Effect.fn("Datasets.publish")((path: string, text: string) =>
    keyed(path, (key) =>
      Effect.gen(function* () {
        const before = yield* standing(key, text)
        if (before !== null) return before
        if (yield* objects.put(key, bytesOf(text), true)) return "published"
        return (yield* standing(key, text)) ?? "taken"
      })
    )
  )
  return Datasets.of({
    publish,
    replace: (path, text) => keyed(path, (key) => Effect.asVoid(objects.put(key, bytesOf(text), false))),
    read: (path) =>
      keyed(path, (key) => Effect.map(objects.get(key), (found) => (found === null ? null : textOf(found)))),
    list: (folder) =>
      keyed(folder, (key) =>
        Effect.map(objects.list(`${key.replace(/\/+$/, "")}/`), (keys) =>
          keys.map((it) => it.slice(prefix.length)).toSorted((a, b) => (a < b ? -1 : 1))
        )
      ),
    remove: (path) => keyed(path, objects.remove)
  })
}

/** The bucket that S3_BUCKET names; an environment's datasets lie under its name (S5.21). */
export const layer: Layer.Layer<Datasets, never, Settings> = Layer.effect(
  Datasets,
  Effect.map(Settings, (it) => {
    const keys = { id: it.S3_ACCESS_KEY_ID ?? "", secret: it.S3_SECRET_ACCESS_KEY ?? "" }
    const place = { endpoint: it.S3_ENDPOINT, region: it.S3_REGION, bucket: it.S3_BUCKET ?? "", keys }
    const environment = it.RESEARCH_ENVIRONMENT === "none" ? "" : `${it.RESEARCH_ENVIRONMENT}/`
    return over(objectsOf(place), `${it.S3_PREFIX ?? ""}${environment}`)
  })
)
