import { Effect, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Bus, type Delivery, type Subscription } from "../../src/domain/ports.ts"
import { type CrawlTopic, crawlTopics, crawlWeights } from "../../src/domain/topics.ts"
import { layer, MemoryBus } from "../../src/infra/bus.memory.ts"
import { message } from "../support/conformance/consumer.ts"
import { law } from "../support/law.ts"

/** What may happen to a bus, by letter; the number picks among what there is. */
const Step = Schema.Struct({
  act: Schema.Literals([
    "publish",
    "publish",
    "later",
    "take",
    "take",
    "settle",
    "settle",
    "chain",
    "release",
    "crash",
    "pass"
  ]),
  pick: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 11 }))
})
type Step = typeof Step.Type

const asked: Subscription = {
  topics: crawlTopics.map((topic) => ({ topic, weight: crawlWeights[topic] })),
  limit: 6,
  perKey: 2,
  untilDrained: false
}

/** One story of a bus: what was sent, what is out, and what was settled by whoever held it then. */
class Story {
  readonly sent = new Set<string>()
  readonly settled: Array<string> = []
  out: Array<Delivery> = []
  private made = 0

  fresh(pick: number, not_before: number) {
    const topic: CrawlTopic = crawlTopics[pick % crawlTopics.length] ?? "crawl.low"
    const made = message(`m${this.made++}`, { topic, key: `k${pick % 3}`, not_before })
    this.sent.add(made.id)
    return made
  }

  /** No key has more out than it may, nor the consumer. */
  get bounded(): boolean {
    const keys = this.out.map((it) => it.envelope.key)
    return keys.length <= asked.limit && keys.every((key) => keys.filter((it) => it === key).length <= asked.perKey)
  }
}

const play = Effect.fnUntraced(function* (story: Story, pull: Effect.Effect<void>, { act, pick }: Step) {
  const bus = yield* Bus
  const chosen = story.out[pick % Math.max(1, story.out.length)]
  const drop = () => {
    story.out = story.out.filter((it) => it !== chosen)
  }
  switch (act) {
    case "publish":
      return yield* bus.publish([story.fresh(pick, 0)])
    case "later":
      return yield* bus.publish([story.fresh(pick, pick * 100)])
    case "take":
      return yield* pull
    case "settle":
    case "chain": {
      if (chosen === undefined) return
      const publish = act === "chain" ? [story.fresh(pick, 0)] : []
      yield* bus.settle([{ receipt: chosen.receipt, publish, dead: [] }])
      story.settled.push(chosen.envelope.id)
      return drop()
    }
    case "release":
      if (chosen !== undefined) yield* bus.release([chosen.receipt])
      return drop()
    case "crash":
      yield* (yield* MemoryBus).crash
      story.out = []
      return
    case "pass":
      return yield* TestClock.adjust(pick * 50)
  }
})

/** Every message sent is settled once, or dead, or still held; nothing else is, and no bound is passed on the way. */
const holds = (steps: ReadonlyArray<Step>) =>
  Effect.gen(function* () {
    const bus = yield* Bus
    const story = new Story()
    const next = yield* Stream.toPull(bus.consume(asked, Effect.never))
    const pull = next.pipe(
      Effect.map((taken) => {
        story.out.push(...taken)
      }),
      // An empty bus has nothing to give now: the look is given up, as virtual time stands still.
      Effect.raceFirst(Effect.yieldNow.pipe(Effect.repeat({ times: 5 }), Effect.asVoid)),
      Effect.ignore
    )
    let bounded = true
    for (const step of steps) {
      yield* play(story, pull, step)
      bounded = bounded && story.bounded
    }
    const memory = yield* MemoryBus
    const held = (yield* memory.messages).map((it) => it.id)
    const dead = (yield* memory.deadLetters).map((it) => it.id.replace("~bus", ""))
    const all = [...held, ...dead, ...story.settled]
    const counted = (yield* bus.backlog).reduce((sum, it) => sum + it.ready + it.later + it.leased, 0)
    return (
      bounded &&
      counted === held.length &&
      all.length === story.sent.size &&
      new Set(all).size === all.length &&
      all.every((id) => story.sent.has(id))
    )
  }).pipe(Effect.scoped, Effect.provide([layer(), TestClock.layer()]))

law(
  "nothing is lost, nothing is doubled and no bound is passed, whatever happens in whatever order",
  Schema.Array(Step),
  holds,
  {
    runs: 300,
    size: 120
  }
)
