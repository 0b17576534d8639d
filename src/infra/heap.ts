/** A binary heap: the least item first by `before`. Push and pop cost O(log n). */
export class Heap<A> {
  private readonly items: Array<A> = []
  constructor(private readonly before: (left: A, right: A) => boolean) {}

  get size(): number {
    return this.items.length
  }

  peek(): A | undefined {
    return this.items[0]
  }

  push(item: A): void {
    const { items } = this
    let at = items.push(item) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = items[parent]
      if (above === undefined || !this.before(item, above)) break
      items[at] = above
      at = parent
    }
    items[at] = item
  }

  pop(): A | undefined {
    const { items } = this
    const first = items[0]
    const last = items.pop()
    if (last !== undefined && items.length > 0) this.sink(last)
    return first
  }

  clear(): void {
    this.items.length = 0
  }

  private sink(item: A): void {
    const { items } = this
    let at = 0
    for (;;) {
      const left = 2 * at + 1
      const lesser = this.lesser(left, left + 1)
      const child = items[lesser]
      if (child === undefined || !this.before(child, item)) break
      items[at] = child
      at = lesser
    }
    items[at] = item
  }

  private lesser(left: number, right: number): number {
    const { items } = this
    const one = items[left]
    const other = items[right]
    return one !== undefined && other !== undefined && this.before(other, one) ? right : left
  }
}

/** First in, first out. Taking is O(1): the spent half is cut off now and then. */
export class Line<A> {
  private items: Array<A> = []
  private head = 0

  push(item: A): void {
    this.items.push(item)
  }

  peek(): A | undefined {
    return this.items[this.head]
  }

  shift(): A | undefined {
    const item = this.items[this.head]
    if (this.head < this.items.length) this.head += 1
    if (this.head > 1024 && this.head * 2 > this.items.length) {
      this.items = this.items.slice(this.head)
      this.head = 0
    }
    return item
  }
}
