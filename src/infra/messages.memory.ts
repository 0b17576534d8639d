import { Result } from "effect"
import type { Millis } from "../domain/crawl.ts"
import { crashesMax } from "../domain/job.ts"
import type { Receipt, Settlement } from "../domain/ports.ts"
import { type DeadLetter, type Envelope, messageBytesMax, type Outgoing, type Topic } from "../domain/topics.ts"
import { Heap } from "./heap.ts"

/** One message as held: its envelope as JSON, so that whoever takes it sees what a wire would have given. */
export interface Message {
  readonly id: string
  readonly topic: Topic
  readonly key: string
  readonly not_before: Millis
  /** Order of arrival: decides among messages due at the same instant. */
  readonly sequence: number
  readonly json: string
  state: keyof Count
  lease: number
  /** Times leased without an outcome. */
  starts: number
  begun: boolean
  /** When the lease runs out; infinite while its consumer lives, since that renews it. */
  expires_at: Millis
  holder: Holder | null
}

/** Who may hold leases: told when one ends, so that its counts stay true. */
export interface Holder {
  readonly topics: ReadonlySet<Topic>
  readonly lost: (message: Message) => void
  readonly arrived: (lane: Lane) => void
  /** Something changed: whoever waits looks again. */
  readonly changed: () => void
}

/** The visible messages of one key in one topic, in their order. */
export interface Lane {
  readonly topic: Topic
  readonly key: string
  readonly ready: Heap<Message>
}

/** Messages of one topic by state. `parked`: waiting for an operator, due so late that nobody waits for it. */
export interface Count {
  ready: number
  later: number
  parked: number
  leased: number
}

const earlier = (left: Message, right: Message): boolean =>
  left.not_before < right.not_before || (left.not_before === right.not_before && left.sequence < right.sequence)

/** Dead letters kept; the oldest go first. A one-shot run reports them at its end, so this is ample. */
const deadLettersMax = 10_000
/** A message due later than this is parked for an operator: a run that ends when drained does not wait for it. */
const parkedAfterMs = 365 * 86_400_000

/**
 * The messages of one process and their states. Every method is synchronous, so each call is one atomic step; `now` is
 * given, so that virtual time works.
 */
export class Messages {
  readonly byId = new Map<string, Message>()
  readonly lanes = new Map<Topic, Map<string, Lane>>()
  readonly counts = new Map<Topic, Count>()
  readonly holders = new Set<Holder>()
  deadLetters: Array<DeadLetter> = []
  private readonly later = new Heap<Message>(earlier)
  private readonly expiring = new Heap<{ readonly at: Millis; readonly message: Message; readonly lease: number }>(
    (left, right) => left.at < right.at
  )
  private sequence = 0

  /** What is in the way of storing this message, or the message. */
  encode(outgoing: Outgoing): Result.Result<Message, string> {
    return Result.try({
      try: () => JSON.stringify({ ...outgoing, payload: outgoing.payload ?? null, not_before: undefined }),
      catch: String
    }).pipe(
      Result.flatMap((json) => {
        // A UTF-16 unit is at most 3 bytes of UTF-8: most messages need no count.
        const bytes = json.length * 3 <= messageBytesMax ? 0 : Buffer.byteLength(json)
        return bytes > messageBytesMax
          ? Result.fail(`message ${outgoing.id}: ${bytes} bytes, at most ${messageBytesMax}`)
          : Result.succeed(this.message(outgoing, json))
      })
    )
  }

  /** A message whose text is held elsewhere has none here. */
  message({ id, topic, key, not_before }: Pick<Outgoing, "id" | "topic" | "key" | "not_before">, json = ""): Message {
    this.sequence += 1
    const { sequence } = this
    const expires_at = 0
    return {
      id,
      topic,
      key,
      not_before,
      sequence,
      json,
      state: "later",
      lease: 0,
      starts: 0,
      begun: false,
      expires_at,
      holder: null
    }
  }

  add(message: Message, now: Millis): void {
    if (this.byId.has(message.id)) return
    this.byId.set(message.id, message)
    this.place(message, now)
  }

  /** Makes visible what is due and takes back what has expired. */
  advance(now: Millis): void {
    for (let next = this.expiring.peek(); next !== undefined && next.at <= now; next = this.expiring.peek()) {
      this.expiring.pop()
      const { message, lease } = next
      if (message.state === "leased" && message.lease === lease) this.expire(message, now)
    }
    for (let next = this.later.peek(); next !== undefined && next.not_before <= now; next = this.later.peek()) {
      this.later.pop()
      this.count(next, -1)
      this.place(next, now)
    }
  }

