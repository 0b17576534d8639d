import { expect, test } from "bun:test"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { embedded } from "../../src/infra/database.postgres.ts"
import { Database } from "../../src/infra/database.ts"
import { cluster } from "../../src/infra/embedded/cluster.ts"
import { lock } from "../../src/infra/embedded/lock.ts"
import type { StoreRefused } from "../../src/infra/embedded/refused.ts"
import { buildSeed, seedPath } from "../../src/infra/embedded/seed.ts"
import { latest } from "../../src/infra/migrate.ts"
import { live } from "../support/effect.ts"
import { temporary, temporaryDir } from "../support/store.ts"

const seed = Effect.promise(() => buildSeed(seedPath))
const refusal = <A, R>(work: Effect.Effect<A, StoreRefused, R>) => Effect.flip(work)
const root = join(import.meta.dir, "../..")

/** Another process: what it prints, until it is killed. */
const another = (program: string, ...args: ReadonlyArray<string>) => {
  const child = Bun.spawn([process.execPath, "-e", program, ...args], { cwd: root, stdout: "pipe", stderr: "inherit" })
  const reader = child.stdout.getReader()
  const says = async (): Promise<string> => new TextDecoder().decode((await reader.read()).value)
  const kill = async () => {
    child.kill("SIGKILL")
    await child.exited
  }
  return { says, kill, pid: child.pid }
}

const holder = `
  import { Effect } from "effect"
  import { lock } from "./src/infra/embedded/lock.ts"
  await Effect.runPromise(Effect.scoped(Effect.gen(function* () {
    yield* lock(process.argv[1])
    console.log("held")
    yield* Effect.never
  })))`

live("a data dir held by a live process is refused with its pid, and free once that process is killed", () =>
  Effect.gen(function* () {
    const dir = yield* temporary
    const other = another(holder, dir)
    expect(yield* Effect.promise(other.says)).toBe("held\n")
    const refused = yield* refusal(Effect.scoped(lock(dir)))
    expect(refused.exit).toBe(75)
    expect(refused.message).toContain(`process ${other.pid}`)
    yield* Effect.promise(other.kill)
    yield* Effect.scoped(lock(dir))
  })
)

live("a child process of the holder does not keep the lock", () =>
  Effect.gen(function* () {
    const dir = yield* temporary
    const program = holder.replace(
      'console.log("held")',
      `console.log(Bun.spawn(["sleep", "60"], { stdio: ["ignore", "ignore", "ignore"] }).pid)`
    )
    const other = another(program, dir)
    const grandchild = Number(yield* Effect.promise(other.says))
    yield* Effect.promise(other.kill)
    yield* Effect.scoped(lock(dir)).pipe(Effect.ensuring(Effect.sync(() => process.kill(grandchild, "SIGKILL"))))
  })
)

live("a lock file left behind by a dead process refuses nobody", () =>
  Effect.gen(function* () {
    const dir = yield* temporary
    writeFileSync(join(dir, "lock"), "1\n")
    yield* Effect.scoped(lock(dir))
    expect(readFileSync(join(dir, "lock"), "utf8")).toBe(`${process.pid}\n`)
  })
)

live("one process cannot open a data dir twice either", () =>
  Effect.gen(function* () {
    const dir = yield* temporary
    yield* lock(dir)
    expect((yield* refusal(Effect.scoped(lock(dir)))).exit).toBe(75)
  })
)

live("a data dir of a newer schema is refused and left as it is", () =>
  Effect.gen(function* () {
    const dir = yield* temporary
    writeFileSync(join(dir, "schema"), `${latest + 1}\n`)
    const refused = yield* refusal(Effect.scoped(embedded(dir)))
    expect(refused.exit).toBe(78)
    expect(refused.message).toContain(String(latest + 1))
    expect(readdirSync(dir)).toEqual(["schema"])
  })
)

/** What a copy that lacks a part has left: folders end in a slash. */
const copies: ReadonlyArray<readonly [left: ReadonlyArray<string>, said: string]> = [
  [["schema"], "has schema but no pg,"],
  [["schema", "raws/2031-05-11"], "has schema, raws but no pg,"],
  [["schema", "pg/base/1"], "has pg, schema but no pg/PG_VERSION,"],
  [["raws/2031-05-11"], "has raws but no pg,"]
]
for (const [left, said] of copies) {
  live(
    `a data dir of which only ${left.join(" and ")} is left is no empty store: it is refused, and left as it is`,
    () =>
      Effect.gen(function* () {
        const dir = yield* temporary
        for (const it of left) {
          mkdirSync(join(dir, it, ".."), { recursive: true })
          writeFileSync(join(dir, it), "1\n")
        }
        const before = readdirSync(dir)
        const refused = yield* refusal(cluster(dir))
        expect(refused.exit).toBe(74)
        expect(refused.message).toContain(said)
        expect(refused.message).toContain("name another folder by CRAWLER_DATA_DIR")
        expect(readdirSync(dir)).toEqual(before)
      })
  )
}

