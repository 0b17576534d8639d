import { createHash } from "node:crypto"
import { Effect } from "effect"
import { setLatest } from "../domain/latest.ts"
import type { Traits, Twin } from "../domain/traits.ts"

/** Texts remembered by one process, and addresses of one text. */
const textsMax = 50_000
const addressesMax = 8

/** Remembers under which addresses a host showed which text: hashes only, the latest ones. */
export const twinMemory = (): Traits["Service"]["twins"] => {
  const seen = new Map<string, ReadonlyArray<Twin>>()
  return (host, text, page) =>
    Effect.sync(() => {
      const key = `${host} ${createHash("sha1").update(text).digest("base64")}`
      const known = seen.get(key) ?? []
      const before = known.filter((it) => it.url !== page.url)
      const noted = known.length === before.length && known.length < addressesMax ? [...known, page] : known
      setLatest(seen, key, noted, textsMax)
      return before
    })
}
