import { mkdir, rm, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { Effect, Layer, Semaphore } from "effect"
import { Retryable } from "../domain/errors.ts"
import type { Entry } from "../domain/research/record.ts"
import { Audit } from "../domain/research.ts"
import { Settings } from "./config.ts"

/** One git command, seconds: a remote that says nothing must not hold the trail for ever. */
const GIT_SECONDS = 60
/** Characters of git's complaint that are repeated. */
const SAID_MAX = 300

/** Who commits (the remote's own rules say who may push); and nothing that an operator's own git is set up to do with each commit. */
const ways = ["user.name=crawler", "user.email=crawler@localhost", "commit.gpgsign=false", "core.hooksPath=/dev/null"]
const identity = ways.flatMap((it) => ["-c", it])

const failed = (message: string) => new Retryable({ code: "network", message })
/** A remote may carry a token in its URL: it is never repeated. */
const without = (text: string) => text.replaceAll(/\/\/[^/@\s]+@/g, "//…@").slice(0, SAID_MAX)

/** Variables that a git which started this process leaves behind (a hook): they name its repository, and its author. */
const REPOSITORY =
  /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|NAMESPACE|PREFIX|\w*OBJECT_DIRECTOR\w+|AUTHOR_\w+|COMMITTER_\w+)$/

/** What git is told by the environment: how to reach a remote, never which repository to work on. */
const environment = (): Record<string, string | undefined> => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !REPOSITORY.test(name))),
  GIT_TERMINAL_PROMPT: "0"
})

/** One git command on this folder's repository and no other, however the folder lies in one. */
const git = (folder: string, ...words: ReadonlyArray<string>): Effect.Effect<string, Retryable> =>
  Effect.tryPromise({
    try: async (signal) => {
      const where = words[0] === "init" ? [] : ["--git-dir=.git", "--work-tree=."]
      const child = Bun.spawn(["git", ...identity, ...where, ...words], {
        cwd: folder,
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
        timeout: GIT_SECONDS * 1000,
        signal,
        env: environment()
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

/** A path is meant from where the crawler was started; git would read it from its own folder. */
const addressOf = (remote: string): string => (/^[^/]*:/.test(remote) ? remote : resolve(remote))

const open = Effect.fnUntraced(function* (folder: string, remote: string, branch: string) {
  yield* Effect.tryPromise({
    try: () => mkdir(folder, { recursive: true }),
    catch: (cause) => failed(`${folder}: ${String(cause)}`)
  })
  yield* git(folder, "init", "--quiet", "--initial-branch", branch)
  yield* Effect.ignore(git(folder, "remote", "remove", "origin"))
  yield* git(folder, "remote", "add", "origin", addressOf(remote))
})

const write = (folder: string, entry: Entry) =>
  Effect.tryPromise({
    try: async () => {
      const target = join(folder, entry.path)
      await mkdir(dirname(target), { recursive: true })
      await writeFile(target, `${JSON.stringify(entry, null, 2)}\n`)
    },
    catch: (cause) => failed(`${entry.path}: ${String(cause)}`)
  })

/** Commits metadata of datasets; what is there already makes no commit. */
const commit = Effect.fnUntraced(function* (folder: string, entries: ReadonlyArray<Entry>) {
  yield* Effect.forEach(entries, (it) => write(folder, it), { discard: true })
  yield* git(folder, "add", "--all", "--force")
  const changed = yield* git(folder, "status", "--porcelain")
  if (changed.trim() !== "") {
    const [first] = entries
    const name = entries.length === 1 ? (first?.dataset_id ?? "") : `${entries.length} datasets`
    yield* git(folder, "commit", "--quiet", "--message", `Research: ${name}`)
  }
})

/** The folder is made anew at the next try: what it holds is in the remote, or in datasets that are not audited yet. */
const forget = (folder: string) =>
  Effect.ignore(Effect.tryPromise({ try: () => rm(folder, { recursive: true, force: true }), catch: String }))

/**
 * Takes over, commits, pushes. What fails on this side of the remote (a lock that a killed git left, a folder half made) is cured by
 * beginning anew.
 */
const record = Effect.fnUntraced(function* (
  folder: string,
  { remote, branch }: { readonly remote: string; readonly branch: string },
  entries: ReadonlyArray<Entry>
) {
  const ours = <A>(work: Effect.Effect<A, Retryable>) => Effect.tapError(work, () => forget(folder))
  yield* ours(open(folder, remote, branch))
  const there = yield* git(folder, "ls-remote", "origin", `refs/heads/${branch}`)
  if (there.trim() !== "") {
    yield* git(folder, "fetch", "--quiet", "--depth", "1", "origin", branch)
    yield* ours(git(folder, "reset", "--quiet", "--hard", "FETCH_HEAD"))
  }
  yield* ours(commit(folder, entries))
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
        remote === null ? Effect.void : turn.withPermit(record(folder, { remote, branch }, entries))
    })
  })
)