live("folders made ready for a first start do not stand in its way", () =>
  Effect.gen(function* () {
    yield* seed
    const dir = yield* temporary
    for (const it of ["pg", "raws"]) mkdirSync(join(dir, it))
    expect(yield* cluster(dir)).toBe(join(dir, "pg"))
  })
)

live("a database whose files are damaged is refused with what its server says and what helps", () =>
  Effect.gen(function* () {
    yield* seed
    const dir = yield* temporary
    rmSync(join(yield* cluster(dir), "base"), { recursive: true })
    const refused = yield* refusal(Effect.scoped(embedded(dir)))
    expect(refused.exit).toBe(74)
    expect(refused.message).toContain('/pg: FATAL:  database "postgres" does not exist (its files are damaged')
    expect(refused.message).toContain("restore all of it from a copy")
  })
)

live("a data dir that cannot be made is refused with the reason", () =>
  Effect.gen(function* () {
    const dir = yield* temporary
    writeFileSync(join(dir, "file"), "")
    const refused = yield* refusal(Effect.scoped(embedded(join(dir, "file", "data"))))
    expect(refused.exit).toBe(74)
    expect(refused.message).toContain("CRAWLER_DATA_DIR")
  })
)

// Root may write everywhere, so this sentence needs another user.
test.skipIf(process.getuid?.() === 0)("a data dir that is read-only is refused", async () => {
  const dir = temporaryDir()
  chmodSync(dir, 0o500)
  const refused = await Effect.runPromise(refusal(Effect.scoped(embedded(dir))))
  expect(refused.exit).toBe(74)
})

live("what was acknowledged is there after a SIGKILL, and a start that died half way is started again", () =>
  Effect.gen(function* () {
    yield* seed
    const dir = yield* temporary
    mkdirSync(join(dir, "pg.new"))
    writeFileSync(join(dir, "pg.new", "half"), "")
    const other = another(
      `
      import { Effect } from "effect"
      import { embedded } from "./src/infra/database.postgres.ts"
      await Effect.runPromise(Effect.scoped(Effect.gen(function* () {
        const database = yield* embedded(process.argv[1])
        yield* database.query("insert into audit_log (actor, action, subject) values ('test', 'written', 'a')")
        console.log("acknowledged")
        yield* Effect.never
      })))`,
      dir
    )
    expect(yield* Effect.promise(other.says)).toBe("acknowledged\n")
    yield* Effect.promise(other.kill)
    const database = yield* embedded(dir)
    expect(yield* database.query("select subject from audit_log")).toEqual([{ subject: "a" }])
    expect(existsSync(join(dir, "pg.new"))).toBe(false)
    expect(statSync(join(dir, "pg")).mode & 0o077).toBe(0)
    expect(readFileSync(join(dir, "schema"), "utf8")).toBe(`${latest}\n`)
  })
)

live("a data dir with a path too long for a socket opens all the same", () =>
  Effect.gen(function* () {
    yield* seed
    const dir = join(yield* temporary, "a-rather-long-name-of-a-folder".repeat(4))
    const database = yield* embedded(dir)
    expect(yield* database.query("select 1 as one")).toEqual([{ one: 1 }])
    expect(existsSync(join(dir, "pg.sock"))).toBe(false)
  })
)

live("closing the scope frees the data dir for the next owner", () =>
  Effect.gen(function* () {
    yield* seed
    const dir = yield* temporary
    const layer = Layer.effect(Database, embedded(dir))
    const insert = Database.use((it) =>
      it.query("insert into audit_log (actor, action, subject) values ('test', 'written', 'a')")
    )
    yield* insert.pipe(Effect.provide(layer, { local: true }))
    yield* insert.pipe(Effect.provide(layer, { local: true }))
    const rows = Database.use((it) => it.query("select subject from audit_log"))
    expect(yield* rows.pipe(Effect.provide(layer, { local: true }))).toEqual([{ subject: "a" }, { subject: "a" }])
  })
)
