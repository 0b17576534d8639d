import { settings } from "../../src/infra/config.ts"
import { type Document, made, table } from "./document.ts"

const code = (text: string) => (text === "" ? "–" : `\`${text}\``)

export const configuration: Document = {
  path: "docs/configuration.md",
  make: () => {
    const rows = Object.entries(settings).map(([name, it]) => [
      `\`${name}\`${it.secret ? " (secret)" : ""}`,
      code(it.written),
      it.form,
      it.why
    ])
    return `${made("src/infra/config.ts")}

# Configuration

Settings are environment variables. A value that does not fit stops the start with exit code 78 and a message that names
every such variable, its value and the form expected. An empty one is as unset: its default holds. \`crawler config\` prints the
values in force.

${table(["name", "default", "form", "why"], rows)}
`
  }
}
