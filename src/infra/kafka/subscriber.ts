import type { Consumer, Kafka, KafkaMessage } from "kafkajs"
import { Progress } from "./offsets.ts"

/** A member that is silent this long (ms) is dead, and its partitions go to others: brokers take no less than 6 s. */
const sessionMs = 10_000
/** Members are heard of, and hear of a new distribution, this often (ms). */
const heartbeatMs = 500
/** The broker holds an empty answer back this long (ms): also how long a goodbye may take. An idle process does little else than ask. */
const fetchMs = 500
const commitEveryMs = 500
const againMs = 1000

export interface Arrival {
  readonly topic: string
  readonly message: KafkaMessage
  /** The message needs nobody's care any more. */
  readonly done: () => void
}

export interface Hearing {
  readonly arrived: (arrivals: ReadonlyArray<Arrival>) => void
  /** Partitions were dealt out anew: what was not begun yet comes again, here or elsewhere. */
  readonly dealt: () => void
  readonly failed: (why: string) => void
}

/** One member of a consumer group: joins, hands on what it hears, commits what is done, and joins again after a crash. */
export class Subscriber {
  private consumer: Consumer | null = null
  private progress = new Map<string, Progress>()
  private closed = false
  private paused = false
  private readonly timer: ReturnType<typeof setInterval>
  private readonly farewell = Promise.withResolvers<null>()
  private readonly attending: Promise<void>

  constructor(
    private readonly kafka: Kafka,
    private readonly group: string,
    private readonly topics: ReadonlyArray<string>,
    private readonly hearing: Hearing
  ) {
    this.timer = setInterval(() => void this.commit(), commitEveryMs)
    this.attending = this.attend()
  }

  private async attend(): Promise<void> {
    while (!this.closed) {
      const consumer = this.member()
      try {
        const crashed = new Promise<string>((resolve) => {
          consumer.on(consumer.events.CRASH, ({ payload }) => {
            if (!payload.restart) resolve(payload.error.message)
          })
        })
        await consumer.connect()
        await consumer.subscribe({ topics: [...this.topics], fromBeginning: true })
        await this.run(consumer)
        // Closed while it was joining: then nobody listens, and a silent member would keep its partitions from others.
        if (!this.closed) {
          this.consumer = consumer
          this.tell(consumer)
          const why = await Promise.race([crashed, this.farewell.promise])
          if (why !== null) this.hearing.failed(why)
        }
      } catch (cause) {
        if (!this.closed) this.hearing.failed(cause instanceof Error ? cause.message : String(cause))
      }
      this.consumer = null
      await consumer.disconnect().catch(() => undefined)
      if (!this.closed) await Bun.sleep(againMs)
    }
  }

  private member(): Consumer {
    const consumer = this.kafka.consumer({
      groupId: this.group,
      sessionTimeout: sessionMs,
      heartbeatInterval: heartbeatMs,
      maxWaitTimeInMs: fetchMs,
      allowAutoTopicCreation: false
    })
    consumer.on(consumer.events.GROUP_JOIN, () => {
      this.progress = new Map()
      this.hearing.dealt()
      this.tell(consumer)
    })
    return consumer
  }

  private run(consumer: Consumer): Promise<void> {
    return consumer.run({
      autoCommit: false,
      partitionsConsumedConcurrently: 8,
      eachBatch: async ({ batch: { topic, partition, messages }, isStale }) => {
        if (isStale()) return
        const name = `${topic}:${partition}`
        const progress = this.progress.get(name) ?? new Progress()
        this.progress.set(name, progress)
        this.hearing.arrived(
          messages.map((message) => {
            progress.came(message.offset)
            return {
              topic,
              message,
              place: `${partition}:${message.offset}`,
              done: () => progress.done(message.offset)
            }
          })
        )
      }
    })
  }

  private async commit(): Promise<void> {
    const { consumer } = this
    if (consumer === null) return
    const moved = [...this.progress].flatMap(([name, progress]) => {
      const offset = progress.moved()
      const cut = name.lastIndexOf(":")
      return offset === null ? [] : [{ topic: name.slice(0, cut), partition: Number(name.slice(cut + 1)), offset }]
    })
    // An offset that is not committed costs a second delivery, which takes nothing.
    if (moved.length > 0) await consumer.commitOffsets(moved).catch(() => undefined)
  }

  /** Back-pressure: nothing more is fetched, the membership is kept. */
  pause(): void {
    this.paused = true
    this.tell(this.consumer)
  }

  resume(): void {
    if (!this.paused) return
    this.paused = false
    this.tell(this.consumer)
  }

  /** A member that lost its broker takes no orders until it has joined again; then it is told anew. */
  private tell(consumer: Consumer | null): void {
    const all = this.topics.map((topic) => ({ topic }))
    try {
      if (this.paused) consumer?.pause(all)
      else consumer?.resume(all)
    } catch {
      // Said again at the next join.
    }
  }

  /** Leaves the group at once, so that its partitions go to others without a wait. */
  async close(): Promise<void> {
    this.closed = true
    clearInterval(this.timer)
    await this.commit()
    this.farewell.resolve(null)
    await this.attending
  }
}
