import { visible } from "../logging.ts"

/** Widest cell of a table on a terminal; `--json` shows all. */
const CELL_MAX = 80

const cell = (value: unknown): string => {
  const text =
    value === null || value === undefined
      ? "-"
      : typeof value === "string"
        ? value
        : (JSON.stringify(value) ?? String(value))
  const shown = visible(text)
  return shown.length > CELL_MAX ? `${shown.slice(0, CELL_MAX - 1)}…` : shown
}

/** Columns of a terminal that a text takes: Hangul, kana and Chinese characters take two. */
const widthOf = (text: string): number => Bun.stringWidth(text)
const pad = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - widthOf(text)))

/**
 * Rows as aligned columns with a header, for people. An empty list is said in words.
 * @example table([{id: "a", n: 1}], ["id", "n"]) // => "ID  N\na   1"
 */
export const table = (rows: ReadonlyArray<object>, columns: ReadonlyArray<string>): string => {
  if (rows.length === 0) return "(none)"
  const lines = [
    columns.map((it) => it.toUpperCase()),
    ...rows.map((row) => columns.map((it) => cell(new Map(Object.entries(row)).get(it))))
  ]
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => widthOf(line[at] ?? ""))))
  return lines
    .map((line) =>
      line
        .map((text, at) => (at === line.length - 1 ? text : pad(text, widths[at] ?? 0)))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

/** One thing as `name  value` lines. */
export const facts = (thing: object): string => {
  const width = Math.max(0, ...Object.keys(thing).map(widthOf))
  return Object.entries(thing)
    .map(([key, value]) => `${pad(key, width)}  ${cell(value)}`)
    .join("\n")
}
