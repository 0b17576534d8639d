import { Result, Schema, SchemaIssue } from "effect"
import { Priority } from "../../domain/crawl.ts"
import { SourceInput, SourceKind } from "../../domain/source.ts"
import { visible } from "../logging.ts"
import { durationMs } from "../setting.ts"
import { seedLines } from "./seeds.ts"

/** A line as people write it: `every` takes a time with its unit, as the flag does. */
const Line = Schema.Struct({ ...SourceInput.fields, every: Schema.optionalKey(Schema.String) })
// A field that nobody knows is a mistake: left aside in silence it would change what the source does.
const decodeLine = Schema.decodeUnknownResult(Line, { onExcessProperty: "error" })
const readJson = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))
const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** What each field may be, in words. */
const forms: Readonly<Record<keyof typeof Line.Type, string>> = {
  url: "an http or https URL",
  name: "a text",
  kind: `one of ${SourceKind.literals.join(", ")}`,
  every: "a time with its unit, such as 5m",
  every_ms: "a whole number of milliseconds",
  cron: "five fields as a text: minute hour day month weekday",
  zone: "an IANA time zone such as Asia/Seoul",
  category: "a text",
  country: "two letters",
  section: "a text",
  page_url: "a URL of the same site with {page} for the page's number",
  max_pages: "a whole number",
  priority: `one of ${Priority.literals.join(", ")}`,
  enabled: "true or false"
}
const known = new Map<string, string>(Object.entries(forms))

/** Values are quoted up to this many characters. */
const QUOTED_MAX = 100
const quoted = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, QUOTED_MAX)

/** Which field is at fault, what it is, and what it may be. */
const complaint = (issue: SchemaIssue.Issue, given: Readonly<Record<string, unknown>>): string => {
  const [step] = issuesOf(issue).issues[0]?.path ?? []
  const field = String(typeof step === "object" ? step.key : (step ?? "url"))
  const form = known.get(field)
  if (form === undefined) return `field ${quoted(field)}: expected one of ${[...known.keys()].join(", ")}`
  return field in given ? `${field} ${quoted(given[field])}: expected ${form}` : `${field} is missing: expected ${form}`
}

const sourceOf = (line: string): Result.Result<SourceInput, string> => {
  if (!line.startsWith("{")) return Result.succeed({ url: line })
  const json = readJson(line)
  if (Result.isFailure(json)) return Result.fail(`${quoted(line)}: expected a URL or a JSON object`)
  const decoded = decodeLine(json.success)
  if (Result.isFailure(decoded)) return Result.fail(complaint(decoded.failure.issue, json.success))
  const { every, ...said } = decoded.success
  if (every === undefined) return Result.succeed(said)
  const every_ms = durationMs(every)
  return every_ms === undefined
    ? Result.fail(`every ${quoted(every)}: expected ${forms.every}`)
    : Result.succeed({ ...said, every_ms })
}

/** A line that is no source, for standard error. */
export const leftOut = (where: string, why: string): string => `${visible(where)}: left out: ${visible(why)}`

/** A list of sources: a URL or a JSON object a line. A bad line is named with its number, field and form; the others are taken. */
export const importedSources = (
  name: string,
  text: string
): {
  readonly sources: ReadonlyArray<SourceInput>
  /** Where each source stands. */
  readonly places: ReadonlyArray<string>
  readonly problems: ReadonlyArray<string>
} => {
  const lines = seedLines(name, text).map((it) => ({ where: it.where, source: sourceOf(it.text) }))
  const good = lines.flatMap(({ where, source }) =>
    Result.isSuccess(source) ? [{ where, source: source.success }] : []
  )
  return {
    sources: good.map((it) => it.source),
    places: good.map((it) => it.where),
    problems: lines.flatMap(({ where, source }) => (Result.isFailure(source) ? [leftOut(where, source.failure)] : []))
  }
}
