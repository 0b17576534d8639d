import { Duration, Result } from "effect"

/** One setting: how its text becomes a value, what it defaults to, and why. The table in `config.ts` is made of these. */
export interface Setting<A> {
  readonly parse: (text: string) => Result.Result<A, string>
  readonly standard: A
  /** The default as it would be written. */
  readonly written: string
  /** The form expected, in words: part of every complaint. */
  readonly form: string
  readonly why: string
  readonly secret: boolean
}

const make = <A>(
  written: string,
  standard: A,
  form: string,
  why: string,
  parse: (text: string) => A | undefined,
  secret = false
): Setting<A> => ({
  standard,
  written,
  form,
  why,
  secret,
  parse: (text) => {
    const value = parse(text.trim())
    return value === undefined ? Result.fail(form) : Result.succeed(value)
  }
})

export interface Range {
  readonly min: number
  readonly max: number
}
const inside = (value: number, { min, max }: Range) => (value >= min && value <= max ? value : undefined)

/** A whole number; `unit` is part of its name or said in `why`. */
export const whole = (standard: number, range: Range, why: string): Setting<number> =>
  make(String(standard), standard, `a whole number from ${range.min} to ${range.max}`, why, (text) =>
    /^-?\d{1,15}$/.test(text) ? inside(Number(text), range) : undefined
  )

/** A number with an optional fraction. */
export const decimal = (standard: number, range: Range, why: string): Setting<number> =>
  make(String(standard), standard, `a number from ${range.min} to ${range.max}`, why, (text) =>
    /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? inside(Number(text), range) : undefined
  )

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Milliseconds in a text with a unit, undefined without one: a bare number is refused, since it hides its unit.
 * @example durationMs("250ms") // => 250
 */
export const durationMs = (text: string): number | undefined => {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text)
  const factor = units[match?.[2] ?? ""]
  return match === null || factor === undefined ? undefined : Number(match[1]) * factor
}

/** A time with its unit: `250ms`, `20s`, `5m`, `1h`, `7d`. */
export const duration = (
  written: string,
  range: { readonly min: string; readonly max: string },
  why: string
): Setting<Duration.Duration> => {
  const bound = { min: durationMs(range.min) ?? 0, max: durationMs(range.max) ?? Number.POSITIVE_INFINITY }
  const form = `a time with a unit (250ms, 20s, 5m, 1h) from ${range.min} to ${range.max}`
  return make(written, Duration.millis(durationMs(written) ?? 0), form, why, (text) => {
    const value = inside(durationMs(text) ?? Number.NaN, bound)
    return value === undefined ? undefined : Duration.millis(value)
  })
}

/** Times with a unit between commas, or `off` for none. */
export const durations = (written: string, why: string): Setting<ReadonlyArray<Duration.Duration>> => {
  const parse = (it: string) => {
    const all = it === "off" ? [] : it.split(",").map((part) => durationMs(part.trim()))
    return all.includes(undefined) ? undefined : all.map((ms) => Duration.millis(ms ?? 0))
  }
  return make(written, parse(written) ?? [], "times with a unit between commas (1h,24h), or off", why, parse)
}

export const flag = (standard: boolean, why: string): Setting<boolean> =>
  make(String(standard), standard, "true or false", why, (text) =>
    text === "true" || text === "1" ? true : text === "false" || text === "0" ? false : undefined
  )

export const choice = <const A extends ReadonlyArray<string>>(
  standard: A[number],
  of: A,
  why: string
): Setting<A[number]> =>
  make<A[number]>(standard, standard, `one of ${of.join(", ")}`, why, (text) => of.find((it) => it === text))

/** Any text. */
export const text = (standard: string, why: string): Setting<string> =>
  make(standard, standard, "a text", why, (it) => it)

/** What a header line can carry: visible ASCII and blanks. Anything else would fail each request, and no site would say why. */
const headerText = (it: string): string | undefined => (/^[\x20-\x7e]{1,500}$/.test(it) ? it : undefined)
export const header = (standard: string, why: string): Setting<string> =>
  make(standard, standard, "at most 500 visible ASCII characters", why, headerText)

/** Where somebody can be reached: a page or a mailbox; null when the variable is not set. */
export const contact = (why: string): Setting<string | null> =>
  make<string | null>("", null, "an http(s) URL or an e-mail address", why, (it) =>
    /^(?:https?:\/\/[^\s/@]+(?:\/\S*)?|(?:mailto:)?[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+)$/i.test(it)
      ? headerText(it)
      : undefined
  )

const urls = {
  http: { form: "an http(s) URL", pattern: /^https?:\/\/[^\s/]+\S*$/i },
  postgres: { form: "a postgres:// URL", pattern: /^postgres(?:ql)?:\/\/\S*$/ },
  redis: { form: "a redis:// URL", pattern: /^rediss?:\/\/\S*$/ }
} as const
const urlOf = (kind: keyof typeof urls) => (it: string) => (urls[kind].pattern.test(it) ? it : undefined)

/** Where something answers. */
export const url = (standard: string, why: string): Setting<string> =>
  make(standard, standard, urls.http.form, why, urlOf("http"))

/** Where something answers that may be absent: null when the variable is not set. */
export const optionalUrl = (kind: keyof typeof urls, why: string, secret = false): Setting<string | null> =>
  make<string | null>("", null, urls[kind].form, why, urlOf(kind), secret)

/** A text that may be absent: null when the variable is not set. */
export const optional = (form: string, why: string, secret = false): Setting<string | null> =>
  make<string | null>("", null, form, why, (it) => it, secret)

/** Values between commas; empty ones are dropped. */
export const list = (form: string, why: string, secret = false): Setting<ReadonlyArray<string>> =>
  make<ReadonlyArray<string>>(
    "",
    [],
    form,
    why,
    (it) => it.split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim()])),
    secret
  )
