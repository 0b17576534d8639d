import { createHash } from "node:crypto"
import { Effect } from "effect"
import type { Settings } from "./config.ts"
import type { Bodies } from "./raws.ts"
import { type Objects, objectsOf } from "./s3/client.ts"

/** Objects removed in one round of upkeep, and at once. */
const removeMax = 5000
const removersMax = 16
/** Bodies sent at once. */
const sendersMax = 16

/** Bodies as objects `raws/DAY/…`. An id is its site's text, so its hash names the object. */
export const over = (objects: Objects, prefix: string): Bodies => {
  const folder = (day: string) => `${prefix}raws/${day}/`
  const key = (day: string, id: string) => `${folder(day)}${createHash("sha256").update(id).digest("hex")}`
  return {
    put: (day, bodies) =>
      Effect.forEach(bodies, ({ id, body }) => Effect.as(objects.put(key(day, id), new Uint8Array(body), false), 0), {
        concurrency: sendersMax
      }),
    get: (day, { id }) => objects.get(key(day, id)),
    expire: Effect.fnUntraced(function* (day: string) {
      const keys = yield* objects.list(folder(day))
      yield* Effect.forEach(keys.slice(0, removeMax), objects.remove, { concurrency: removersMax, discard: true })
      return keys.length <= removeMax
    })
  }
}

/** The objects of the bucket that S3_BUCKET names; null where none is named. */
export const bodiesOf = (it: Settings["Service"]): Bodies | null => {
  if (it.S3_BUCKET === null) return null
  const keys = { id: it.S3_ACCESS_KEY_ID ?? "", secret: it.S3_SECRET_ACCESS_KEY ?? "" }
  const place = { endpoint: it.S3_ENDPOINT, region: it.S3_REGION, bucket: it.S3_BUCKET, keys }
  return over(objectsOf(place), it.S3_PREFIX ?? "")
}
