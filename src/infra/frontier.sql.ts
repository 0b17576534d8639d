import { Clock, Effect, Layer } from "effect"
import { Bus, Frontier, type Planned } from "../domain/ports.ts"
import { crawlTopics } from "../domain/topics.ts"
import { Settings } from "./config.ts"
import { Database } from "./database.ts"
import { noBadData, writeAll } from "./sql/batches.ts"
import * as statement from "./sql/frontier.ts"
import { arrayOf, type Encoded, encodedSize, nextSeq } from "./sql/messages.ts"
import { encode, encodeText } from "./sql/rows.ts"

/** Links of a host and topic that are dealt out anew by one statement: well within its time. */
const repacedMax = 1000

const encodeLink = ({ job, url_key, topic, pace_ms, not_before }: Planned, seq: number): Encoded => ({
  id: `${url_key} ${job.visit}`,
  json: encode({
    url_key,
    visit: job.visit,
    url: job.target.url,
    host: job.host,
    topic,
    pace: pace_ms,
    not_before,
    id: job.id,
    seq,
    payload: job
  })
})

/** The frontier in Postgres: what is known, whose turn is when, and the crawl messages, in one statement. */
export const layer: Layer.Layer<Frontier, never, Database | Settings | Bus> = Layer.effect(
  Frontier,
  Effect.gen(function* () {
    const database = yield* Database
    const bus = yield* Bus
    const { STORE_BATCH: rowsMax } = yield* Settings
    const enqueue = Effect.fn("Frontier.enqueue")(function* (links: ReadonlyArray<Planned>) {
      const now = yield* Clock.currentTimeMillis
      const send = (part: ReadonlyArray<Encoded>) =>
        database.query<{ seq: number }>(statement.enqueue, [arrayOf(part.map((it) => it.json)), now])
      const numbered = links.map((link) => ({ link, seq: nextSeq(now) }))
      const rows = numbered.map(({ link, seq }) => encodeLink(link, seq))
      const answers = yield* writeAll(rows, { key: (it) => it.id, bytes: encodedSize, rowsMax }, send).pipe(
        // The statement wrote messages beside the bus: publishing nothing tells its consumers to look.
        Effect.ensuring(Effect.ignore(bus.publish([])))
      )
      const fresh = new Set(answers.map((it) => it.seq))
      return numbered.map(({ seq }) => fresh.has(seq))
    })
    const known = Effect.fn("Frontier.known")(function* (keys: ReadonlyArray<string>) {
      const rows = yield* noBadData(database.query<{ url_key: string }>(statement.known, [encode(keys)]))
      return new Set(rows.map((it) => it.url_key))
    })
    // To the line's end: links left behind would wait for turns dealt by the old pace, long after those before them are done.
    const repaceAll = Effect.fnUntraced(function* (host: string, pace_ms: number) {
      const now = yield* Clock.currentTimeMillis
      const given = [encodeText(host), String(pace_ms), now, encode(crawlTopics), repacedMax]
      let links = repacedMax
      while (links >= repacedMax) {
        const [row] = yield* noBadData(database.query<{ links: number }>(statement.repace, given))
        links = row?.links ?? 0
      }
    })
    const repace = Effect.fn("Frontier.repace")((host: string, pace_ms: number) =>
      Effect.ensuring(repaceAll(host, pace_ms), Effect.ignore(bus.publish([])))
    )
    return Frontier.of({ enqueue, known, repace })
  })
)
