/** The sums of a bucket, as columns and as keys of a record alike; all `integer` but those named. */
export const sumColumns = [
  "samples",
  "errors",
  "browser",
  "latency_ms",
  "latencies",
  "lag_ms",
  "lags",
  "passed",
  "rejected",
  "impact",
  "impacts",
  "trips",
  "relearns"
] as const
const real = new Set<string>(["latency_ms", "lag_ms", "impact"])
const columns = sumColumns.join(", ")
const record = sumColumns.map((it) => `${it} ${real.has(it) ? "float8" : "int"}`).join(", ")

/** $1 buckets. In the order of their key, so that two writers never wait for each other in a circle. */
export const addBuckets = `insert into host_signals as s (host, bucket, ${columns})
  select g.host, at_ms(g.at), ${sumColumns.map((it) => `g.${it}`).join(", ")}
  from json_to_recordset($1::text::json) as g(host text, at float8, ${record})
  order by g.host, g.at
  on conflict (host, bucket) do update set ${sumColumns.map((it) => `${it} = s.${it} + excluded.${it}`).join(", ")}`

/** Sums of a window as plain numbers. */
export const summed = sumColumns.map((it) => `sum(${it})::float8 as ${it}`).join(", ")
/** The same, where there may be no row at all. */
export const summedOrZero = sumColumns.map((it) => `coalesce(sum(${it}), 0)::float8 as ${it}`).join(", ")
