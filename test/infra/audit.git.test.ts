import { describe, expect } from "bun:test"
import { existsSync, readdirSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer, Result } from "effect"
import type { Entry } from "../../src/domain/research/record.ts"
import { Audit } from "../../src/domain/research.ts"
import * as git from "../../src/infra/audit.git.ts"
import { live } from "../support/effect.ts"
import { settingsOf, temporaryDir } from "../support/store.ts"

const run = (cwd: string, ...words: ReadonlyArray<string>): string => {
  const done = Bun.spawnSync(["git", ...words], { cwd })
  if (done.exitCode !== 0) throw new Error(`git ${words.join(" ")}: ${done.stderr}`)
  return done.stdout.toString().trim()
}
/** An empty remote, and data dirs of processes that push to it. */
const remoteOf = (name = "audit remote.git") => {
  const path = join(temporaryDir(), name)
  run(temporaryDir(), "init", "--quiet", "--bare", path)
  return path
}
const trail = (remote: string, dir = temporaryDir()) => ({
  dir,
  layer: git.layer.pipe(Layer.provide(settingsOf({ CRAWLER_DATA_DIR: dir, RESEARCH_AUDIT_GIT: remote })))
})
const files = (remote: string) => run(remote, "ls-tree", "-r", "--name-only", "main").split("\n")
const commits = (remote: string) => Number(run(remote, "rev-list", "--count", "main"))

const entry = (number: number): Entry => ({
  dataset_id: `sg-news-2026-01-25-000${number}`,
  path: `research/datasets/country=sg/category=news/2026-01-25_000${number}.json`,
  sha256: "0".repeat(64),
  record_count: 8,
  size_bytes: 4512,
  created_at: "2026-01-25T03:12:00Z",
  date: "2026-01-25",
  batch_id: "batch_2026-01-25_sg-news_001",
  chunk_index: number,
  partial: false,
  unique_domains: 3,
  research_methods: ["crtsh"]
})
const record = (...numbers: ReadonlyArray<number>) => Audit.use((it) => it.record(numbers.map(entry)))

describe("the audit trail in a git repository (S5.4, S5.29)", () => {
  live("has each dataset's metadata at its path; the same again makes no commit", () => {
    const remote = remoteOf()
    return Effect.gen(function* () {
      yield* record(1, 2)
      yield* record(1, 2)
      expect(files(remote)).toEqual([entry(1).path, entry(2).path])
      expect(commits(remote)).toBe(1)
      expect(JSON.parse(run(remote, "show", `main:${entry(1).path}`))).toEqual(entry(1))
      yield* record(3)
      expect(run(remote, "log", "-1", "--format=%s %an", "main")).toBe("Research: sg-news-2026-01-25-0003 crawler")
      expect(files(remote).length).toBe(3)
    }).pipe(Effect.provide(trail(remote).layer))
  })

  live("keeps what other processes pushed meanwhile", () => {
    const remote = remoteOf()
    const [one, two] = [trail(remote), trail(remote)]
    return Effect.gen(function* () {
      yield* Effect.provide(record(1), one.layer)
      yield* Effect.provide(record(2), two.layer)
      yield* Effect.provide(record(3), one.layer)
      expect(files(remote)).toEqual([1, 2, 3].map((it) => entry(it).path))
    })
  })

  live("waits while the remote is away, and goes on when it is back", () => {
    const remote = remoteOf()
    return Effect.gen(function* () {
      yield* record(1)
      renameSync(remote, `${remote}.away`)
      const failed = yield* Effect.result(record(2))
      expect(Result.isFailure(failed) ? failed.failure._tag : "done").toBe("Retryable")
      renameSync(`${remote}.away`, remote)
      yield* record(2)
      expect(files(remote).length).toBe(2)
    }).pipe(Effect.provide(trail(remote).layer))
  })

  live("begins anew after a git that was killed: a lock it left is no end", () => {
    const remote = remoteOf()
    const { dir, layer } = trail(remote)
    return Effect.gen(function* () {
      yield* record(1)
      writeFileSync(join(dir, "audit", ".git", "index.lock"), "")
      yield* Effect.retry(record(2), { times: 1 })
      writeFileSync(join(dir, "audit", ".git", "HEAD"), "")
      yield* Effect.retry(record(3), { times: 1 })
      expect(files(remote).length).toBe(3)
    }).pipe(Effect.provide(layer))
  })

  live("touches no other repository, though the environment or a folder above names one", () => {
    const other = temporaryDir()
    run(other, "init", "--quiet")
    writeFileSync(join(other, "precious"), "not committed")
    const remote = remoteOf()
    const { layer } = trail(remote, join(other, "data"))
    const given = process.env.GIT_DIR
    return Effect.gen(function* () {
      process.env.GIT_DIR = join(other, ".git")
      yield* record(1)
      expect(readdirSync(other).sort()).toEqual([".git", "data", "precious"])
      expect(existsSync(join(other, ".git", "refs", "remotes", "origin"))).toBe(false)
      expect(files(remote)).toEqual([entry(1).path])
    }).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          if (given === undefined) delete process.env.GIT_DIR
          else process.env.GIT_DIR = given
        })
      ),
      Effect.provide(layer)
    )
  })

  live("never repeats the token of a remote", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(record(1))
      expect(failed.message).toContain("git")
      expect(failed.message).not.toContain("a-secret")
    }).pipe(Effect.provide(trail("http://user:a-secret@127.0.0.1:1/x.git").layer))
  )
})
