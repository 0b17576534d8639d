import { exits } from "../exit.ts"
import { groups, type Misuse } from "./arguments.ts"
import { commands } from "./commands.ts"
import { nearest } from "./nearest.ts"

interface Row {
  readonly help: string
  readonly words: { readonly label: string }
  readonly flags: Readonly<
    Record<string, { readonly hint: string | null; readonly help: string; readonly form: string }>
  >
  readonly examples: ReadonlyArray<string>
}
const rows: ReadonlyArray<readonly [string, Row]> = Object.entries(commands)

/** Two columns; the first as wide as its widest entry. */
const columns = (lines: ReadonlyArray<readonly [string, string]>): string => {
  const width = Math.max(...lines.map(([left]) => left.length))
  return lines.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n")
}

const exitLines = columns(Object.values(exits).map(({ code, meaning }) => [String(code), meaning]))

const general = (): string =>
  [
    "crawler: turns news sites into clean articles.",
    "",
    "Usage: crawler [--stages a,b:2] | crawler COMMAND [WORDS] [FLAGS]",
    "",
    "Commands:",
    columns(rows.map(([name, row]) => [`${name} ${row.words.label}`.trimEnd(), row.help])),
    "",
    "Standard output carries data, standard error logs. Settings come from the environment: crawler config",
    "Exit codes:",
    exitLines,
    "",
    "More: crawler COMMAND --help"
  ].join("\n")

const flagLines = (row: Row) =>
  Object.entries(row.flags).map(([key, { hint, help, form }]): readonly [string, string] => [
    hint === null ? `--${key}` : `--${key} ${hint}`,
    hint === null || form.startsWith("a text") ? help : `${help} Form: ${form}.`
  ])

const ofCommand = (name: string, row: Row): string => {
  const flags = flagLines(row)
  const usage = ["crawler", name, row.words.label, flags.length > 0 ? "[FLAGS]" : ""]
    .filter((it) => it !== "")
    .join(" ")
  return [
    row.help,
    "",
    `Usage: ${usage}`,
    ...(flags.length > 0 ? ["", "Flags:", columns(flags)] : []),
    "",
    "Examples:",
    ...row.examples.map((it) => `  ${it}`)
  ].join("\n")
}

/** Help on a command, a group or (null) everything; null when there is no such command. */
export const helpText = (of: string | null): string | null => {
  if (of === null) return general()
  const row = rows.find(([name]) => name === of)
  if (row !== undefined) return ofCommand(row[0], row[1])
  if (!groups.has(of)) return null
  const verbs = rows.filter(([name]) => name.startsWith(`${of} `))
  return [
    `Usage: crawler ${of} COMMAND`,
    "",
    columns(verbs.map(([name, it]) => [`${name} ${it.words.label}`.trimEnd(), it.help])),
    "",
    `More: crawler ${of} COMMAND --help`
  ].join("\n")
}

/** What to say when help is asked for something that does not exist. */
export const noHelp = (of: string): string => {
  const guess = nearest(of, [...rows.map(([name]) => name), ...groups])
  return `no command ${JSON.stringify(of)}${guess === null ? "" : `; did you mean ${guess}?`}`
}

/** A misuse as printed: every problem, then where to read on. */
export const misuseText = ({ problems, help }: Misuse): string =>
  [...problems.map((it) => `crawler: ${it}`), `see: crawler ${help === null ? "" : `${help} `}--help`].join("\n")
