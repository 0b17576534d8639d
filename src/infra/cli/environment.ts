import { Duration, Result } from "effect"
import { badCidr } from "../../domain/address.ts"
import { isLoopback } from "../api/guard.ts"
import { load, type Problem, type Settings, settings } from "../config.ts"
import { editDistance } from "./nearest.ts"

/** A secret shorter than this can be guessed over HTTP. */
const TOKEN_CHARS_MIN = 16

export interface Environment {
  readonly values: Settings["Service"]
  /** Sentences for the log: nothing is wrong, but something may not be as meant. */
  readonly warnings: ReadonlyArray<string>
}

type Env = Readonly<Record<string, string | undefined>>

/** What no single value shows: which settings cannot be combined, and what the runtime was told that we refuse. */
const together = (values: Settings["Service"] | null, env: Env): ReadonlyArray<Problem> => {
  const problems: Array<Problem> = []
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === "0") {
    const form = "1 or unset: certificates are always checked (trust a private one by NODE_EXTRA_CA_CERTS)"
    problems.push({ name: "NODE_TLS_REJECT_UNAUTHORIZED", value: "0", form })
  }
  if (values === null) return problems
  const { ADMIN_TOKEN, ALLOW_PRIVATE_CIDRS, HTTP_HOST, HTTP_PORT, READ_TOKEN } = values
  if (HTTP_PORT !== 0 && !isLoopback(HTTP_HOST) && ADMIN_TOKEN.length === 0) {
    problems.push({ name: "HTTP_HOST", value: HTTP_HOST, form: "127.0.0.1, or ADMIN_TOKEN set beside another address" })
  }
  for (const [name, tokens] of Object.entries({ ADMIN_TOKEN, READ_TOKEN })) {
    if (tokens.some((it) => it.length < TOKEN_CHARS_MIN || !/^[\x21-\x7e]+$/.test(it))) {
      problems.push({
        name,
        value: "<hidden>",
        form: `secrets of at least ${TOKEN_CHARS_MIN} visible ASCII characters, between commas`
      })
    }
  }
  const weights = Object.entries(values).filter(([name]) => name.startsWith("SCORING_WEIGHT_"))
  if (weights.every(([, value]) => value === 0)) {
    problems.push({
      name: "SCORING_WEIGHT_*",
      value: "0",
      form: "at least one weight above 0: nothing is left to weigh"
    })
  }
  if (Duration.isGreaterThan(values.SCORING_INTERVAL, values.SCORING_WINDOW)) {
    const value = Duration.format(values.SCORING_INTERVAL)
    problems.push({
      name: "SCORING_INTERVAL",
      value,
      form: "at most SCORING_WINDOW: a score older than that says nothing"
    })
  }
  const cidr = badCidr(ALLOW_PRIVATE_CIDRS)
  if (cidr !== null) {
    problems.push({ name: "ALLOW_PRIVATE_CIDRS", value: cidr, form: "networks such as 127.0.0.0/8, between commas" })
  }
  return problems
}

const names = Object.keys(settings)

/** More edits than this are another name. */
const editsMax = 2

/** Variables that look like ours and are not: a setting misspelt stays at its default without a word otherwise (B129). */
export const strangers = (env: Env): ReadonlyArray<string> =>
  Object.keys(env).flatMap((name) => {
    if (names.includes(name) || !/^[A-Z][A-Z0-9_]{3,63}$/.test(name)) return []
    const ours = name.startsWith("CRAWLER_")
    // Every process start compares every variable: names of another length are no misspelling, and are not looked at.
    const ranked = names
      .filter((it) => ours || Math.abs(it.length - name.length) <= editsMax)
      .map((it) => ({ it, distance: editDistance(name, it, ours ? undefined : editsMax) }))
      .sort((a, b) => a.distance - b.distance)
    const best = ranked[0]
    // Short foreign names are near ours by chance.
    const near = best !== undefined && best.distance <= (name.length >= 10 ? editsMax : 1)
    if (!ours && !near) return []
    const guess = near ? `; did you mean ${best.it}?` : ` (nearest: ${best?.it ?? "none"})`
    return [`${name} is no setting${guess}`]
  })

/** The settings of this process with every problem at once (exit 78), and what is worth a warning. */
export const readEnvironment = (env: Env): Result.Result<Environment, ReadonlyArray<Problem>> => {
  const loaded = load(env)
  const values = Result.isSuccess(loaded) ? loaded.success : null
  const problems = [...(Result.isFailure(loaded) ? loaded.failure : []), ...together(values, env)]
  return problems.length > 0 || values === null
    ? Result.fail(problems)
    : Result.succeed({ values, warnings: strangers(env) })
}
