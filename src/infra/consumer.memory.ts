import { Latch } from "effect"
import type { Subscription } from "../domain/ports.ts"
import type { Topic } from "../domain/topics.ts"
import { Line } from "./heap.ts"
import type { Holder, Lane, Message, Messages } from "./messages.memory.ts"

interface Share {
  readonly topic: Topic
  readonly weight: number
  /** Lanes that may have something, in turn: keys of one topic are served round robin. */
  readonly line: Line<Lane>
  out: number
  /** Virtual finish time: decides between topics that have equally little out. */
  finish: number
}

/**
 * One consumer's view of the messages: which key's turn it is, and which topic's. The topic with the least out per
 * weight goes first, so shares are kept when all are busy and lent when some are idle. No step looks at all messages.
 */
export class Consumer implements Holder {
  readonly topics: ReadonlySet<Topic>
  readonly wake = Latch.makeUnsafe(false)
  readonly out = new Set<Message>()
  stopped = false
  private readonly shares: ReadonlyArray<Share>
  private readonly byTopic: ReadonlyMap<Topic, Share>
  private readonly lined = new Set<Lane>()
  private readonly outByKey = new Map<string, number>()
  /** Lanes set aside because their key has as many out as it may. */
  private readonly waiting = new Map<string, Array<Lane>>()
  private virtual = 0

  constructor(
    private readonly messages: Messages,
    private readonly subscription: Subscription
  ) {
    this.shares = subscription.topics.map((it) => ({ ...it, line: new Line<Lane>(), out: 0, finish: 0 }))
    this.byTopic = new Map(this.shares.map((it) => [it.topic, it]))
    this.topics = new Set(this.byTopic.keys())
    for (const topic of this.topics) for (const lane of messages.lanes.get(topic)?.values() ?? []) this.arrived(lane)
  }

  readonly changed = (): void => {
    this.wake.openUnsafe()
  }

  readonly halt = (): void => {
    this.stopped = true
    this.wake.openUnsafe()
  }

  readonly arrived = (lane: Lane): void => {
    if (this.lined.has(lane)) return
    this.lined.add(lane)
    this.byTopic.get(lane.topic)?.line.push(lane)
  }

  readonly lost = (message: Message): void => {
    if (!this.out.delete(message)) return
    const share = this.byTopic.get(message.topic)
    if (share !== undefined) share.out -= 1
    const left = (this.outByKey.get(message.key) ?? 1) - 1
    if (left > 0) this.outByKey.set(message.key, left)
    else this.outByKey.delete(message.key)
    const lanes = this.waiting.get(message.key) ?? []
    this.waiting.delete(message.key)
    for (const lane of lanes) this.byTopic.get(lane.topic)?.line.push(lane)
  }

  /** The next message in all fairness, leased to this consumer. */
  claim(): Message | undefined {
    if (this.out.size >= this.subscription.limit) return undefined
    let best: { readonly share: Share; readonly lane: Lane } | undefined
    for (const share of this.shares) {
      const lane = this.head(share)
      if (lane !== undefined && (best === undefined || this.before(share, best.share))) best = { share, lane }
    }
    return best === undefined ? undefined : this.take(best.share, best.lane)
  }

  private take(share: Share, lane: Lane): Message | undefined {
    share.line.shift()
    this.lined.delete(lane)
    const message = this.messages.take(lane, this)
    if (message === undefined) return undefined
    if (lane.ready.size > 0) this.arrived(lane)
    this.out.add(message)
    this.outByKey.set(lane.key, (this.outByKey.get(lane.key) ?? 0) + 1)
    share.out += 1
    this.virtual = Math.max(this.virtual, share.finish)
    share.finish = this.virtual + 1 / share.weight
    return message
  }

  private before(left: Share, right: Share): boolean {
    const [one, other] = [left.out / left.weight, right.out / right.weight]
    return one < other || (one === other && this.start(left) < this.start(right))
  }

  /** A topic that was idle does not save up turns. */
  private start(share: Share): number {
    return Math.max(this.virtual, share.finish)
  }

  /** The first lane that may be served; spent lanes are dropped and full keys set aside on the way. */
  private head({ line }: Share): Lane | undefined {
    for (let lane = line.peek(); lane !== undefined; lane = line.peek()) {
      const full = (this.outByKey.get(lane.key) ?? 0) >= this.subscription.perKey
      if (lane.ready.size > 0 && !full) return lane
      line.shift()
      if (lane.ready.size === 0) this.lined.delete(lane)
      else this.waiting.set(lane.key, [...(this.waiting.get(lane.key) ?? []), lane])
    }
    return undefined
  }
}
