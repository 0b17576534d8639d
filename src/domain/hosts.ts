import { createHash } from "node:crypto"
import type { Millis } from "./crawl.ts"
import type { Fault } from "./fault.ts"
import type { Slot } from "./ports.ts"
import { RETRY_AFTER_MAX_MS } from "./retryafter.ts"

/** The manners that hold for every host. Times in ms. */
export interface Manners {
  /** Requests in flight to one host. */
  readonly perHost: number
  /** Least time from a request to one host to the next. */
  readonly delay: number
  /** Life of a slot that nobody releases (its fiber or process died). */
  readonly slotLife: number
  /** Failures in a row that open the breaker; those of one page are one. */
  readonly failures: number
  /** First open time of the breaker; doubled per failed probe up to `BREAKER_OPEN_MAX_MS`. */
  readonly open: number
}

/** Longest open time of a breaker (ms): a host that comes back is noticed within the hour. */
export const BREAKER_OPEN_MAX_MS = 3_600_000
/** Longest gap a host may ask for (ms); the same bound as the setting FETCH_DELAY has. */
export const DELAY_MAX_MS = 3_600_000
/** When to look again (ms) for a slot that another request holds: its end cannot be known beforehand. */
export const LOOK_AGAIN_MS = 50
/**
 * When to look again (ms) while a half-open breaker's probe is out, at the soonest: as long as it has been out already, since who
 * has not answered yet may take long. So a whole backlog looks a few times, not each second.
 */
export const PROBE_AGAIN_MS = 1000

/** How long (ms) a page that failed leaves a half-open breaker's probe to others. */
export const PROBE_YIELD_MS = 10_000

interface Held {
  readonly token: string
  readonly expires: Millis
}

/** What is known of one host. A value: every step answers with the next one. */
export interface HostState {
  /** When a request of ours last began or ended: before an answer nobody knows that the request has reached its host. */
  readonly latest: Millis
  /** The gap the host asked for (ms), 0 when it asked for none. */
  readonly asked: number
  readonly held: ReadonlyArray<Held>
  readonly pausedUntil: Millis
  /** Failures in a row: each of the host itself, and one of each page. */
  readonly failures: number
  /** The pages among them, by their keys, the latest last; as many as open the breaker are enough to know. */
  readonly pages: ReadonlyArray<string>
  /** 0 while the breaker is closed, else how long it was opened for the last time. */
  readonly openFor: number
  readonly openUntil: Millis
}

/** A host never dialled. `latest`: count it as dialled then, so that gaps hold across a crash of the process. */
export const unseen = (latest: Millis = Number.NEGATIVE_INFINITY): HostState => ({
  latest,
  asked: 0,
  held: [],
  pausedUntil: Number.NEGATIVE_INFINITY,
  failures: 0,
  pages: [],
  openFor: 0,
  openUntil: Number.NEGATIVE_INFINITY
})

const pageKey = (page: string): string => createHash("sha1").update(page).digest("hex").slice(0, 16)

/** Until when an open breaker keeps this page waiting: one that failed itself longer, so that another is the probe if there is any. */
const shutFor = ({ openFor, openUntil, pages }: HostState, page: string | undefined): Millis => {
  if (openFor === 0) return Number.NEGATIVE_INFINITY
  const failed = page !== undefined && pages.length > 0 && pages.includes(pageKey(page))
  return failed ? openUntil + Math.min(openFor, PROBE_YIELD_MS) : openUntil
}

/** The gap in force (ms): the strictest of the setting and what the host asked for. */
export const gap = (state: HostState, manners: Manners): number => Math.max(manners.delay, state.asked)

type Wait = Extract<Slot, { readonly tag: "wait" }>
const wait = (until: Millis, reason: Wait["reason"]): Wait => ({ tag: "wait", until, reason })

const live = (state: HostState, now: Millis): ReadonlyArray<Held> =>
  state.held.length === 0 ? state.held : state.held.filter((it) => it.expires > now)

const hindrance = (
  state: HostState,
  held: ReadonlyArray<Held>,
  manners: Manners,
  now: Millis,
  page: string | undefined
): Wait | null => {
  if (now < state.pausedUntil) return wait(state.pausedUntil, "retry_after")
  const open = shutFor(state, page)
  if (now < open) return wait(open, "breaker")
  const ready = state.latest + gap(state, manners)
  const free = held.reduce((least, it) => Math.min(least, it.expires), Number.POSITIVE_INFINITY)
  // An open breaker whose time has passed lets one probe out; its outcome decides.
  if (state.openFor > 0 && held.length > 0) {
    const later = now + Math.max(PROBE_AGAIN_MS, now - state.latest)
    return wait(Math.min(free, Math.max(ready, later)), "breaker")
  }
  if (held.length >= manners.perHost) return wait(Math.min(free, Math.max(ready, now + LOOK_AGAIN_MS)), "in_flight")
  return now < ready ? wait(ready, "delay") : null
}

