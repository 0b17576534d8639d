import manifest from "../../package.json"
import { document } from "../../src/infra/api/openapi.ts"
import type { Document } from "./document.ts"

/** The API, for people, clients and linters. */
export const openapi: Document = {
  path: "docs/openapi.json",
  make: () => `${JSON.stringify(document(manifest.version), null, 2)}\n`
}
