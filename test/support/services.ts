import { test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** Where `make services` says what it started. */
const file = join(import.meta.dir, "..", "..", ".services", "settings.json")

const given = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      name.startsWith("TEST_") && value !== undefined ? [[name.slice("TEST_".length), value]] : []
    )
  )

/** Settings of the scratch servers, where they run; a variable TEST_… of the same name goes first. */
export const serviceSettings = (): Readonly<Record<string, string>> => ({
  ...(existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Record<string, string>) : {}),
  ...given()
})

export const service = (name: "DATABASE_URL" | "REDIS_URL" | "KAFKA_BROKERS" | "S3_ENDPOINT"): string | undefined =>
  serviceSettings()[name]

/** Runs the tests of an adapter where its server is there, else says why they are skipped. */
export const withService = (name: Parameters<typeof service>[0], tests: (value: string) => void): void => {
  const value = service(name)
  if (value === undefined) test.skip(`no ${name}: make services starts a server for these tests`, () => undefined)
  else tests(value)
}