/**
 * Asks for a slot: grants it under `token`, or says until when to wait and why. A request starts at least the gap after the latest
 * start or end of another, and never more than `perHost` are out. The end counts because a busy machine or a slow connection may
 * bring a request to its host late: the host would see less than the gap between two that left with it.
 * @source DESIGN "Host fairness", REQUIREMENTS "Breaker"
 */
export const acquire = (
  state: HostState,
  manners: Manners,
  now: Millis,
  token: string,
  page?: string
): { readonly slot: Slot; readonly state: HostState } => {
  const held = live(state, now)
  const hindered = hindrance(state, held, manners, now, page)
  if (hindered !== null)
    return { slot: hindered, state: held.length === state.held.length ? state : { ...state, held } }
  const taken = { ...state, latest: now, held: [...held, { token, expires: now + manners.slotLife }] }
  return { slot: { tag: "granted", token }, state: taken }
}

/** The end of a request. */
export interface Ended {
  readonly fault: Fault
  /** What was asked for, as it was named when the slot was. */
  readonly page?: string
  /** A Retry-After instant; at most a day ahead is believed. */
  readonly pause_until: Millis | null
}

/**
 * What an end says of the host. A page that failed before says nothing new: it counts no more, and as a probe it opens the breaker
 * again for no longer than before.
 */
const judged = (state: HostState, manners: Manners, now: Millis, { fault, page = "" }: Ended): HostState => {
  if (fault === "unknown") return state
  if (fault === "none") return { ...state, failures: 0, pages: [], openFor: 0, openUntil: Number.NEGATIVE_INFINITY }
  const key = fault === "page" ? pageKey(page) : null
  const again = key !== null && state.pages.includes(key)
  const pages = key === null || again ? state.pages : [...state.pages, key].slice(-manners.failures)
  const counted = { ...state, pages, failures: state.failures + (again ? 0 : 1) }
  // A failure that began before the breaker opened tells nothing new.
  if (counted.failures < manners.failures || (state.openFor > 0 && now < state.openUntil)) return counted
  const longer = again ? state.openFor : state.openFor * 2
  const openFor = state.openFor > 0 ? Math.min(longer, BREAKER_OPEN_MAX_MS) : manners.open
  return { ...counted, openFor, openUntil: now + openFor }
}

/** Gives a slot back. A token no longer held (expired, or released before) judges nothing, but its pause is kept. */
export const release = (state: HostState, manners: Manners, now: Millis, token: string, ended: Ended): HostState => {
  const pausedUntil =
    ended.pause_until === null
      ? state.pausedUntil
      : Math.max(state.pausedUntil, Math.min(ended.pause_until, now + RETRY_AFTER_MAX_MS))
  const held = state.held.filter((it) => it.token !== token)
  const freed = { ...state, held, pausedUntil }
  return held.length === state.held.length ? freed : judged({ ...freed, latest: now }, manners, now, ended)
}

/** Remembers a gap the host asked for; the strictest ever asked holds. What is no time is no wish. */
export const ask = (state: HostState, delay: number): HostState =>
  delay > state.asked && state.asked < DELAY_MAX_MS ? { ...state, asked: Math.min(delay, DELAY_MAX_MS) } : state

/** What outlived the process that knew the host. Instants; 0 is none. */
export interface Promised {
  readonly paused_until: Millis
  readonly breaker_open_until: Millis
  readonly delay_ms: number
}

/** A host as one whose memory was lost must be treated: its promises stand, an open breaker begins anew at its first length. */
export const restored = (state: HostState, manners: Manners, promised: Promised): HostState => ({
  ...ask(state, promised.delay_ms),
  pausedUntil: Math.max(state.pausedUntil, promised.paused_until),
  ...(promised.breaker_open_until > state.openUntil
    ? { failures: manners.failures, openFor: manners.open, openUntil: promised.breaker_open_until }
    : {})
})

/** May the host be forgotten now without breaking a promise to it? */
export const idle = (state: HostState, manners: Manners, now: Millis): boolean =>
  live(state, now).length === 0 &&
  now >= state.latest + gap(state, manners) &&
  now >= state.pausedUntil &&
  (state.openFor === 0 || now >= state.openUntil)
