import { describe, expect, test } from "bun:test"
import { Message } from "../../../src/infra/transport/message.ts"

/** What a stream of bytes is taken for, when it comes in these pieces and then ends. */
const taken = (bytes: Buffer, cuts: ReadonlyArray<number> = []) => {
  const message = new Message("GET")
  const body: Array<Buffer> = []
  const ends = [...cuts, bytes.length]
  for (const [index, end] of ends.entries()) {
    // The message may write into its pieces.
    body.push(Buffer.from(message.feed(Buffer.from(bytes.subarray(ends[index - 1] ?? 0, end)))))
  }
  const before = message.state
  message.finish()
  const { head, state, persistent } = message
  const headers = [...(head?.headers.entries() ?? [])]
  return { status: head?.status, headers, body: Buffer.concat(body).toString("latin1"), before, state, persistent }
}

const says = (...lines: ReadonlyArray<string>) => lines.join("\r\n")
const OK = "HTTP/1.1 200 OK"
const chunked = (...lines: ReadonlyArray<string>) => says(OK, "Transfer-Encoding: chunked", "", ...lines)
const kib = (count: number, text = "x") => text.repeat(1024 * count)

interface Row {
  readonly what: string
  readonly text: string
  readonly body?: string
  readonly state: "done" | "broken"
  readonly persistent?: boolean
}
const rows: ReadonlyArray<Row> = [
  {
    what: "a length",
    text: says(OK, "Content-Length: 5", "", "hello"),
    body: "hello",
    state: "done",
    persistent: true
  },
  { what: "no body", text: says(OK, "Content-Length: 0", "", ""), body: "", state: "done", persistent: true },
  { what: "too few bytes", text: says(OK, "Content-Length: 9", "", "hello"), body: "hello", state: "broken" },
  {
    what: "bytes behind",
    text: says(OK, "Content-Length: 2", "", "hello"),
    body: "he",
    state: "done",
    persistent: false
  },
  {
    what: "bytes behind no body",
    text: says("HTTP/1.1 204 Empty", "", "hello"),
    body: "",
    state: "done",
    persistent: false
  },
  { what: "all until the end", text: says(OK, "", "hello"), body: "hello", state: "done", persistent: false },
  { what: "nothing until the end", text: says(OK, "", ""), body: "", state: "done", persistent: false },
  {
    what: "chunks",
    text: chunked("5", "hello", "6", " world", "0", "", ""),
    body: "hello world",
    state: "done",
    persistent: true
  },
  { what: "no chunk", text: chunked("0", "", ""), body: "", state: "done", persistent: true },
  {
    what: "big sizes, zeros, capitals",
    text: chunked("0000A", "0123456789", "00", "", ""),
    body: "0123456789",
    state: "done"
  },
  {
    what: "extensions and blanks",
    text: chunked('5;a="b"', "hello", "1 ", "!", "0;x", "", ""),
    body: "hello!",
    state: "done"
  },
  {
    what: "a trailer",
    text: chunked("1", "a", "0", "Expires: never", "X: y", "", ""),
    body: "a",
    state: "done",
    persistent: true
  },
  {
    what: "bare line ends",
    text: "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2\nhi\n0\n\n",
    body: "hi",
    state: "done"
  },
  {
    what: "bytes behind the chunks",
    text: chunked("1", "a", "0", "", "more"),
    body: "a",
    state: "done",
    persistent: false
  },
  { what: "a chunk cut off", text: chunked("5", "hel"), body: "hel", state: "broken" },
  { what: "the last chunk missing", text: chunked("5", "hello", ""), body: "hello", state: "broken" },
  { what: "the trailer's end missing", text: chunked("5", "hello", "0", ""), body: "hello", state: "broken" },
  { what: "a chunk longer than it says", text: chunked("3", "hello", "0", "", ""), body: "hel", state: "broken" },
  { what: "a size that is none", text: chunked("5", "hello", "xyz", "hello"), body: "hello", state: "broken" },
  { what: "a negative size", text: chunked("-5", "hello"), body: "", state: "broken" },
  { what: "no size", text: chunked("", "hello"), body: "", state: "broken" },
  { what: "a size past all numbers", text: chunked("fffffffffffffffff", "hello"), body: "", state: "broken" },
  { what: "an extension without end", text: chunked(`5;${kib(32)}`, "hello"), body: "", state: "broken" },
  { what: "a trailer without end", text: chunked("1", "a", "0", kib(32, "a: b\r\n")), body: "a", state: "broken" },
  {
    what: "interim answers first",
    text: says(
      "HTTP/1.1 100 Continue",
      "",
      "HTTP/1.1 103 Early Hints",
      "Link: <a>",
      "",
      OK,
      "Content-Length: 1",
      "",
      "a"
    ),
    body: "a",
    state: "done",
    persistent: true
  },
  { what: "only an interim answer", text: says("HTTP/1.1 100 Continue", "", ""), state: "broken" },
  {
    what: "another protocol",
    text: says("HTTP/1.1 101 Switching Protocols", "Upgrade: x", "", "abc"),
    state: "broken"
  },
  {
    what: "empty lines first",
    text: `\r\n\n\r\n${says(OK, "Content-Length: 1", "", "a")}`,
    body: "a",
    state: "done",
    persistent: true
  },
  {
    what: "a long head",
    text: says(OK, `X: ${kib(200)}`, "Content-Length: 1", "", "a"),
    body: "a",
    state: "done",
    persistent: true
  },
  { what: "a head too long", text: says(OK, `X: ${kib(257)}`, "Content-Length: 1", "", "a"), state: "broken" },
  {
    what: "interim answers too long",
    text: `${says("HTTP/1.1 103 Hints", `Link: ${kib(100)}`, "", "")}${says("HTTP/1.1 103 Hints", `Link: ${kib(100)}`, "", "")}${says(OK, `Link: ${kib(100)}`, "", "")}`,
    state: "broken"
  },
  { what: "too many headers", text: says(OK, kib(2, "a: b\r\n"), "", ""), state: "broken" },
  {
    what: "chunks of one byte",
    text: chunked(...Array.from({ length: 3000 }, () => "1\r\nx"), "0", "", ""),
    body: "x".repeat(3000),
    state: "done",
    persistent: true
  },
  {
    what: "more sizes than bytes",
    text: chunked(...Array.from({ length: 3000 }, () => "0000000000001\r\nx"), "0", "", ""),
    state: "broken"
  },
  {
    what: "chunks of few and many bytes",
    text: chunked(...[3, 17, 16, 300, 1].map((it) => `${it.toString(16)}\r\n${"y".repeat(it)}`), "0", "", ""),
    body: "y".repeat(337),
    state: "done"
  },
  { what: "empty lines without end", text: kib(300, "\r\n"), state: "broken" },
  { what: "a head without end", text: says(OK, "X: y"), state: "broken" },
  { what: "another language", text: "<html>hello</html>", state: "broken" },
  { what: "nothing", text: "", state: "broken" },
  { what: "two lengths", text: says(OK, "Content-Length: 1", "Content-Length: 2", "", "ab"), state: "broken" }
]

