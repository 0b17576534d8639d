import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect, Layer, Semaphore } from "effect"
import { Retryable } from "../domain/errors.ts"
import type { Entry } from "../domain/research/record.ts"
import { Audit } from "../domain/research.ts"
import { Settings } from "./config.ts"

/** One git command, seconds: a remote that says nothing must not hold the trail for ever. */
const GIT_SECONDS = 60
/** Characters of git's complaint that are repeated. */
const SAID_MAX = 300

/** Who commits; the remote's own rules say who may push. */
const identity = ["-c", "user.name=crawler", "-c", "user.email=crawler@localhost", "-c", "commit.gpgsign=false"]

const failed = (message: string) => new Retryable({ code: "network", message })
/** A remote may carry a token in its URL: it is never repeated. */
const without = (text: string) => text.replaceAll(/\/\/[^/@\s]+@/g, "//…@").slice(0, SAID_MAX)

const git = (folder: string, ...words: ReadonlyArray<string>): Effect.Effect<string, Retryable> =>
  Effect.tryPromise({
    try: async () => {
      const child = Bun.spawn(["git", ...identity, ...words], {
        cwd: folder,
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
        timeout: GIT_SECONDS * 1000,
        env: { ...process.env, GIT_TERMINAL_PROMPT: "0" }
      })
      const [out, said, code] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
        child.exited
      ])
      return { out, said, code }
    },
    catch: (cause) => failed(`git ${words[0]}: ${String(cause)}`)
  }).pipe(
    Effect.filterOrFail(
      ({ code }) => code === 0,
      ({ code, said }) => failed(`git ${words[0]} ended with ${code}: ${without(said.trim())}`)
    ),
    Effect.map(({ out }) => out)
  )

const open = Effect.fnUntraced(function* (folder: string, remote: string, branch: string) {
  yield* Effect.tryPromise({
    try: () => mkdir(folder, { recursive: true }),
    catch: (cause) => failed(`${folder}: ${String(cause)}`)
  })
  yield* git(folder, "init", "--quiet", "--initial-branch", branch)
  yield* Effect.ignore(git(folder, "remote", "remove", "origin"))
  yield* git(folder, "remote", "add", "origin", remote)
})

/** Takes over what the remote has: another process may commit there too. An empty remote has no branch yet. */
const follow = (folder: string, branch: string) =>
  git(folder, "fetch", "--quiet", "origin", branch).pipe(
    Effect.andThen(git(folder, "reset", "--quiet", "--hard", "FETCH_HEAD")),
    Effect.catch((error) => (/couldn't find remote ref/i.test(error.message) ? Effect.succeed("") : Effect.fail(error)))
  )

const write = (folder: string, entry: Entry) =>
  Effect.tryPromise({
    try: async () => {
      const target = join(folder, entry.path)
      await mkdir(dirname(target), { recursive: true })
      await writeFile(target, `${JSON.stringify(entry, null, 2)}\n`)
    },
    catch: (cause) => failed(`${entry.path}: ${String(cause)}`)
  })

/** Commits and pushes metadata of datasets; what is there already makes no commit. */
const record = Effect.fnUntraced(function* (folder: string, branch: string, entries: ReadonlyArray<Entry>) {
  yield* follow(folder, branch)
  yield* Effect.forEach(entries, (it) => write(folder, it), { discard: true })
  yield* git(folder, "add", "--all")
  const changed = yield* git(folder, "status", "--porcelain")
  if (changed.trim() !== "") {
    const [first] = entries
    const name = entries.length === 1 ? (first?.dataset_id ?? "") : `${entries.length} datasets`
    yield* git(folder, "commit", "--quiet", "--message", `Research: ${name}`)
  }
  yield* git(folder, "push", "--quiet", "origin", `HEAD:refs/heads/${branch}`)
})

/** Dataset metadata in a git repository (S5.4): RESEARCH_AUDIT_GIT names any remote. */
export const layer: Layer.Layer<Audit, never, Settings> = Layer.effect(
  Audit,
  Effect.gen(function* () {
    const { CRAWLER_DATA_DIR, RESEARCH_AUDIT_GIT: remote, RESEARCH_AUDIT_BRANCH: branch } = yield* Settings
    const turn = yield* Semaphore.make(1)
    const folder = join(CRAWLER_DATA_DIR, "audit")
    return Audit.of({
      enabled: remote !== null,
      record: (entries) =>
        remote === null
          ? Effect.void
          : turn.withPermit(Effect.andThen(open(folder, remote, branch), record(folder, branch, entries)))
    })
  })
)
