import { Duration } from "effect"
import { isSet, type Settings, settings } from "../config.ts"
import { table } from "./table.ts"

/** One setting as `crawler config` shows it. */
export interface Shown {
  readonly name: string
  /** As it would be written; `<hidden>` for a secret that is set, null for one that is not. */
  readonly value: string | null
  readonly source: "env" | "default"
  readonly standard: string
  readonly form: string
  readonly why: string
}

const written = (value: unknown): string | null =>
  value === null
    ? null
    : Duration.isDuration(value)
      ? `${Duration.toMillis(value)}ms`
      : Array.isArray(value)
        ? value.join(",")
        : String(value)

/** Every setting, its value and where it came from. Secrets are never shown, not even their length. */
export const shownSettings = (
  values: Settings["Service"],
  env: Readonly<Record<string, string | undefined>>
): ReadonlyArray<Shown> => {
  const held: Readonly<Record<string, unknown>> = values
  return Object.entries(settings).map(([name, it]) => {
    const source = isSet(env[name]) ? "env" : "default"
    const given = source === "env" ? (env[name] ?? "").trim() : it.written
    const plain = it.written === "" && source === "default" ? written(held[name]) : given
    const value = it.secret ? (source === "env" ? "<hidden>" : null) : plain === "" ? null : plain
    return { name, value, source, standard: it.written, form: it.form, why: it.why }
  })
}

/** For people: what differs from its default comes with its source. */
export const settingsText = (shown: ReadonlyArray<Shown>): string => table(shown, ["name", "value", "source", "why"])
