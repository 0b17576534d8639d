import { commands } from "../../src/infra/cli/commands.ts"
import { helpText } from "../../src/infra/cli/help.ts"
import { type Document, made } from "./document.ts"

const fenced = (text: string) => `\`\`\`\n${text}\n\`\`\``

export const reference: Document = {
  path: "docs/commands.md",
  make: () => {
    const each = Object.keys(commands).map((name) => `## crawler ${name}\n\n${fenced(helpText(name) ?? "")}`)
    return `${made("src/infra/cli/commands.ts")}

# Commands

${fenced(helpText(null) ?? "")}

${each.join("\n\n")}
`
  }
}
