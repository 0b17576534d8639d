/** The access log: the oracle of every test and proof, so it is written by the server and by nobody else. */

export interface Entry {
  /** Milliseconds since 1970, with fractions: when the request's head was complete. */
  readonly start: number
  /** When the last byte was handed to the kernel or the peer had gone; null while it is being answered. */
  readonly end: number | null
  readonly host: string
  /** Path with its query, as sent. */
  readonly path: string
  /** What was answered; 0 for a connection that was broken on purpose. */
  readonly status: number
  /** Body bytes that went out, as sent on the wire. */
  readonly bytes: number
  readonly agent: string
}

export interface HostStats {
  readonly requests: number
  readonly maxInFlight: number
  /** Least time from one request's start to the next one's, in ms; null with fewer than two. */
  readonly minGapMs: number | null
  /** Pages answered 200 more than once, tracking parameters aside. */
  readonly repeats: number
  /** Requests for what robots.txt forbids. */
  readonly violations: number
}

export interface Stats extends HostStats {
  readonly byStatus: Readonly<Record<string, number>>
  readonly articles: number
  readonly bytes: number
  /** First start to last end. */
  readonly seconds: number
  readonly hosts: Readonly<Record<string, HostStats>>
  /** Entries that no longer fit. */
  readonly dropped: number
}

/** A day's soak at ten requests a second fits. */
const ENTRIES_MAX = 1_000_000

const now = () => performance.timeOrigin + performance.now()
export const isArticle = (path: string): boolean => /^\/(news|article|mnews\/article)\//.test(path)
const forbidden = (path: string) => path.startsWith("/private/") || path.startsWith("/search")
/** The page behind a link: its path, and the query only where it selects the page. */
const page = ({ path }: Entry) => (path.startsWith("/breakingnews/") ? path : path.replace(/[?#].*$/, ""))

const maxInFlight = (entries: readonly Entry[]): number => {
  const moments = entries
    .flatMap(({ end, start }) => [
      { at: start, change: 1 },
      { at: end ?? Number.POSITIVE_INFINITY, change: -1 }
    ])
    // An end at the instant of a start comes first: they did not overlap.
    .sort((a, b) => a.at - b.at || a.change - b.change)
  let flying = 0
  return moments.reduce((most, { change }) => {
    flying += change
    return Math.max(most, flying)
  }, 0)
}

const minGap = (entries: readonly Entry[]): number | null => {
  const starts = entries.map(({ start }) => start).sort((a, b) => a - b)
  const gaps = starts.slice(1).map((it, at) => it - (starts[at] ?? 0))
  return gaps.length === 0 ? null : gaps.reduce((least, it) => Math.min(least, it))
}

const statsOf = (entries: readonly Entry[]): HostStats => {
  const answered = entries.filter(({ status }) => status === 200).map(page)
  return {
    requests: entries.length,
    maxInFlight: maxInFlight(entries),
    minGapMs: minGap(entries),
    repeats: answered.length - new Set(answered).size,
    violations: entries.filter(({ path }) => forbidden(path)).length
  }
}

const grouped = <T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> => {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const known = groups.get(key(item))
    if (known === undefined) groups.set(key(item), [item])
    else known.push(item)
  }
  return groups
}

const most = (values: readonly number[]) => values.reduce((high, it) => Math.max(high, it), 0)
const sum = (values: readonly number[]) => values.reduce((total, it) => total + it, 0)

/** Figures over all hosts are the worst host's (in flight, gap) or sums (the rest). */
export const summarise = (entries: readonly Entry[], dropped: number): Stats => {
  const hosts = Object.fromEntries([...grouped(entries, ({ host }) => host)].map(([name, it]) => [name, statsOf(it)]))
  const each = Object.values(hosts)
  const gaps = each.flatMap(({ minGapMs }) => (minGapMs === null ? [] : [minGapMs]))
  const first = entries.reduce((least, { start }) => Math.min(least, start), Number.POSITIVE_INFINITY)
  const last = most(entries.map(({ end, start }) => end ?? start))
  return {
    requests: entries.length,
    maxInFlight: most(each.map((it) => it.maxInFlight)),
    minGapMs: gaps.length === 0 ? null : gaps.reduce((least, it) => Math.min(least, it)),
    repeats: sum(each.map((it) => it.repeats)),
    violations: sum(each.map((it) => it.violations)),
    byStatus: Object.fromEntries([...grouped(entries, ({ status }) => String(status))].map(([k, v]) => [k, v.length])),
    articles: entries.filter(({ path, status }) => status === 200 && isArticle(path)).length,
    bytes: sum(entries.map(({ bytes }) => bytes)),
    seconds: entries.length === 0 ? 0 : (last - first) / 1000,
    hosts,
    dropped
  }
}

export interface Log {
  readonly arrived: (host: string, path: string, agent: string) => (status: number, bytes: number) => void
  readonly entries: () => readonly Entry[]
  readonly stats: () => Stats
  readonly reset: () => void
}

export const makeLog = (): Log => {
  let entries: Entry[] = []
  let dropped = 0
  return {
    arrived: (host, path, agent) => {
      const place = entries.length
      const kept = entries
      const entry: Entry = { start: now(), end: null, host, path, status: 0, bytes: 0, agent }
      if (place >= ENTRIES_MAX) dropped++
      else entries.push(entry)
      return (status, bytes) => {
        if (place < ENTRIES_MAX) kept[place] = { ...entry, end: now(), status, bytes }
      }
    },
    entries: () => entries,
    stats: () => summarise(entries, dropped),
    reset: () => {
      entries = []
      dropped = 0
    }
  }
}
