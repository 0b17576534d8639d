/**
 * Proof conformance: each port has one suite of sentences, and every adapter passes it: in memory, on the embedded store, and on
 * real Postgres, Kafka, Redis and S3.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { servers } from "./fleet.ts"
import { prove, root, run } from "./proof.ts"

/** The servers have to be in the table: without their rows the proof proves little. */
const EXPECTED = [
  /bus over Kafka/,
  /hosts in Redis/,
  /windows in Redis/,
  /pages in SQL, server/,
  /datasets in S3/,
  /raws in S3/
]
const SECONDS_MAX = 900

/** Tests that run a suite of `test/support/conformance`. */
const files = () =>
  [...new Bun.Glob("test/infra/*.test.ts").scanSync({ cwd: root })]
    .filter((path) => /\b\w+Suite\(/.test(readFileSync(join(root, path), "utf8")))
    .toSorted()

await prove(async (bench) => {
  const { env } = await servers(bench, "conformance")
  const given = Object.fromEntries(Object.entries(env).map(([name, value]) => [`TEST_${name}`, value]))
  const ran = await run([process.execPath, "test", ...files()], { env: given, seconds: SECONDS_MAX })
  const suites = new Map<string, { passed: number; failed: number }>()
  for (const line of ran.stderr.split("\n")) {
    const match = /^\((pass|fail)\) (.+?): /.exec(line)
    if (match === null) continue
    const [, outcome, suite = ""] = match
    const counts = suites.get(suite) ?? { passed: 0, failed: 0 }
    if (outcome === "pass") counts.passed += 1
    else counts.failed += 1
    suites.set(suite, counts)
  }
  const rows = [...suites]
    .filter(([, it]) => it.passed + it.failed > 1)
    .map(([suite, counts]) => ({ suite, ...counts }))
  const failed = rows.reduce((sum, it) => sum + it.failed, 0)
  const absent = EXPECTED.filter((it) => !rows.some(({ suite }) => it.test(suite)))
  return {
    rows,
    figure: `conformance: ${rows.length} suites on their adapters, ${rows.reduce((sum, it) => sum + it.passed, 0)} sentences hold, ${failed} do not${absent.length > 0 ? `; not run: ${absent.join(", ")}` : ""}`,
    holds: failed === 0 && absent.length === 0 && rows.length > 0
  }
})
