import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { codeOf, importsOf } from "./support/code.ts"
import {
  complaintsAbout,
  fileLinesMax,
  linesOf,
  medianLinesMax,
  migrationComplaints,
  type SourceFile,
  tracesIn
} from "./support/tidy.ts"

const root = join(import.meta.dir, "..")
const read = (path: string): SourceFile => ({ path, text: readFileSync(join(root, path), "utf8") })
const find = (pattern: string) => [...new Bun.Glob(pattern).scanSync({ cwd: root })].map(read)

/** Files under version control; in an unpacked archive there is no list, so that check is for checkouts only. */
const tracked = (): ReadonlyArray<string> => {
  const listed = Bun.spawnSync(["git", "ls-files", "-z"], { cwd: root, stderr: "ignore" })
  return listed.success ? listed.stdout.toString().split("\0").filter(Boolean) : []
}
const isText = (path: string) => !/\.(?:png|jpe?g|gif|ico|woff2?|gz|zst|wasm|data|pdf)$/.test(path)

describe("the source is tidy", () => {
  const source = find("src/**/*.{ts,tsx}")

  test("imports, names, sizes and words keep the rules", () => {
    expect(source.length).toBeGreaterThan(0)
    expect(source.flatMap(complaintsAbout)).toEqual([])
  })

  test(`half of the files have at most ${medianLinesMax} lines`, () => {
    const sizes = source.map(linesOf).toSorted((left, right) => left - right)
    expect(sizes[sizes.length >> 1]).toBeLessThanOrEqual(medianLinesMax)
  })

  test("tests, benches and generators keep to names and sizes as well", () => {
    const others = ["test", "bench", "docs"].flatMap((folder) => find(`${folder}/**/*.ts`))
    expect(others.flatMap(complaintsAbout)).toEqual([])
  })

  test("migrations are numbered without a gap and say how to go back", () => {
    expect(migrationComplaints(find("sql/*"))).toEqual([])
  })

  test("no tracked file tells of the machine it was written on", () => {
    const files = tracked().filter((path) => isText(path) && Bun.file(join(root, path)).size > 0)
    expect(files.map(read).flatMap(tracesIn)).toEqual([])
  })
})

