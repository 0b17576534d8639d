import { partitionOf } from "./pages.ts"

/** Bytes of log written since the cluster was made. */
export const written = "select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as bytes"

/** $1 the first partition that is kept, by name: names sort as their days do. */
export const expiredPartitions = `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = 'raw_contents'::regclass and c.relname < $1 order by c.relname`
export const firstKept = partitionOf

/** The name comes from the catalogue, and has the form of our own names. */
export const dropPartition = (name: string): string =>
  /^raw_contents_\d+$/.test(name) ? `drop table if exists ${name}` : "select 1"

/** $1 before; $2 rows. Old rows go in small steps, so that no statement holds the session for long. */
export const expireSignals = `delete from host_signals where ctid in (
  select ctid from host_signals where bucket < at_ms($1) limit $2)`
export const expirePaces = `delete from host_paces where ctid in (
  select ctid from host_paces where due_at < at_ms($1) limit $2)`
export const expireFailures = `delete from fetch_failures where ctid in (
  select ctid from fetch_failures where at < at_ms($1) limit $2)`
export const expireRepublishes = `delete from republishes where ctid in (
  select ctid from republishes where created_at < at_ms($1) limit $2)`
