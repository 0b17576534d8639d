/**
 * Proof fuzz: 10,000 mutated saved pages (cut, shuffled, NUL, deep nesting, wrong charset) are read without a failure, and none takes
 * longer than 5 s, a sixth of the reader's limit.
 */
import { read } from "../../src/domain/read.ts"
import { type Dice, dice } from "../../test/support/web/random.ts"
import { bytesOf, savedPages } from "./pages.ts"
import { prove } from "./proof.ts"

const count = Number(process.env.PAGES ?? 10_000)
/** A sixth of what a reading may take in operation (READER_TIMEOUT). */
const LIMIT_MS = 5_000
/** Pages are cut here, so that many are tried rather than few large ones. */
const BYTES_MAX = 400_000

const joined = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => new Uint8Array(Buffer.concat([...parts]))
const ascii = (text: string): Uint8Array => new TextEncoder().encode(text)

type Mutation = (bytes: Uint8Array, throws: Dice) => Uint8Array
const mutations: Readonly<Record<string, Mutation>> = {
  cut: (bytes, throws) => bytes.subarray(0, throws.whole(bytes.length)),
  shuffled: (bytes, throws) => {
    const size = 1 + throws.whole(4000)
    const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size)
    )
    return joined(
      ...parts
        .map((it) => ({ it, at: throws.share() }))
        .sort((a, b) => a.at - b.at)
        .map(({ it }) => it)
    )
  },
  nul: (bytes, throws) => {
    const copy = bytes.slice()
    for (let at = 0; at < 500; at++) copy[throws.whole(copy.length)] = throws.pick([0, 0xff, 0x3c, 0x22, 0x26])
    return copy
  },
  nested: (bytes, throws) => {
    const [open, depth] = [
      throws.pick(["<div>", "<b><table>", "<ul><li>", "<a href=x>", "<blockquote>"]),
      1 + throws.whole(8000)
    ]
    const at = throws.whole(bytes.length)
    return joined(bytes.subarray(0, at), ascii(open.repeat(depth)), bytes.subarray(at))
  },
  charset: (bytes, throws) =>
    joined(
      ascii(`<meta charset="${throws.pick(["euc-kr", "utf-16", "shift_jis", "iso-2022-jp", "x-none", "gbk"])}">`),
      bytes
    ),
  repeated: (bytes, throws) => {
    const from = throws.whole(bytes.length)
    const piece = bytes.subarray(from, from + 1 + throws.whole(300))
    return joined(
      bytes.subarray(0, from),
      ...Array.from({ length: throws.whole(1500) }, () => piece),
      bytes.subarray(from)
    )
  }
}

await prove(async () => {
  const pages = ["naeb", "fundus", "wcxb"].flatMap((set) => savedPages(set))
  const tried = new Map<string, { pages: number; crashed: number; late: number; slowest: number }>()
  const names = Object.keys(mutations)
  for (let at = 0; at < count; at++) {
    const page = pages[at % pages.length]
    const name = names[(at + Math.floor(at / pages.length)) % names.length] ?? "cut"
    if (page === undefined) continue
    const bytes = mutations[name]?.(bytesOf(page).subarray(0, BYTES_MAX), dice(11, `${at}`)) ?? new Uint8Array()
    const row = tried.get(name) ?? { pages: 0, crashed: 0, late: 0, slowest: 0 }
    tried.set(name, row)
    row.pages += 1
    const began = performance.now()
    try {
      const hints = {
        url: page.url,
        expected: "auto",
        status: 200,
        content_type: null,
        truncated: false,
        fetched_at: Date.now(),
        html: true
      } as const
      read(bytes, hints, null)
    } catch (error) {
      row.crashed += 1
      console.error(`${name} ${at} ${page.id}: ${String(error)}`)
    }
    const ms = performance.now() - began
    row.slowest = Math.max(row.slowest, ms)
    if (ms > LIMIT_MS) row.late += 1
  }
  const rows = [...tried].map(([mutation, it]) => ({ mutation, ...it, slowest: `${it.slowest.toFixed(0)} ms` }))
  const sum = (key: "crashed" | "late" | "pages") => rows.reduce((total, it) => total + it[key], 0)
  const slowest = Math.max(...[...tried.values()].map((it) => it.slowest))
  return {
    rows,
    figure: `fuzz: ${sum("pages")} mutated pages, ${sum("crashed")} failures, ${sum("late")} over ${LIMIT_MS} ms, slowest ${slowest.toFixed(0)} ms`,
    holds: sum("pages") === count && sum("crashed") === 0 && sum("late") === 0
  }
})
