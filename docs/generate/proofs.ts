import { listed } from "../../bench/proofs.ts"
import { type Document, made, table } from "./document.ts"

export const proofs: Document = {
  path: "docs/proofs.md",
  make: () => `${made("the docstrings of bench/proofs/*.ts")}

# Proofs

Each claim with a number is a program. It sets up what it needs, prints a table and its figure last, and exits 0 only if
its bar holds: \`make proof NAME=demo\`. A proof that needs something this machine does not have exits 66 and says what.

${table(
  ["name", "claim and bar"],
  listed().map(({ bar, name }) => [`\`${name}\``, bar])
)}
`
}
