import { textOf } from "../extract/json.ts"
import { readLinked } from "../extract/linked.ts"
import { metaOf, readMeta } from "../extract/meta.ts"
import type { Hints } from "../reading.ts"
import { treeOf } from "./page.ts"

/** What a page states of its article for machines: independent of where its text stands, so an extraction is held against it. */
export interface Witness {
  /** JSON-LD headline, og:title: as stated. */
  readonly titles: ReadonlyArray<string>
  /** JSON-LD articleBody. */
  readonly body: string | null
}

/** A stated body shorter than this (characters) is a teaser. */
const bodyMin = 200

/** Pure and total: bytes that are no page state nothing. */
export const witnessOf = (bytes: Uint8Array, hints: Hints): Witness => {
  const tree = treeOf(bytes, hints)
  const meta = readMeta(tree)
  const linked = readLinked(tree.ld, [hints.url, ...(meta.canonical === null ? [] : [meta.canonical])])
  const titles = [textOf(linked.article?.headline), metaOf(meta, "og:title")]
  const body = textOf(linked.article?.articleBody)
  return {
    titles: titles.flatMap((it) => (it === null || it.trim() === "" ? [] : [it])),
    body: body === null || body.length < bodyMin ? null : body
  }
}
