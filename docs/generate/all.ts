#!/usr/bin/env bun
/** Writes every generated document, or with `--check` fails and names those that are stale. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { reference } from "./commands.ts"
import { configuration } from "./configuration.ts"
import type { Document } from "./document.ts"
import { openapi } from "./openapi.ts"
import { proofs } from "./proofs.ts"
import { adaptiveTrace, schemas } from "./schemas.ts"
import { topology } from "./topology.ts"

const documents: readonly Document[] = [configuration, reference, topology, proofs, openapi, adaptiveTrace, ...schemas]
const root = join(import.meta.dir, "..", "..")

const stale = documents.filter(({ make, path }) => {
  const file = join(root, path)
  return !existsSync(file) || readFileSync(file, "utf8") !== make()
})
if (process.argv.includes("--check")) {
  for (const { path } of stale) console.error(`${path} is stale: run \`make docs\`.`)
  process.exit(stale.length === 0 ? 0 : 1)
}
for (const { make, path } of stale) {
  writeFileSync(join(root, path), make())
  console.log(`wrote ${path}`)
}
