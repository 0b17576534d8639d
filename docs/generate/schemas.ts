import { Schema } from "effect"
import { computed, rates } from "../../bench/adaptive/trace.ts"
import { LivenessFile } from "../../src/domain/liveness.ts"
import { Dataset, Day, Manifest } from "../../src/domain/research/record.ts"
import { type Document, made } from "./document.ts"

/** Files of the research engine as JSON Schema (2020-12), for readers in any language. */
const schemaOf = (name: string, title: string, schema: Schema.Codec<unknown, unknown>): Document => ({
  path: `docs/schemas/${name}.json`,
  make: () => {
    const { schema: made_, definitions } = Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" })
    const whole = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title,
      ...made_,
      ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions })
    }
    return `${JSON.stringify(whole, null, 2)}\n`
  }
})

/** `{date}_summary.json`: the answer of the API with what it is about. */
const Summary = Schema.Struct({ country: Schema.String, category: Schema.String, date: Schema.String, ...Day.fields })

export const schemas: ReadonlyArray<Document> = [
  schemaOf("dataset", "research/datasets/country={cc}/category={cat}/{date}_{chunk}.json", Dataset),
  schemaOf("manifest", "research/datasets/country={cc}/category={cat}/_manifest.json", Manifest),
  schemaOf("summary", "research/datasets/country={cc}/category={cat}/{date}_summary.json", Summary),
  schemaOf("liveness", "research/{liveness,blocked,dead}/country={cc}/{date}.json", LivenessFile)
]

const chart = (rate: number, allowed: ReadonlyArray<number>): string => `### ${rate} % errors

\`\`\`mermaid
xychart-beta
  x-axis "windows of requests" 0 --> ${allowed.length - 1}
  y-axis "allowed in flight" 0 --> 55
  line [${allowed.join(", ")}]
\`\`\`
`

/** The traces of the proof \`adaptive\`, drawn. */
export const adaptiveTrace: Document = {
  path: "docs/research-concurrency.md",
  make: () => `${made("bench/adaptive/trace.ts")}

# Adaptive concurrency

Requests in flight start at 10. Every 200 answered requests the share of errors decides: over 5 % → ×0.8 (at least 5), under
1 % → ×1.2 (at most 50), else nothing changes. \`make proof NAME=adaptive\` drives the limiter of the researcher at four error rates:

${rates.map((rate) => chart(rate, computed(rate))).join("\n")}`
}