describe("an answer", () => {
  test.each(rows.map((row) => [row.what, row] as const))("with %s", (_, { text, body, state, persistent }) => {
    const result = taken(Buffer.from(text, "latin1"))
    expect(result.state).toBe(state)
    if (body !== undefined) expect(result.body).toBe(body)
    if (persistent !== undefined) expect(result.persistent).toBe(persistent)
  })

  test("is over as soon as it has come, not when the connection ends", () => {
    const ended = rows
      .filter(({ text }) => taken(Buffer.from(text, "latin1")).before === "done")
      .map(({ what }) => what)
    expect(ended).toContain("a length")
    expect(ended).toContain("a trailer")
    expect(ended).not.toContain("all until the end")
  })

  test("to HEAD has no body, whatever it announces", () => {
    const message = new Message("HEAD")
    message.feed(Buffer.from(says(OK, "Content-Length: 5", "", "")))
    expect([message.state, message.persistent]).toEqual(["done", true])
  })

  test("in another language is known by its first bytes", () => {
    const message = new Message("GET")
    message.feed(Buffer.from("SSH-2.0"))
    expect(message.state).toBe("broken")
  })
})

/** A seeded generator (mulberry32). */
const seeded = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below
  }
}

const cutsOf = (length: number, random: (below: number) => number): ReadonlyArray<number> =>
  [...new Set(Array.from({ length: 1 + random(8) }, () => Math.floor(random(length))))].toSorted((a, b) => a - b)

describe("an answer is the same however the network cuts it", () => {
  const same = (bytes: Buffer, cuts: ReadonlyArray<number>) => {
    // Whether the end was seen before the connection's end is told by the state.
    expect({ cuts, ...taken(bytes, cuts) }).toEqual({ cuts, ...taken(bytes) })
  }

  test("byte by byte", () => {
    for (const { text } of rows.filter((row) => row.text.length < 1000)) {
      same(
        Buffer.from(text, "latin1"),
        Array.from({ length: text.length }, (_, at) => at)
      )
    }
  })

  test("at random places", () => {
    const random = seeded(7)
    for (const { text } of rows) {
      const bytes = Buffer.from(text, "latin1")
      for (let turn = 0; turn < 20; turn += 1) same(bytes, cutsOf(bytes.length, random))
    }
  })

  test("and with bytes changed, dropped or doubled at random", () => {
    const random = seeded(11)
    const short = rows.filter((row) => row.text.length < 1000)
    for (let turn = 0; turn < 3000; turn += 1) {
      const bytes = Buffer.from(short[Math.floor(random(short.length))]?.text ?? "", "latin1")
      if (bytes.length === 0) continue
      const at = Math.floor(random(bytes.length))
      const kind = Math.floor(random(3))
      if (kind === 0) bytes[at] = Math.floor(random(256))
      const spoilt = kind === 1 ? Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]) : bytes
      same(
        kind === 2 ? Buffer.concat([bytes.subarray(0, at), bytes.subarray(at >> 1)]) : spoilt,
        cutsOf(bytes.length - 1, random)
      )
    }
  })
})
