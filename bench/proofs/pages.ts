/** Saved pages with known truth, read where they lie beside the checkout. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Missing, shared } from "./proof.ts"

export interface Saved {
  /** `SET/ID`. */
  readonly id: string
  readonly url: string
  /** Compressed bytes, as stored. */
  readonly path: string
}

interface Stated {
  readonly url?: string
  /** Another set that holds the bytes. */
  readonly html_in?: string
}

export const setFolder = (set: string): string => join(shared, "data", set, "dev")

/** The pages of a set that have both an address and bytes. Fails as Missing when the set is not on this machine. */
export const savedPages = (set: string): ReadonlyArray<Saved> => {
  const truthFile = join(setFolder(set), "truth.json")
  if (!existsSync(truthFile)) throw new Missing(`the pages of ${set} (${truthFile}) are not on this machine`)
  const truth = JSON.parse(readFileSync(truthFile, "utf8")) as Record<string, Stated>
  return Object.entries(truth).flatMap(([id, { html_in, url }]) => {
    const path = join(setFolder(html_in ?? set), "html", `${id}.html.gz`)
    return url === undefined || !existsSync(path) ? [] : [{ id: `${set}/${id}`, url, path }]
  })
}

export const bytesOf = ({ path }: Saved): Uint8Array => Bun.gunzipSync(readFileSync(path))
