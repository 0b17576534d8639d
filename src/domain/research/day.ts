import { type Day, type Entry, methods } from "./record.ts"

/** The answer of S5.19 over the datasets of one day. */
export const dayOver = (entries: ReadonlyArray<Entry>, unique_domains: number): Day => ({
  datasets: entries.map(({ dataset_id, path, record_count, size_bytes, created_at, partial }) => ({
    dataset_id,
    path,
    record_count,
    size_bytes,
    created_at,
    partial
  })),
  summary: {
    total_records: entries.reduce((sum, it) => sum + it.record_count, 0),
    unique_domains,
    discovery_methods: methods.filter((method) => entries.some((it) => it.research_methods.includes(method)))
  }
})
