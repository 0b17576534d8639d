import { expect, test } from "bun:test"
import { Effect, Exit, Result, Schema } from "effect"
import { BadData, Unavailable } from "../../src/domain/errors.ts"
import { connectTo, embedded, remote } from "../../src/infra/database.postgres.ts"
import { Database, type Meaning, meaning } from "../../src/infra/database.ts"
import { Halt } from "../../src/infra/halt.ts"
import { checksum, latest, migrate, status } from "../../src/infra/migrate.ts"
import { migrations } from "../../src/infra/migrations.ts"
import { encode } from "../../src/infra/sql/rows.ts"
import { live } from "../support/effect.ts"
import { embeddedStore, stores, temporary } from "../support/store.ts"

const sqlError = (code: string) => Object.assign(new Error(code), { name: "PostgresError", code })
const driverError = (code: string) => Object.assign(new Error(code), { code })

const meanings: ReadonlyArray<readonly [string, unknown, Meaning]> = [
  ["a NUL in a text", sqlError("22021"), "data"],
  ["a bad JSON escape", sqlError("22P05"), "data"],
  ["a broken constraint", sqlError("23514"), "data"],
  ["an index row too large", sqlError("54000"), "data"],
  ["a full disk", sqlError("53100"), "full"],
  ["too many connections", sqlError("53300"), "outage"],
  ["a shutdown", sqlError("57P01"), "outage"],
  ["a deadlock", sqlError("40P01"), "outage"],
  ["a wrong password", sqlError("28P01"), "outage"],
  ["an unknown column", sqlError("42703"), "bug"],
  ["a refused connection", driverError("ECONNREFUSED"), "outage"],
  ["a connection that ended", driverError("CONNECTION_ENDED"), "outage"],
  ["a connection that closed", driverError("CONNECTION_CLOSED"), "outage"],
  ["a connection that took too long", driverError("CONNECT_TIMEOUT"), "outage"],
  ["an undefined parameter", driverError("UNDEFINED_VALUE"), "bug"],
  ["an error of another kind", new TypeError("x"), "bug"],
  ["no error at all", "x", "bug"]
]
for (const [what, error, expected] of meanings) {
  test(`${what} means: ${expected}`, () => expect(meaning(error)).toBe(expected))
}

const texts: ReadonlyArray<readonly [string, unknown, unknown]> = [
  ["NUL", "a\0b", "a\ufffdb"],
  ["half of a surrogate pair", "a\ud800b", "a\ufffdb"],
  ["a whole pair", "😀", "😀"],
  ["an escape that only looks like NUL", "a\\u0000b", "a\\u0000b"],
  ["NUL deep inside, in a key too", { "k\0": ["x\0", 1, null, true] }, { "k\ufffd": ["x\ufffd", 1, null, true] }]
]
for (const [what, given, expected] of texts) {
  test(`text is made storable: ${what}`, () => expect(JSON.parse(encode(given))).toEqual(expected))
}

for (const store of stores) {
  const it = <A, E>(name: string, program: Effect.Effect<A, E, Database>) =>
    live(`database, ${store.name}: ${name}`, () => program.pipe(Effect.provide(store.layer)))

  it(
    "text with NUL and lone surrogates is stored cleaned, whatever else is in the batch",
    Effect.gen(function* () {
      const database = yield* Database
      const given = ["fine", "a\0b", "a\ud83db", "\\u0000"]
      const rows = yield* database.query<{ t: string }>("select t from json_array_elements_text($1::text::json) t", [
        encode(given)
      ])
      expect(rows.map((it) => it.t)).toEqual(["fine", "a\ufffdb", "a\ufffdb", "\\u0000"])
    })
  )

  it(
    "a value that cannot be stored is BadData, and the next query is answered",
    Effect.gen(function* () {
      const database = yield* Database
      const result = yield* Effect.result(database.query("select $1::text::jsonb", ['{"a": "\\u0000"}']))
      expect(Result.isFailure(result) && Schema.is(BadData)(result.failure)).toBe(true)
      expect(yield* database.query("select 1 as one")).toEqual([{ one: 1 }])
    })
  )

  it(
    "a statement that cannot be right is a defect",
    Effect.gen(function* () {
      const exit = yield* Effect.exit(Database.use((database) => database.query("select no_such_column")))
      expect(Exit.isFailure(exit) && exit.cause.reasons.every((it) => it._tag === "Die")).toBe(true)
    })
  )

  it(
    "instants go in and out to the millisecond",
    Effect.gen(function* () {
      const database = yield* Database
      for (const at of [0, 1, 1_700_000_000_123, 1_795_999_999_999, -62_135_596_800_000]) {
        expect(yield* database.query("select ms_of(at_ms($1)) as at", [at])).toEqual([{ at }])
      }
    })
  )

  it(
    "the schema is at the latest version, and migrating again changes nothing",
    Effect.gen(function* () {
      const database = yield* Database
      const { applied, pending } = yield* status(database)
      expect(applied.map((it) => it.version)).toEqual(migrations.map((it) => it.version))
      expect(pending).toEqual([])
      expect(yield* migrate(database, null)).toEqual([])
    })
  )

  it(
    "a migration that was edited after it was applied is refused, and so is a newer schema",
    Effect.gen(function* () {
      const database = yield* Database
      const refused = (change: string, undo: string) =>
        Effect.gen(function* () {
          yield* database.query(change)
          return yield* Effect.flip(migrate(database, null))
        }).pipe(Effect.ensuring(Effect.orDie(database.query(undo))))
      const edited = yield* refused(
        "update schema_versions set checksum = 'other' where version = 1",
        `update schema_versions set checksum = '${checksum(migrations[0]!)}' where version = 1`
      )
      expect([edited.exit, edited.message.includes("0001_store.sql")]).toEqual([78, true])
      const newer = yield* refused(
        `insert into schema_versions (version, name, checksum) values (${latest + 1}, 'x', 'x')`,
        `delete from schema_versions where version = ${latest + 1}`
      )
      expect(newer.exit).toBe(78)
    })
  )
}

live("a full disk ends the process at once with 74, since the next query would hang", () =>
  Effect.gen(function* () {
    const halted: Array<number> = []
    const database = yield* embedded(yield* temporary).pipe(Effect.provideService(Halt, (code) => halted.push(code)))
    yield* Effect.result(database.script("do $$ begin raise exception using errcode = '53100'; end $$"))
    expect(halted).toEqual([74])
  })
)

live("a server that cannot be reached is no reason to refuse: its queries are Unavailable", () =>
  Effect.gen(function* () {
    // Port 1 on loopback: nobody listens there.
    const database = yield* remote("postgres://u:p@127.0.0.1:1/x", 1)
    const result = yield* Effect.result(database.query("select 1"))
    expect(Result.isFailure(result) && Schema.is(Unavailable)(result.failure)).toBe(true)
  })
)

live("a DATABASE_URL of another form is refused without being repeated", () =>
  Effect.gen(function* () {
    const refused = yield* Effect.flip(connectTo("mysql://user:secret@host/db", 1))
    expect(refused.exit).toBe(78)
    expect(refused.message).not.toContain("secret")
  })
)

live("two queries at once are answered each with its own rows", () =>
  Effect.gen(function* () {
    const database = yield* Database
    const asked = Array.from({ length: 50 }, (_, n) => n)
    const rows = yield* Effect.forEach(asked, (n) => database.query("select $1::int as n", [n]), { concurrency: 50 })
    expect(rows).toEqual(asked.map((n) => [{ n }]))
  }).pipe(Effect.provide(embeddedStore))
)
