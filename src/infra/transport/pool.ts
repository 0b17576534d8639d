import { Connection, type Destination } from "./connection.ts"
import { Exchange } from "./exchange.ts"
import type { Method } from "./head.ts"

/** Connections kept for another exchange, all hosts together. */
const IDLE_MAX = 256

/** Without TLS too a connection is one name's: what stands in front of many may have chosen whom to ask by the first request. */
const keyOf = ({ address, port, name, tls }: Destination): string => `${address} ${port} ${name} ${tls?.verify}`

/** Connections at rest, by where they lead. */
export class Pool {
  /** The key used last stands last. */
  readonly #resting = new Map<string, Array<Connection>>()
  #count = 0

  /**
   * An exchange over a connection at rest, or over a new one. A server closes resting connections when it likes, perhaps while a
   * request is on its way to it: `fresh` asks for a new one.
   */
  exchange(to: Destination, method: Method, fresh: boolean): { readonly exchange: Exchange; readonly reused: boolean } {
    const rested = fresh ? null : this.#take(keyOf(to))
    const exchange = new Exchange(rested ?? new Connection(to), method, (connection) => this.#put(connection))
    return { exchange, reused: rested !== null }
  }

  close(): void {
    for (const connection of [...this.#resting.values()].flat()) connection.close()
    this.#resting.clear()
    this.#count = 0
  }

  #take(key: string): Connection | null {
    const there = this.#resting.get(key) ?? []
    let found: Connection | null = null
    while (found === null && there.length > 0) {
      const last = there.pop()
      this.#count -= 1
      if (last?.closed === false) found = last
    }
    if (there.length === 0) this.#resting.delete(key)
    return found
  }

  #put(connection: Connection): void {
    connection.rest()
    const key = keyOf(connection.to)
    const there = this.#resting.get(key) ?? []
    there.push(connection)
    this.#resting.delete(key)
    this.#resting.set(key, there)
    this.#count += 1
    if (this.#count > IDLE_MAX) this.#drop()
  }

  /** Lets go of the one that rested longest, as near as the order of keys tells. */
  #drop(): void {
    const [oldest] = this.#resting
    if (oldest === undefined) return
    const [key, there] = oldest
    there.shift()?.close()
    this.#count -= 1
    if (there.length === 0) this.#resting.delete(key)
  }
}
