import { Cause, type Layer, Logger, type LogLevel, References } from "effect"
import * as Layers from "effect/Layer"

/**
 * Logs go to standard error: readable lines on a terminal, one JSON object a line otherwise. Standard output carries data
 * only. Text from outside (URLs, titles, headers) is in log lines, so control characters are always written as escapes.
 */
export interface LogOptions {
  readonly level: "debug" | "info" | "warn" | "error"
  readonly format: "auto" | "pretty" | "json"
  readonly terminal: boolean
  readonly write: (line: string) => void
}

const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g
/** A text that cannot move a terminal's cursor, colour it or begin a line of its own (also bidi overrides). */
export const visible = (text: string): string =>
  text.replace(control, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, "0")}`)

const levels: Record<LogOptions["level"], LogLevel.LogLevel> = {
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error"
}

const textOf = (value: unknown): string =>
  typeof value === "string"
    ? value
    : Cause.isCause(value)
      ? Cause.pretty(value)
      : value instanceof Error
        ? (value.stack ?? value.message)
        : (JSON.stringify(value) ?? String(value))

/** Longest message written; a whole page in a log line helps nobody. */
const MESSAGE_CHARS_MAX = 8192
const messageOf = (message: unknown): string =>
  (Array.isArray(message) ? message.map(textOf).join(" ") : textOf(message)).slice(0, MESSAGE_CHARS_MAX)

/** Empty causes say nothing. */
const causeOf = (cause: Cause.Cause<unknown>): string | null =>
  cause.reasons.length === 0 ? null : Cause.pretty(cause).slice(0, MESSAGE_CHARS_MAX)

type Line = Logger.Options<unknown>

const jsonLine = ({ logLevel, message, cause, date, fiber }: Line): string => {
  const trouble = causeOf(cause)
  return JSON.stringify({
    ...fiber.getRef(References.CurrentLogAnnotations),
    time: date.toISOString(),
    level: logLevel.toLowerCase(),
    message: messageOf(message),
    ...(trouble === null ? {} : { cause: trouble })
  }).replace(control, (it) => `\\u${it.charCodeAt(0).toString(16).padStart(4, "0")}`)
}

const colours: Partial<Record<LogLevel.LogLevel, string>> = {
  Warn: "\u001b[33m",
  Error: "\u001b[31m",
  Fatal: "\u001b[31m",
  Debug: "\u001b[2m"
}

const prettyLine =
  (colour: boolean) =>
  ({ logLevel, message, cause, date, fiber }: Line): string => {
    const notes = Object.entries(fiber.getRef(References.CurrentLogAnnotations))
    const said = [messageOf(message), ...notes.map(([key, value]) => `${key}=${textOf(value)}`)].join(" ")
    const trouble = causeOf(cause)
    // The lines of a stack are ours; each is made visible by itself.
    const stack =
      trouble === null
        ? ""
        : `\n${trouble
            .split("\n")
            .map((it) => `  ${visible(it)}`)
            .join("\n")}`
    const line = `${date.toISOString().slice(11, 23)} ${logLevel.toUpperCase().padEnd(5)} ${visible(said)}${stack}`
    const paint = colour ? colours[logLevel] : undefined
    return paint === undefined ? line : `${paint}${line}\u001b[0m`
  }

/** Replaces Effect's loggers, which write to standard output. */
export const layer = ({ level, format, terminal, write }: LogOptions): Layer.Layer<never> => {
  const pretty = format === "pretty" || (format === "auto" && terminal)
  const line = pretty ? prettyLine(terminal) : jsonLine
  const logger = Logger.make((options: Line) => write(`${line(options)}\n`))
  return Layers.mergeAll(Logger.layer([logger]), Layers.succeed(References.MinimumLogLevel, levels[level]))
}
