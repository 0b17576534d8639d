import { Schema } from "effect"
import { Article } from "../../domain/article.ts"
import { FetcherName } from "../../domain/crawl.ts"
import { Source, SourceInput } from "../../domain/source.ts"
import { Topic } from "../../domain/topics.ts"
import {
  Changed,
  DeadLetterRow,
  Enqueued,
  Explanation,
  HostName,
  HostRow,
  Id,
  Imported,
  Instant,
  Label,
  Limit,
  Rows,
  Status,
  URLS_MAX
} from "./answers.ts"
import { jobOperations } from "./jobs.ts"
import { operation } from "./operation.ts"
import { overviewOperations } from "./overview.ts"
import { parsingOperations } from "./parsing.ts"

export type { Operation, Scope } from "./operation.ts"

import { reparseOperations } from "./reparse.ts"
import { researchOperations } from "./research.ts"
import { FetcherRuleRow, HostRules, UpgradeSwitch } from "./rules.ts"
import { HostPriority, Rating } from "./standing.ts"

const optional = Schema.optionalKey
/** Longest SQL text: larger work belongs in a file for `psql`. */
const SQL_CHARS_MAX = 100_000
const ids = Schema.Array(Id).check(Schema.isMinLength(1), Schema.isMaxLength(1000))
const urls = Schema.Array(Schema.String).check(Schema.isMinLength(1), Schema.isMaxLength(URLS_MAX))
const inputs = Schema.Array(SourceInput).check(Schema.isMinLength(1), Schema.isMaxLength(URLS_MAX))

export const operations = {
  enqueue: operation("POST", "/crawl-jobs", "admin", "Give URLs to the crawler.", {
    input: { urls, category: optional(Label) },
    output: Enqueued,
    status: 202
  }),
  "sources.list": operation("GET", "/sources", "read", "All sources.", {
    input: {},
    output: Schema.Struct({ sources: Schema.Array(Source) })
  }),
  "sources.show": operation("GET", "/sources/:id", "read", "One source.", { input: { id: Id }, output: Source }),
  "sources.add": operation("POST", "/sources", "admin", "Add a source; one of the same URL and section is returned.", {
    input: SourceInput.fields,
    output: Source,
    status: 201
  }),
  "sources.import": operation("POST", "/sources/import", "admin", "Add many sources.", {
    // Strict: one bad source, and none is added.
    input: { sources: inputs, strict: optional(Schema.Boolean) },
    output: Imported
  }),
  "sources.update": operation("PATCH", "/sources/:id", "admin", "Enable or disable a source.", {
    input: { id: Id, enabled: Schema.Boolean },
    output: Source
  }),
  "sources.remove": operation("DELETE", "/sources/:id", "admin", "Forget a source; its articles stay.", {
    input: { id: Id },
    output: Schema.Struct({ id: Schema.String })
  }),
  "articles.list": operation("GET", "/articles", "read", "Articles by id; page with `after`.", {
    input: {
      host: optional(HostName),
      url: optional(Schema.String),
      since: optional(Instant),
      after: optional(Id),
      limit: optional(Limit),
      html: optional(Schema.Boolean)
    },
    output: Schema.Struct({ articles: Schema.Array(Article), next: Schema.NullOr(Schema.String) })
  }),
  "articles.show": operation("GET", "/articles/:id", "read", "One article.", { input: { id: Id }, output: Article }),
  explain: operation("GET", "/explain", "read", "Rule, fetcher and priority of a URL, why, and its history.", {
    input: { url: Schema.String },
    output: Explanation
  }),
  "dlq.list": operation("GET", "/dead-letters", "read", "Dead letters, newest first.", {
    input: { topic: optional(Topic), limit: optional(Limit) },
    output: Schema.Struct({ letters: Schema.Array(DeadLetterRow) })
  }),
  "dlq.show": operation("GET", "/dead-letters/:id", "read", "One dead letter with its input.", {
    input: { id: Id },
    output: Schema.Struct({ ...DeadLetterRow.fields, bytes: Schema.String })
  }),
  "dlq.replay": operation("POST", "/dead-letters/replay", "admin", "Work on dead letters again.", {
    input: { ids },
    output: Changed
  }),
  "dlq.drop": operation("POST", "/dead-letters/drop", "admin", "Delete dead letters.", {
    input: { ids },
    output: Changed
  }),
  "hosts.list": operation("GET", "/hosts", "read", "Hosts, those with the most articles first.", {
    input: { limit: optional(Limit) },
    output: Schema.Struct({ hosts: Schema.Array(HostRow) })
  }),
  "hosts.show": operation("GET", "/hosts/:host", "read", "One host.", { input: { host: HostName }, output: HostRow }),
  "hosts.priority": operation(
    "GET",
    "/hosts/:host/priority",
    "read",
    "Score, signals, override and config of a host.",
    {
      input: { host: HostName },
      output: HostPriority
    }
  ),
  "hosts.rate": operation("PATCH", "/hosts/:host", "admin", "Rate a host from 0 to 1; null takes it back.", {
    input: { host: HostName, rating: Schema.NullOr(Rating) },
    output: HostPriority
  }),
  "fetcher-rules.list": operation("GET", "/fetcher-rules", "read", "Hosts with a fetcher of their own.", {
    input: { limit: optional(Limit) },
    output: Schema.Struct({ rules: Schema.Array(FetcherRuleRow) })
  }),
  "fetcher-rules.show": operation("GET", "/fetcher-rules/:host", "read", "The fetcher rule of one host.", {
    input: { host: HostName },
    output: FetcherRuleRow
  }),
  "fetcher-rules.set": operation("POST", "/fetcher-rules", "admin", "Fetch a host by HTTP or by a browser.", {
    input: { host: HostName, fetcher: FetcherName, reason: optional(Label) },
    output: FetcherRuleRow
  }),
  "fetcher-rules.unset": operation("DELETE", "/fetcher-rules/:host", "admin", "Leave the choice to the crawler.", {
    input: { host: HostName },
    output: Schema.Struct({ host: Schema.String, changed: Schema.Boolean })
  }),
  "fetcher-rules.upgrades": operation("GET", "/fetcher-upgrades", "read", "Do hosts get a browser by themselves?", {
    input: {},
    output: UpgradeSwitch
  }),
  "fetcher-rules.switch": operation(
    "PATCH",
    "/fetcher-upgrades",
    "admin",
    "Stop automatic upgrades, or let them go on.",
    {
      input: { enabled: Schema.Boolean },
      output: UpgradeSwitch
    }
  ),
  "rules.show": operation("GET", "/rules/:host", "read", "Every rule of a host, and how its pages came lately.", {
    input: { host: HostName },
    output: HostRules
  }),
  ...jobOperations,
  ...parsingOperations,
  ...reparseOperations,
  ...researchOperations,
  ...overviewOperations,
  status: operation("GET", "/status", "read", "Version and backlog of the crawler.", { input: {}, output: Status }),
  sql: operation("POST", "/sql", "admin", "Run SQL on the store as its administrator.", {
    input: {
      text: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(SQL_CHARS_MAX))
    },
    output: Rows
  })
} as const

export type OperationName = keyof typeof operations
export type Input<N extends OperationName> = (typeof operations)[N]["input"]["Type"]
export type Output<N extends OperationName> = (typeof operations)[N]["output"]["Type"]

export const operationNames = Object.keys(operations) as ReadonlyArray<OperationName>

/** Names of the path's parameters, in order. */
export const pathParameters = (path: string): ReadonlyArray<string> =>
  [...path.matchAll(/:([a-z_]+)/g)].flatMap((it) => it[1] ?? [])
