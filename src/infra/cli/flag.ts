import { durationMs } from "../setting.ts"

/** One flag of a command: how its text becomes a value, and what it is when it is not given. */
export interface Flag<A> {
  /** The value's name in help texts; null for a flag that takes none. */
  readonly hint: string | null
  /** The form expected, in words: part of every complaint. */
  readonly form: string
  readonly help: string
  readonly standard: A
  /** undefined: the text does not have the form. */
  readonly parse: (text: string) => A | undefined
}
export type Flags = Readonly<Record<string, Flag<unknown>>>
export type Values<F extends Flags> = { readonly [K in keyof F]: F[K] extends Flag<infer A> ? A : never }

/** On when it is given. */
export const toggle = (help: string): Flag<boolean> => ({
  hint: null,
  form: "no value",
  help,
  standard: false,
  parse: () => undefined
})

const valued = <A>(
  hint: string,
  form: string,
  help: string,
  parse: (text: string) => A | undefined
): Flag<A | null> => ({
  hint,
  form,
  help,
  standard: null,
  parse
})

/** Any text that is not empty. */
export const word = (hint: string, help: string): Flag<string | null> =>
  valued(hint, "a text that is not empty", help, (it) => (it === "" ? undefined : it))

/** A whole number in a range. */
export const whole = (hint: string, min: number, max: number, help: string): Flag<number | null> =>
  valued(hint, `a whole number from ${min} to ${max}`, help, (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
    return value >= min && value <= max ? value : undefined
  })

/** Milliseconds: a time with its unit. A bare number is taken where the flag's hint says its unit (`bare`). */
export const millis = (hint: string, min: string, max: string, help: string, bare = false): Flag<number | null> => {
  const least = durationMs(min) ?? 0
  const most = durationMs(max) ?? Number.POSITIVE_INFINITY
  const form = `a time (250ms, 20s, 5m, 1h${bare ? ", or a plain number of milliseconds" : ""}) from ${min} to ${max}`
  return valued(hint, form, help, (text) => {
    const value = durationMs(bare && /^\d+$/.test(text) ? `${text}ms` : text) ?? Number.NaN
    return value >= least && value <= most ? value : undefined
  })
}

/** One of a closed set. */
export const choice = <const A extends ReadonlyArray<string>>(of: A, help: string): Flag<A[number] | null> =>
  valued<A[number]>(of.join("|"), `one of ${of.join(", ")}`, help, (text) => of.find((it) => it === text))

/** How far back, or since when. */
export type Since = { readonly ago: number } | { readonly at: number }
/** A calendar day that exists: `Date` rolls 30 February over (bad input B100). */
const realDay = (text: string): boolean => {
  const day = text.slice(0, 10)
  const at = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().slice(0, 10) === day
}
/** An instant (ISO 8601; a date alone is UTC midnight) or a time back from now (`24h`). */
export const since = (help: string): Flag<Since | null> =>
  valued<Since>("TIME", "a date (2026-11-30), an instant (2026-11-30T09:00:00Z) or a time back (24h)", help, (text) => {
    const ago = durationMs(text)
    if (ago !== undefined) return { ago }
    const written = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text)
    const at = written && realDay(text) ? Date.parse(text) : Number.NaN
    return Number.isNaN(at) ? undefined : { at }
  })

/** One stage to run and its parallelism. */
export interface StageChoice {
  readonly name: string
  /** null: the stage's own default. */
  readonly parallelism: number | null
}
/** Worker threads or subscriptions of one stage: more than this is a typing error on any machine we know. */
const PARALLELISM_MAX = 64
/** `fetcher,parser:2`; the names themselves are checked by the parser, which is told them. */
export const stages = (help: string): Flag<ReadonlyArray<StageChoice> | null> =>
  valued("a,b:2", `stage names between commas, each with :1 to :${PARALLELISM_MAX} if wanted`, help, (text) => {
    const parts = text.split(",").map((it) => /^([a-z_-]+)(?::([1-9]\d?))?$/i.exec(it.trim()))
    const chosen = parts.flatMap((it) =>
      it?.[1] === undefined || Number(it[2] ?? 1) > PARALLELISM_MAX
        ? []
        : [{ name: it[1], parallelism: it[2] === undefined ? null : Number(it[2]) }]
    )
    const distinct = new Set(chosen.map((it) => it.name))
    return chosen.length === parts.length && distinct.size === parts.length ? chosen : undefined
  })
