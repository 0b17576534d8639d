/** The messages of one partition, in the order they came: how far all of them are done. */
export class Progress {
  /** A set keeps the order of insertion, and offsets only rise: its first member is the lowest. */
  private readonly open = new Set<string>()
  private next: bigint | null = null
  private committed: bigint | null = null

  came(offset: string): void {
    this.open.add(offset)
    this.next = BigInt(offset) + 1n
  }

  done(offset: string): void {
    this.open.delete(offset)
  }

  /** What to commit: the first offset that is not done, once it has moved. Messages done out of order wait for the gap. */
  moved(): string | null {
    const [first] = this.open
    const position = first === undefined ? this.next : BigInt(first)
    if (position === null || (this.committed !== null && position <= this.committed)) return null
    this.committed = position
    return String(position)
  }
}
