import { Effect } from "effect"
import { sha256 } from "../domain/research/assemble.ts"
import { manifestName, paths } from "../domain/research/path.ts"
import { Dataset, Manifest } from "../domain/research/record.ts"
import { Datasets } from "../domain/research.ts"
import { decodeJson } from "./research.batches.ts"

/** What is wrong with one file of the tree. */
export interface Fault {
  readonly path: string
  readonly what: string
}
export interface Verified {
  readonly manifests: number
  readonly datasets: number
  readonly records: number
  readonly faults: ReadonlyArray<Fault>
  /** Files that no manifest names: being published at this moment, or left by a crash just before it. */
  readonly unlisted: ReadonlyArray<string>
}

const faultOf = (text: string | null, entry: Manifest["datasets"][number]): string | null => {
  if (text === null) return "is missing"
  if (sha256(text) !== entry.sha256) return "does not have its checksum: it was changed or cut"
  const dataset = decodeJson(Dataset, text)
  if (dataset === null) return "is no dataset"
  const { meta, records } = dataset
  if (meta.checksum !== `sha256:${sha256(JSON.stringify(records))}`) return "its records do not have their checksum"
  return records.length === entry.record_count && meta.record_count === records.length ? null : "counts other records"
}

/** Re-reads every dataset that a manifest names and checks it. Changes nothing. */
export const verify = Effect.gen(function* () {
  const datasets = yield* Datasets
  const found = yield* datasets.list(paths.datasets)
  const faults: Array<Fault> = []
  const named = new Set<string>()
  let records = 0
  const manifests = found.filter((it) => it.endsWith(`/${manifestName}`))
  for (const path of manifests) {
    const manifest = decodeJson(Manifest, (yield* datasets.read(path)) ?? "")
    if (manifest === null) faults.push({ path, what: "is no manifest" })
    for (const entry of manifest?.datasets ?? []) {
      named.add(entry.path)
      records += entry.record_count
      const what = faultOf(yield* datasets.read(entry.path), entry)
      if (what !== null) faults.push({ path: entry.path, what })
    }
  }
  const files = found.filter((it) => /\/\d{4}-\d{2}-\d{2}_\d{4,}\.json$/.test(it))
  const unlisted = files.filter((path) => !named.has(path))
  const verified: Verified = { manifests: manifests.length, datasets: named.size, records, faults, unlisted }
  return verified
})
