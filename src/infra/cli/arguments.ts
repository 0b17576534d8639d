import { Result } from "effect"
import { type Command, type CommandName, commands, type Shape } from "./commands.ts"
import type { Flag, Flags, StageChoice } from "./flag.ts"
import { nearest } from "./nearest.ts"

/** Why a command line is not understood (exit 64): all that is wrong with it, a sentence each. */
export interface Misuse {
  readonly problems: ReadonlyArray<string>
  /** The command whose help answers; null for the general one. */
  readonly help: CommandName | null
}
export type Parsed =
  | { readonly tag: "command"; readonly command: Command }
  | { readonly tag: "help"; readonly of: string | null }

const names = Object.keys(commands)
const isName = (text: string): text is CommandName => names.includes(text)
/** First words of two-word commands: `sources`, `articles`, `dlq`, `hosts`. */
export const groups: ReadonlySet<string> = new Set(
  names.flatMap((it) => (it.includes(" ") ? [it.split(" ")[0] ?? ""] : []))
)
const firstWords = [...new Set(names.map((it) => it.split(" ")[0] ?? ""))]

const shown = (text: string) => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
const meant = (guess: string | null) => (guess === null ? "" : `; did you mean ${guess}?`)

/** The table's rows differ in their flags' types; the parser needs only what all rows share. */
const shapeOf = (name: CommandName): Shape<Flags> => commands[name] as unknown as Shape<Flags>

interface Scan {
  readonly words: ReadonlyArray<string>
  readonly values: Readonly<Record<string, unknown>>
  readonly problems: ReadonlyArray<string>
  readonly help: boolean
}

/** A following word is a value unless it is a flag; `-` (standard input) and negative numbers are values. */
const isValue = (word: string | undefined): word is string => word !== undefined && !/^-[^\d]/.test(word)

const readFlag = (key: string, flag: Flag<unknown>, given: string | undefined) => {
  if (flag.hint === null) {
    return given === undefined ? Result.succeed(true) : Result.fail(`--${key}=${given}: the flag takes no value`)
  }
  if (given === undefined) return Result.fail(`--${key}: a value is missing, expected ${flag.form}`)
  const value = flag.parse(given)
  return value === undefined ? Result.fail(`--${key} ${shown(given)}: expected ${flag.form}`) : Result.succeed(value)
}

const scan = (shape: Shape<Flags>, rest: ReadonlyArray<string>): Scan => {
  const words: Array<string> = []
  const problems: Array<string> = []
  const values: Record<string, unknown> = {}
  let help = false
  for (let at = 0; at < rest.length; at++) {
    const token = rest[at] ?? ""
    if (token === "--") {
      words.push(...rest.slice(at + 1))
      break
    }
    if (token === "--help" || token === "-h") {
      help = true
      continue
    }
    if (!token.startsWith("-") || token === "-") {
      words.push(token)
      continue
    }
    const [key = "", ...tail] = token.replace(/^--?/, "").split("=")
    const flag = token.startsWith("--") && Object.hasOwn(shape.flags, key) ? shape.flags[key] : undefined
    if (flag === undefined) {
      const guess = nearest(key, Object.keys(shape.flags))
      problems.push(`unknown flag ${shown(token.split("=")[0] ?? "")}${meant(guess === null ? null : `--${guess}`)}`)
      continue
    }
    const next = rest[at + 1]
    const separate = tail.length === 0 && flag.hint !== null && isValue(next)
    const value = readFlag(key, flag, tail.length > 0 ? tail.join("=") : separate ? next : undefined)
    if (separate) at += 1
    if (Object.hasOwn(values, key)) problems.push(`--${key} is given twice`)
    if (Result.isFailure(value)) problems.push(value.failure)
    else values[key] = value.success
  }
  return { words, problems, values, help }
}

const countProblem = (
  { words: { label, min, max } }: Shape<Flags>,
  words: ReadonlyArray<string>
): ReadonlyArray<string> => {
  if (words.length < min) return [`${label} is missing`]
  if (words.length <= max) return []
  const extra = words[max] ?? ""
  return [max === 0 ? `unexpected ${shown(extra)}` : `unexpected ${shown(extra)} after ${label}`]
}

const isStages = (value: unknown): value is ReadonlyArray<StageChoice> => Array.isArray(value)
const stageProblems = (value: unknown, known: ReadonlyArray<string>): ReadonlyArray<string> =>
  isStages(value)
    ? value.flatMap(({ name }) =>
        known.includes(name)
          ? []
          : [`unknown stage ${shown(name)}${meant(nearest(name, known))} (stages: ${known.join(", ")})`]
      )
    : []

const readCommand = (name: CommandName, rest: ReadonlyArray<string>, known: ReadonlyArray<string>) => {
  const shape = shapeOf(name)
  const { words, values, problems, help } = scan(shape, rest)
  if (help) return Result.succeed<Parsed>({ tag: "help", of: name })
  if (name === "help") return Result.succeed<Parsed>({ tag: "help", of: words.length === 0 ? null : words.join(" ") })
  const flags = Object.fromEntries(Object.entries(shape.flags).map(([key, it]) => [key, values[key] ?? it.standard]))
  const found = [...problems, ...countProblem(shape, words), ...stageProblems(flags.stages, known)]
  const together = found.length === 0 ? (shape.check?.(words, flags) ?? null) : null
  const all = together === null ? found : [...found, together]
  if (all.length > 0) return Result.fail<Misuse>({ problems: all, help: name })
  // The values were made by this very row's flags, so they have its types; the record has lost them.
  return Result.succeed<Parsed>({ tag: "command", command: { name, words, flags } as unknown as Command })
}

/**
 * Understands a command line. No words, or flags alone, mean `run`.
 * @example parseArguments(["--stages", "fetchr"], ["fetcher"]) // fails: unknown stage "fetchr"; did you mean fetcher?
 */
export const parseArguments = (
  argv: ReadonlyArray<string>,
  stageNames: ReadonlyArray<string>
): Result.Result<Parsed, Misuse> => {
  const [first, second, ...rest] = argv
  if (first === "--help" || first === "-h") return Result.succeed({ tag: "help", of: null })
  if (first === "--version" || first === "-V") return readCommand("version", argv.slice(1), stageNames)
  if (first === undefined || first.startsWith("-")) return readCommand("run", argv, stageNames)
  if (isName(first)) return readCommand(first, argv.slice(1), stageNames)
  if (!groups.has(first)) {
    const looksLikeUrl = /^https?:/i.test(first)
    const guess = looksLikeUrl ? `crawler crawl ${first.slice(0, 80)}` : nearest(first, firstWords)
    return Result.fail({ problems: [`unknown command ${shown(first)}${meant(guess)}`], help: null })
  }
  if (second === undefined || second === "--help" || second === "-h") return Result.succeed({ tag: "help", of: first })
  const name = `${first} ${second}`
  if (isName(name)) return readCommand(name, rest, stageNames)
  const verbs = names.flatMap((it) => (it.startsWith(`${first} `) ? [it.slice(first.length + 1)] : []))
  const guess = nearest(second, verbs)
  const problem = `unknown command ${shown(name)}${meant(guess === null ? null : `${first} ${guess}`)} (${verbs.join(", ")})`
  return Result.fail({ problems: [problem], help: null })
}
