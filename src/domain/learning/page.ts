import { decode } from "../charset.ts"
import type { RawPage } from "../fetching.ts"
import type { Hints } from "../reading.ts"
import { ungzip } from "../sitemap.ts"
import { parse, type Tree } from "../tree.ts"

/** What is known of a stored page besides its bytes, when nobody asks for anything of it but to be read. */
export const storedHints = (raw: RawPage): Hints => ({
  url: raw.final_url,
  expected: raw.expected ?? "auto",
  status: raw.status,
  content_type: raw.content_type,
  truncated: raw.truncated,
  fetched_at: raw.fetched_at,
  html: false
})

/** The page as reading sees it before anything is extracted. Pure and total. */
export const treeOf = (bytes: Uint8Array, { content_type, url }: Hints): Tree =>
  parse(decode(ungzip(bytes).bytes, { content_type, url }).text)
