import { stages } from "../../src/streams/topology.ts"
import { type Document, made, table } from "./document.ts"

/** The three crawl topics of articles differ in weight alone, so the picture shows them as one; polls stand apart. */
const family = (topic: string) => (/^crawl\.(high|normal|low|\*)$/.test(topic) ? "crawl.high, normal, low" : topic)
const distinct = (topics: readonly string[]) => [...new Set(topics.map(family))]
const id = (name: string) => name.replaceAll(/\W/g, "_")

const edges = stages.flatMap(({ gives, name, takes }) => [
  ...distinct(takes).map((it) => `  ${id(it)}([${it}]) --> ${name}`),
  ...distinct(gives).map((it) => `  ${name} --> ${id(it)}([${it}])`)
])

const list = (topics: readonly string[]) => (topics.length === 0 ? "–" : topics.map((it) => `\`${it}\``).join(" "))

export const topology: Document = {
  path: "docs/topology.md",
  make: () => `${made("src/streams/topology.ts")}

# Topology

Rectangles are stages, rounded boxes what travels between them. Every stage fails the same three ways; see
[ARCHITECTURE.md](../ARCHITECTURE.md#how-failure-travels).

\`\`\`mermaid
flowchart LR
${edges.join("\n")}
\`\`\`

${table(
  ["stage", "takes", "does", "gives"],
  stages.map(({ does, gives, name, takes }) => [`\`${name}\``, list(takes), does, list(gives)])
)}
`
}
