import { readFileSync } from "node:fs"
import { join } from "node:path"

/** What of JSON Schema 2020-12 the published schemas use; a keyword that is not here is a complaint, never passed over. */
type Json = Readonly<Record<string, unknown>>
const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

const KNOWN = new Set(
  "$schema title description type properties required additionalProperties items enum const anyOf allOf minLength maxLength pattern minimum maximum $defs $ref format".split(
    " "
  )
)

const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value === "number" ? "number" : typeof value

const isType = (wanted: string, value: unknown): boolean =>
  wanted === typeOf(value) || (wanted === "integer" && Number.isInteger(value))

/** Faults of a value against a schema, each with its path. */
export const faults = (schema: unknown, value: unknown, root: Json, path = "$"): ReadonlyArray<string> => {
  if (!isRecord(schema)) return []
  const unknown = Object.keys(schema).filter((it) => !KNOWN.has(it))
  if (unknown.length > 0) return [`${path}: the schema uses ${unknown.join(", ")}`]
  if (typeof schema.$ref === "string") {
    const name = schema.$ref.split("/").at(-1) ?? ""
    return faults(isRecord(root.$defs) ? root.$defs[name] : undefined, value, root, path)
  }
  const found: Array<string> = []
  if (Array.isArray(schema.anyOf) && !schema.anyOf.some((it) => faults(it, value, root, path).length === 0)) {
    found.push(`${path}: fits none of its forms`)
  }
  if (Array.isArray(schema.allOf)) for (const it of schema.allOf) found.push(...faults(it, value, root, path))
  if (typeof schema.type === "string" && !isType(schema.type, value)) found.push(`${path}: is ${typeOf(value)}`)
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) found.push(`${path}: ${JSON.stringify(value)}`)
  if ("const" in schema && schema.const !== value) found.push(`${path}: ${JSON.stringify(value)}`)
  if (Array.isArray(value)) value.forEach((it, at) => found.push(...faults(schema.items, it, root, `${path}[${at}]`)))
  if (isRecord(value)) {
    const properties = isRecord(schema.properties) ? schema.properties : {}
    const required = Array.isArray(schema.required) ? schema.required.map(String) : []
    for (const name of required) if (!(name in value)) found.push(`${path}.${name}: is missing`)
    for (const [name, it] of Object.entries(value)) {
      if (name in properties) found.push(...faults(properties[name], it, root, `${path}.${name}`))
      else if (schema.additionalProperties === false) found.push(`${path}.${name}: is not known`)
    }
  }
  return found
}

/** Faults of a file's text against a published schema `docs/schemas/{name}.json`. */
export const faultsOf = (
  name: "dataset" | "manifest" | "summary" | "liveness",
  text: string
): ReadonlyArray<string> => {
  const schema = JSON.parse(
    readFileSync(join(import.meta.dir, "..", "..", "..", "docs", "schemas", `${name}.json`), "utf8")
  )
  return faults(schema, JSON.parse(text), schema)
}
