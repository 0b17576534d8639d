/**
 * Proof hostile: 200 hostile hosts (50 slow-loris, 50 endless bodies, 50 gzip bombs, 50 redirect loops) beside 50 good ones, all at
 * once: the good ones' p95 fetch time is < 2× what it is alone (the median of three rounds), memory at its highest is < 64 MiB above
 * its highest alone, and each hostile fetch ends by its limit.
 */
import { readFileSync } from "node:fs"
import { createServer, type Socket } from "node:net"
import { gzipSync } from "node:zlib"
import { Effect } from "effect"
import { Fetcher } from "../../src/domain/ports.ts"
import { job, names, wholeFetcher } from "../../test/support/net.ts"
import { articlePage } from "../../test/support/pages.ts"
import { type Bench, prove } from "./proof.ts"

const GOOD = 50
const HOSTILE = 200
/** Pages per good host and measurement. */
const PAGES = Number(process.env.PAGES ?? 40)
const LATENCY_MS = 50
/** One round is at the mercy of whatever else the machine does. */
const ROUNDS = Number(process.env.ROUNDS ?? 3)
const kinds = ["loris", "endless", "bomb", "loop"] as const
/** Time a slow-loris may hold a connection. */
const TIMEOUT = "10s"
const MEBIBYTE = 1_048_576

const bomb = () => gzipSync(Buffer.alloc(64 * MEBIBYTE), { level: 9 })
const chunk = Buffer.alloc(65_536, "<p>more and more of it</p>")

const pour = (socket: Socket) => {
  while (!socket.destroyed && socket.write(chunk));
  if (!socket.destroyed) socket.once("drain", () => pour(socket))
}

/** The web, in a process of its own. The kind of a host is its second number. */
const serve = () => {
  const page = Buffer.from(articlePage("A council votes on a bridge", { body: "Words of an article. ".repeat(250) }))
  const packed = bomb()
  const answer: Readonly<Record<(typeof kinds)[number], (socket: Socket, path: string) => void>> = {
    loris: (socket) => {
      socket.write("HTTP/1.1 200 OK\r\n")
      const timer = setInterval(() => socket.write("X"), 500)
      socket.once("close", () => clearInterval(timer))
    },
    endless: (socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
      pour(socket)
    },
    bomb: (socket) => {
      socket.write(
        `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`
      )
      socket.write(packed)
    },
    loop: (socket, path) => {
      socket.write(`HTTP/1.1 302 Found\r\nLocation: ${path === "/a" ? "/b" : "/a"}\r\nContent-Length: 0\r\n\r\n`)
    }
  }
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy())
    socket.on("data", (bytes) => {
      const path = bytes.toString("latin1").split(" ")[1] ?? "/"
      const kind = kinds[Number((socket.localAddress ?? "").split(".")[1]) - 61]
      if (kind !== undefined) return answer[kind](socket, path)
      setTimeout(() => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${page.length}\r\n\r\n`)
        socket.write(page)
      }, LATENCY_MS)
    })
  })
  server.listen(0, "0.0.0.0", () => {
    const address = server.address()
    console.log(typeof address === "object" && address !== null ? address.port : 0)
  })
}

const start = async (bench: Bench): Promise<number> => {
  const child = Bun.spawn([process.execPath, import.meta.path, "serve"], { stdout: "pipe", stderr: "inherit" })
  bench.later(() => {
    child.kill()
    return child.exited
  })
  const { value } = await child.stdout.getReader().read()
  return Number(new TextDecoder().decode(value))
}

/** Resident memory. */
const resident = (): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync("/proc/self/status", "latin1"))?.[1] ?? 0) * 1024

/** Work, and the most memory that was resident meanwhile; the garbage of what went before aside. */
const watched = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    Bun.gc(true)
    let highest = resident()
    const watch = setInterval(() => {
      highest = Math.max(highest, resident())
    }, 10)
    return Effect.ensuring(
      work,
      Effect.sync(() => clearInterval(watch))
    ).pipe(Effect.map((result) => ({ result, highest })))
  })

const mebibytes = (bytes: number): string => (bytes / MEBIBYTE).toFixed(0)
const p95 = (times: ReadonlyArray<number>): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0

/** Each good host's pages, one after another; all hosts at once. */
const goodPages = (port: number) =>
  Effect.gen(function* () {
    const { fetch } = yield* Fetcher
    const times: Array<number> = []
    const visit = (host: number, at: number) =>
      Effect.gen(function* () {
        const began = performance.now()
        yield* fetch(job(`http://127.60.0.${host + 1}:${port}/news/${at}`), null)
        times.push(performance.now() - began)
      })
    const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)
    yield* Effect.forEach(
      numbers(GOOD),
      (host) => Effect.forEach(numbers(PAGES), (at) => visit(host, at), { discard: true }),
      { concurrency: GOOD, discard: true }
    )
    return times
  })