describe("the rules can fail", () => {
  const hole = "$" + "{"
  const about = (path: string, text: string) => complaintsAbout({ path, text }).map((it) => it.slice(path.length + 1))
  const bad: ReadonlyArray<readonly [name: string, path: string, text: string, complaint: RegExp]> = [
    ["async", "src/domain/a.ts", "const a = async () => 1", /^has async/],
    ["await", "src/streams/a.ts", "await b()", /^has await/],
    ["try", "src/domain/a.ts", "try {\n} catch {}", /^has try/],
    ["throw", "src/streams/a.ts", "const a = () => { throw b }", /^has throw/],
    ["the clock", "src/domain/a.ts", "const a = Date.now()", /^has Date\.now/],
    ["the clock in disguise", "src/domain/a.ts", "const a = new Date( )", /^has new Date/],
    ["chance", "src/domain/a.ts", "const a = Math.random()", /^has Math\.random/],
    ["the environment", "src/domain/a.ts", "const a = process.env.HOME", /^has process\.env/],
    ["the runtime", "src/domain/a.ts", 'const a = Bun.file("x")', /^has Bun\./],
    ["any", "src/domain/a.ts", "const a: Array<any> = []", /^has any/],
    ["a cast", "src/streams/a.ts", "const a = b as string", /^has a cast/],
    ["a cast of a call", "src/streams/a.ts", "f(b() as unknown as C)", /^has a cast/],
    ["code inside a template", "src/domain/a.ts", `const a = \`x ${hole}Date.now()} y\``, /^has Date\.now/],
    ["a vendor in domain", "src/domain/a.ts", 'import postgres from "postgres"', /no listed pure module/],
    ["a vendor re-exported", "src/domain/a.ts", 'export * from "hono/tiny"', /no listed pure module/],
    ["an unstable module in streams", "src/streams/a.ts", 'import { H } from "effect/http"', /only `effect` itself/],
    ["domain on streams", "src/domain/b/a.ts", 'import { a } from "../../streams/stage.ts"', /src\/domain may import/],
    ["streams on infra", "src/streams/a.ts", 'const a = import("../infra/bus.ts")', /src\/streams may import/],
    ["infra on main", "src/infra/a.ts", 'import { a } from "../main.ts"', /src\/infra may import/],
    ["a file without a name", "src/infra/utils.ts", "", /named utils/],
    ["a folder without a name", "src/infra/common/bus.ts", "", /named common/],
    ["a part without a name", "src/domain/crawl.types.ts", "", /named types/],
    ["capitals", "src/domain/CrawlJob.ts", "", /not lower case/],
    ["a long file", "src/infra/a.ts", "a\n".repeat(fileLinesMax + 1), /has 301 lines/]
  ]
  test.each(bad.map((row) => [...row] as const))("%s", (_, path, text, complaint) => {
    const complaints = about(path, text)
    expect(complaints.length).toBeGreaterThan(0)
    expect(complaints[0]).toMatch(complaint)
  })

  const good: ReadonlyArray<readonly [name: string, path: string, text: string]> = [
    ["words that are talked about", "src/domain/a.ts", "// async throw any\n/** try { */ const a = 'throw as any'"],
    ["a constant assertion", "src/domain/a.ts", 'export const a = ["x"] as const'],
    [
      "names given on import",
      "src/streams/a.ts",
      'import * as b from "./b.ts"\nimport { c as d } from "../domain/c.ts"'
    ],
    ["names given on export", "src/domain/a.ts", 'export { a as b, type C as D } from "./c.ts"'],
    [
      "Effect.as, Effect.try and Deferred.await",
      "src/streams/a.ts",
      "Deferred.await(b), Effect.try({ try: () => 1, catch: String }).pipe(Effect.as(1))"
    ],
    ["a quote inside a pattern", "src/domain/a.ts", "const a = /[\"'`/]/.test(b) ? c / d : e / f // any"],
    ["a template's text", "src/domain/a.ts", `const a = \`as any ${hole}b} throw\``],
    ["casts and promises at a vendor's edge", "src/infra/a.ts", "const a = async () => (await b()) as C"],
    ["a file of just the size", "src/infra/a.ts", "a\n".repeat(fileLinesMax)]
  ]
  test.each(good.map((row) => [...row] as const))("nothing is wrong with %s", (_, path, text) => {
    expect(about(path, text)).toEqual([])
  })

  test("traces of a machine are found, ordinary addresses are not", () => {
    const found = (text: string) => tracesIn({ path: "a", text }).length
    const slash = "/"
    expect(found(`${slash}home${slash}ada${slash}x`)).toBe(1)
    expect(found(`cd ${slash}work${slash}main`)).toBe(1)
    expect(found(`"${slash}tmp${slash}x"`)).toBe(1)
    expect(found(`https:${slash}${slash}npm.artifactory.corp.example${slash}x`)).toBe(1)
    expect(found("https://registry.npmjs.org/effect https://a.kr/home/ada/1 https://a.kr/work/1 ./work/x")).toBe(0)
  })

  test("migrations with a gap, an odd name or no way back are found", () => {
    const sql = (path: string, text = "-- Way back: drop it.\n") => ({ path, text })
    expect(migrationComplaints([sql("sql/0001_a.sql"), sql("sql/0002_b.sql")])).toEqual([])
    expect(migrationComplaints([sql("sql/0001_a.sql"), sql("sql/0003_b.sql")]).length).toBe(1)
    expect(migrationComplaints([sql("sql/1_a.sql")]).length).toBe(1)
    expect(migrationComplaints([sql("sql/0001_a.sql", "create table a ();")]).length).toBe(1)
  })

  test("imports are read wherever they stand", () => {
    const text =
      'import a from "a"\nimport "b"\nexport * from \'c\'\nconst d = await import("d")\n// import "e"\nconst f = "import g"'
    expect(importsOf(text)).toEqual(["a", "b", "c", "d"])
    expect(codeOf("a /* b */ + 'c' // d\n")).toBe('a  + "" \n')
  })
})
