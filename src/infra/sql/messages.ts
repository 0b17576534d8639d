import { type Option, Schema } from "effect"
import type { Millis } from "../../domain/crawl.ts"
import { Envelope, messageBytesMax, type Outgoing } from "../../domain/topics.ts"
import { encode } from "./rows.ts"

/** A row that is encoded already: its identity, and its JSON for `json_to_recordset`. */
export interface Encoded {
  readonly id: string
  readonly json: string
}
export const encodedSize = ({ json }: Encoded): number => json.length
export const arrayOf = (rows: ReadonlyArray<string>): string => `[${rows.join(",")}]`

/** The columns of a message record; times are milliseconds. */
export const messageColumns =
  "id text, topic text, key text, occurred_at float8, attempt int, trace_id text, headers jsonb, payload jsonb, not_before float8, seq bigint"

let last = 0
/** Numbers messages in the order they are published here: microseconds of the clock, each larger than the one before. */
export const nextSeq = (now: Millis): number => {
  last = Math.max(last + 1, now * 1000)
  return last
}

/** `owner` names the settlement a message belongs to. */
export const encodeMessage = (it: Outgoing, seq: number, owner?: string): Encoded => ({
  id: it.id,
  json: encode({
    owner,
    seq,
    id: it.id,
    topic: it.topic,
    key: it.key,
    occurred_at: it.occurred_at,
    attempt: it.attempt,
    trace_id: it.trace_id,
    headers: it.headers,
    payload: it.payload ?? null,
    not_before: it.not_before
  })
})

/** A message over the limit is its sender's fault, wherever it would be stored. Counts bytes, not characters. */
export const isTooLarge = ({ json }: Encoded): boolean =>
  json.length > messageBytesMax || (json.length * 3 > messageBytesMax && Buffer.byteLength(json) > messageBytesMax)

/** Inserts message records `m` of `from` that are not there yet. */
export const insertMessages = (from: string): string => `
  insert into messages (id, topic, key, occurred_at, attempt, trace_id, headers, payload, not_before, seq)
  select m.id, m.topic, m.key, at_ms(m.occurred_at), m.attempt, m.trace_id, m.headers, m.payload, at_ms(m.not_before), m.seq
  from ${from}
  order by m.id
  on conflict (id) do nothing`

/** A row of `messages` as the store gives it back; nothing about it is trusted, since SQL may have written it. */
export interface MessageRow {
  readonly id: string
  readonly topic: string
  readonly key: string
  readonly occurred_at: number
  readonly attempt: number
  readonly trace_id: string
  readonly headers: unknown
  readonly payload: unknown
  readonly lease: number
  readonly starts: number
}

const decodeEnvelope = Schema.decodeUnknownOption(Envelope)

/** A row without what belongs to its lease. */
export const plain = ({ lease: _, starts: __, ...row }: MessageRow) => row

/** The envelope of a row, or nothing when the row is not one. */
export const envelopeOf = (row: MessageRow): Option.Option<Envelope> => decodeEnvelope(plain(row))