const attackOf = (port: number, ends: Map<string, number>) =>
  Effect.gen(function* () {
    const { fetch } = yield* Fetcher
    const visit = (at: number) => {
      const kind = at % kinds.length
      const url = `http://127.${61 + kind}.0.${Math.floor(at / kinds.length) + 1}:${port}/a`
      return Effect.gen(function* () {
        const result = yield* Effect.result(fetch(job(url), null))
        const end = `${kinds[kind]} ${result._tag === "Failure" ? (result.failure._tag === "Unavailable" ? "down" : result.failure.code) : "came"}`
        ends.set(end, (ends.get(end) ?? 0) + 1)
      })
    }
    const numbers = Array.from({ length: HOSTILE }, (_, at) => at)
    yield* Effect.forEach(numbers, visit, { concurrency: HOSTILE, discard: true })
  })

interface Round {
  readonly alone: number
  readonly together: number
  /** Bytes at most, alone and beside hostile hosts. */
  readonly memory: readonly [number, number]
}

const measure = (port: number, ends: Map<string, number>) =>
  Effect.gen(function* () {
    yield* goodPages(port)
    const rounds: Array<Round> = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const alone = yield* watched(goodPages(port))
      const both = Effect.all([goodPages(port), attackOf(port, ends)], { concurrency: 2 })
      const together = yield* watched(both)
      const memory = [alone.highest, together.highest] as const
      rounds.push({ alone: p95(alone.result), together: p95(together.result[0]), memory })
    }
    return rounds
  })

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

if (process.argv[2] === "serve") serve()
else
  await prove(async (bench) => {
    const port = await start(bench)
    const env = { FETCH_TIMEOUT: TIMEOUT, FETCH_CONCURRENCY: "256" }
    const ends = new Map<string, number>()
    const rounds = await Effect.runPromise(measure(port, ends).pipe(Effect.provide(wholeFetcher(env, names({}).layer))))
    const ratio = median(rounds.map((it) => it.together / it.alone))
    const most = (at: 0 | 1) => Math.max(...rounds.map((it) => it.memory[at]))
    const grown = most(1) - most(0)
    const came = [...ends].filter(([name]) => name.endsWith(" came")).reduce((sum, [, count]) => sum + count, 0)
    const told = (times: ReadonlyArray<number>) => times.map((it) => it.toFixed(0)).join(", ")
    const fetches = GOOD * PAGES * rounds.length
    return {
      rows: [
        {
          what: "good alone",
          fetches,
          "p95 ms": told(rounds.map((it) => it.alone)),
          "MiB at most": mebibytes(most(0))
        },
        {
          what: "good beside hostile",
          fetches,
          "p95 ms": told(rounds.map((it) => it.together)),
          "MiB at most": mebibytes(most(1))
        },
        ...[...ends].sort().map(([what, count]) => ({ what, fetches: count, "p95 ms": "-", "MiB at most": "-" }))
      ],
      figure: `hostile: p95 ${ratio.toFixed(2)}× what it is alone, RSS +${mebibytes(grown)} MiB, ${came} of ${HOSTILE * rounds.length} came`,
      holds: ratio < 2 && grown < 64 * MEBIBYTE && came === 0
    }
  })
