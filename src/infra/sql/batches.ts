import { Effect } from "effect"
import { BadData, type Unavailable } from "../../domain/errors.ts"

/** Bytes of JSON in one statement: more would keep the one session of the embedded store busy for too long. */
const batchBytesMax = 4 * 1024 * 1024

export interface Batching<Row> {
  /** Identity of a row: of two rows with one key the first is sent, and the batch is sorted by it (no deadlocks). */
  readonly key: (row: Row) => string
  /** Bytes of a row, roughly. */
  readonly bytes: (row: Row) => number
  /** Rows of one statement (STORE_BATCH). */
  readonly rowsMax: number
}

export interface Bad<Row> {
  readonly row: Row
  readonly message: string
}
export interface Sent<Row, Answer> {
  readonly answers: ReadonlyArray<Answer>
  readonly bad: ReadonlyArray<Bad<Row>>
}

const distinct = <Row>(rows: ReadonlyArray<Row>, key: (row: Row) => string): ReadonlyArray<Row> => {
  const byKey = new Map<string, Row>()
  for (const row of rows) {
    const name = key(row)
    if (!byKey.has(name)) byKey.set(name, row)
  }
  return [...byKey.entries()].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, row]) => row)
}

const cut = <Row>(rows: ReadonlyArray<Row>, { bytes, rowsMax }: Batching<Row>): ReadonlyArray<ReadonlyArray<Row>> => {
  const parts: Array<Array<Row>> = []
  let size = 0
  for (const row of rows) {
    const weight = bytes(row)
    const last = parts.at(-1)
    if (last === undefined || last.length >= rowsMax || size + weight > batchBytesMax) {
      parts.push([row])
      size = weight
    } else {
      last.push(row)
      size += weight
    }
  }
  return parts
}

/** Sends one statement's rows; refused rows are found by halving, so n good rows around a bad one cost log n statements. */
const sendPart = <Row, Answer>(
  rows: ReadonlyArray<Row>,
  send: (rows: ReadonlyArray<Row>) => Effect.Effect<ReadonlyArray<Answer>, Unavailable | BadData>
): Effect.Effect<Sent<Row, Answer>, Unavailable> =>
  send(rows).pipe(
    Effect.map((answers): Sent<Row, Answer> => ({ answers, bad: [] })),
    Effect.catchTag("BadData", ({ message }) => {
      const [first] = rows
      if (first !== undefined && rows.length === 1)
        return Effect.succeed({ answers: [], bad: [{ row: first, message }] })
      const middle = rows.length >> 1
      return Effect.zipWith(sendPart(rows.slice(0, middle), send), sendPart(rows.slice(middle), send), (a, b) => ({
        answers: [...a.answers, ...b.answers],
        bad: [...a.bad, ...b.bad]
      }))
    })
  )

/**
 * Writes many rows: de-duplicated, sorted, cut into statements, and on a data error split until the bad row stands alone.
 * The good rows are kept whatever the bad ones do; the bad ones come back. Fails only with Unavailable: then some
 * statements may have been kept, and sending all again is right, since every write is idempotent by key.
 */
export const inBatches = Effect.fn("Database.inBatches")(function* <Row, Answer>(
  rows: ReadonlyArray<Row>,
  batching: Batching<Row>,
  send: (rows: ReadonlyArray<Row>) => Effect.Effect<ReadonlyArray<Answer>, Unavailable | BadData>
): Effect.fn.Return<Sent<Row, Answer>, Unavailable> {
  const parts = yield* Effect.forEach(cut(distinct(rows, batching.key), batching), (part) => sendPart(part, send))
  return { answers: parts.flatMap((it) => it.answers), bad: parts.flatMap((it) => it.bad) }
})

/** At most this many keys are named in a complaint. */
const namedMax = 5

/**
 * `inBatches` for writers whose callers must learn of a refused row: the good rows are kept, then it fails with BadData
 * that names the bad ones. A caller with many rows sends them again one by one to tell whose fault it was.
 */
export const writeAll = Effect.fn("Database.writeAll")(function* <Row, Answer>(
  rows: ReadonlyArray<Row>,
  batching: Batching<Row>,
  send: (rows: ReadonlyArray<Row>) => Effect.Effect<ReadonlyArray<Answer>, Unavailable | BadData>
): Effect.fn.Return<ReadonlyArray<Answer>, Unavailable | BadData> {
  const { answers, bad } = yield* inBatches(rows, batching, send)
  const [first] = bad
  if (first === undefined) return answers
  const names = bad.slice(0, namedMax).map((it) => batching.key(it.row))
  yield* Effect.logWarning(`${bad.length} of ${rows.length} rows refused: ${names.join(", ")}: ${first.message}`)
  return yield* new BadData({ message: `${names.join(", ")}: ${first.message}` })
})

/** For statements that carry no caller's rows: bad data there is a bug of ours. */
export const noBadData = <A, R>(work: Effect.Effect<A, Unavailable | BadData, R>): Effect.Effect<A, Unavailable, R> =>
  Effect.catchTag(work, "BadData", (it) => Effect.die(it))