  /** The next instant at which `advance` would change something. */
  nextInstant(): Millis {
    return Math.min(
      this.later.peek()?.not_before ?? Number.POSITIVE_INFINITY,
      this.expiring.peek()?.at ?? Number.POSITIVE_INFINITY
    )
  }

  take(lane: Lane, holder: Holder): Message | undefined {
    const message = lane.ready.pop()
    if (message === undefined) return undefined
    if (lane.ready.size === 0) this.lanes.get(lane.topic)?.delete(lane.key)
    this.count(message, -1)
    message.state = "leased"
    message.lease += 1
    message.begun = false
    message.expires_at = Number.POSITIVE_INFINITY
    message.holder = holder
    this.count(message, 1)
    return message
  }

  /** The message of a receipt, if its lease is still the latest. */
  held({ id, lease }: Receipt): Message | undefined {
    const message = this.byId.get(id)
    return message !== undefined && message.state === "leased" && message.lease === lease ? message : undefined
  }

  /** Work on it begins: from here on a lease that ends without an outcome was a crash. */
  begin(message: Message): void {
    if (!message.begun) message.starts += 1
    message.begun = true
  }

  settle(message: Message, publish: ReadonlyArray<Message>, dead: Settlement["dead"], now: Millis): void {
    this.remove(message)
    for (const it of publish) this.add(it, now)
    this.bury(dead)
  }

  /** Forgets every visible message that nobody has taken. Answers their ids. */
  withdraw(): ReadonlyArray<string> {
    const gone = [...this.byId.values()].filter((it) => it.state === "ready")
    for (const message of gone) this.remove(message)
    // Whoever has one of these lanes in line finds it empty.
    for (const lanes of this.lanes.values()) {
      for (const lane of lanes.values()) lane.ready.clear()
      lanes.clear()
    }
    return gone.map((it) => it.id)
  }

  /** Back to its place, as if it had not been taken. */
  release(message: Message, now: Millis): void {
    if (message.begun) message.starts -= 1
    message.begun = false
    this.back(message, now)
  }

  /** Nobody renews this lease any more. */
  abandon(message: Message, expires_at: Millis): void {
    message.expires_at = expires_at
    this.expiring.push({ at: expires_at, message, lease: message.lease })
  }

  /** The consumer died: visible again, or dead when that happened too often. */
  expire(message: Message, now: Millis): void {
    if (message.starts < crashesMax) {
      this.back(message, now)
      return
    }
    this.remove(message)
    const { id, topic, key, json, starts } = message
    const text = `begun ${starts} times without an outcome`
    this.bury([
      {
        id: `${id}~bus`,
        topic,
        key,
        stage: "bus",
        code: "crash_loop",
        message: text,
        bytes: json,
        attempts: starts,
        at: now
      }
    ])
  }

  /** Nothing is left in these topics: visible, due within a year, or leased. */
  drained(topics: Iterable<Topic>): boolean {
    for (const topic of topics) {
      const count = this.counts.get(topic)
      if (count !== undefined && count.ready + count.leased + count.later > 0) return false
    }
    return true
  }

  envelope(message: Message): Envelope {
    return JSON.parse(message.json) as Envelope
  }

  private place(message: Message, now: Millis): void {
    const wait = message.not_before - now
    message.state = wait <= 0 ? "ready" : wait > parkedAfterMs ? "parked" : "later"
    message.holder = null
    this.count(message, 1)
    if (message.state !== "ready") {
      this.later.push(message)
      return
    }
    const lane = this.lane(message)
    lane.ready.push(message)
    for (const holder of this.holders) if (holder.topics.has(message.topic)) holder.arrived(lane)
  }

  private lane({ topic, key }: Message): Lane {
    const lanes = this.lanes.get(topic) ?? new Map<string, Lane>()
    this.lanes.set(topic, lanes)
    const lane = lanes.get(key) ?? { topic, key, ready: new Heap<Message>(earlier) }
    lanes.set(key, lane)
    return lane
  }

  private back(message: Message, now: Millis): void {
    this.count(message, -1)
    message.holder?.lost(message)
    this.place(message, now)
  }

  private remove(message: Message): void {
    this.byId.delete(message.id)
    this.count(message, -1)
    message.holder?.lost(message)
    message.holder = null
    message.state = "ready"
    message.lease += 1
  }

  private bury(letters: ReadonlyArray<DeadLetter>): void {
    this.deadLetters.push(...letters)
    if (this.deadLetters.length > deadLettersMax) this.deadLetters = this.deadLetters.slice(-deadLettersMax)
  }

  private count({ topic, state }: Message, by: 1 | -1): void {
    const count = this.counts.get(topic) ?? { ready: 0, later: 0, parked: 0, leased: 0 }
    this.counts.set(topic, count)
    count[state] += by
  }
}
