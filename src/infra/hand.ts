import { Clock, Duration, Effect, Latch } from "effect"

/**
 * A claim costs the store about the same for one message as for a hundred, so a consumer that has work in hand asks for more when
 * half of it is over, or after so long.
 */
const gatherMs = 500
const inHand = 0.5

/** What a consumer has in hand (`out`), and when more is worth asking for. */
export class Hand {
  /** Opens when so few messages are out that more are asked for. */
  private readonly room = Latch.makeUnsafe(false)
  private few = 0
  private filledAt = Number.NEGATIVE_INFINITY

  constructor(private readonly out: ReadonlyMap<string, unknown>) {}

  /** What was claimed is out. */
  readonly filled = Effect.gen({ self: this }, function* () {
    this.few = Math.floor(this.out.size * inHand)
    this.filledAt = yield* Clock.currentTimeMillis
    yield* this.room.close
  })

  /** A delivery is over. */
  eased(): void {
    if (this.out.size <= this.few) this.letGo()
  }

  /** Nobody waits any more. */
  letGo(): void {
    this.room.openUnsafe()
  }

  /** Waits until a claim is worth its cost. */
  readonly gather = Effect.gen({ self: this }, function* () {
    const left = this.filledAt + gatherMs - (yield* Clock.currentTimeMillis)
    if (left > 0 && this.out.size > this.few)
      yield* Effect.raceFirst(this.room.await, Effect.sleep(Duration.millis(left)))
  })
}
