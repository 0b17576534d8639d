import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Result } from "effect"
import { decodeText } from "../../src/infra/cli/encoding.ts"
import { checkUrl, readSeeds, readText, refusedText, SEED_BYTES_MAX } from "../../src/infra/cli/seeds.ts"

let dir = ""
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "seeds-"))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const file = (name: string, content: string | Uint8Array): string => {
  const path = join(dir, name)
  writeFileSync(path, content)
  return path
}
const seeds = (path: string, more: { strict?: boolean; cidrs?: ReadonlyArray<string> } = {}) =>
  readSeeds({ words: [], file: path, strict: more.strict ?? false, cidrs: more.cidrs ?? [] })
const run = <A, E>(work: Effect.Effect<A, E>) => Effect.runPromise(work)
const failed = async <A, E>(work: Effect.Effect<A, E>): Promise<E> => {
  const result = await Effect.runPromise(Effect.result(work))
  if (Result.isSuccess(result)) throw new Error("it succeeded")
  return result.failure
}

describe("a list of seeds", () => {
  test("without a URL is told, not passed over in silence", async () => {
    const path = file("empty", "\n# nothing yet\n")
    const refusal = await failed(seeds(path))
    expect(refusal).toMatchObject({ exit: "nothing", message: `${path}: no URL in it` })
  })

  test("may have a mark, any line ends, blank lines and comments (B138)", async () => {
    const path = file("lines", "\ufeffhttps://a.kr/\r\n\r\n# note\rhttps://b.kr/\n   https://c.kr/  \n\n")
    const found = await run(seeds(path))
    expect(found.urls.map((it) => it.href)).toEqual(["https://a.kr/", "https://b.kr/", "https://c.kr/"])
  })

  const utf16 = (text: string, mark: boolean) => {
    const units = Buffer.from(mark ? `\ufeff${text}` : text, "utf16le")
    return new Uint8Array(units)
  }
  const encodings: ReadonlyArray<readonly [string, Uint8Array]> = [
    ["UTF-16 LE with its mark", utf16("# 뉴스\nhttps://a.kr/\n", true)],
    ["UTF-16 LE without", utf16("https://a.kr/\n", false)],
    ["UTF-16 BE with its mark", new Uint8Array(Buffer.from("\ufeffhttps://a.kr/\n", "utf16le").swap16())],
    ["EUC-KR", Uint8Array.of(0x23, 0xb4, 0xba, 0xbd, 0xba, 0x0a, ...new TextEncoder().encode("https://a.kr/\n"))]
  ]
  test.each(encodings)("may be %s (B139)", async (name, bytes) => {
    const found = await run(seeds(file(name.replaceAll(" ", "-"), bytes)))
    expect(found.urls.map((it) => it.href)).toEqual(["https://a.kr/"])
  })

  test("in no known encoding is exit 65 with the offset of the first bad byte (B139)", async () => {
    const path = file("bad", new Uint8Array([...new TextEncoder().encode("# é\nhttps://a.kr/"), 0xff, 0xff, 0x41]))
    const error = await failed(readText(path))
    expect(error.exit).toBe("data")
    expect(error.message).toContain("offset 18")
  })

  test("with one bad line of a hundred gives the others and names line 37 (B142)", async () => {
    const lines = Array.from({ length: 100 }, (_, at) => (at === 36 ? "htp:/oops" : `https://site${at}.kr/`))
    const path = file("hundred", lines.join("\n"))
    const found = await run(seeds(path))
    expect(found.urls).toHaveLength(99)
    expect(found.refused.map(refusedText)).toEqual([
      `${path}:37: htp:/oops is left out: scheme_not_allowed: scheme "htp" is not allowed: use http or https`
    ])
    const error = await failed(seeds(path, { strict: true }))
    expect(error.exit).toBe("data")
    expect(error.message).toContain(":37:")
  })

  test("with one page in several spellings is one job, and says so (B143)", async () => {
    const path = file("same", "https://h.kr/a?utm_source=x&b=1#f\nhttps://h.kr/a?b=1\nHTTPS://H.kr:443/a?b=1\n")
    const found = await run(seeds(path))
    expect(found.urls).toHaveLength(1)
    expect(found.repeated).toBe(2)
  })

  const unreadable: ReadonlyArray<readonly [string, () => string]> = [
    ["is missing", () => join(dir, "none")],
    ["is a directory", () => dir],
    ["never ends", () => "/dev/zero"],
    [
      "is a pipe",
      () => {
        const path = join(dir, "fifo")
        spawnSync("mkfifo", [path])
        return path
      }
    ],
    ["is too large", () => file("large", new Uint8Array(SEED_BYTES_MAX + 1))]
  ]
  test.each(unreadable)("that %s is exit 66 and named (B137)", async (_, make) => {
    const path = make()
    const error = await failed(seeds(path))
    expect(error.exit).toBe("input")
    expect(error.message).toContain(path)
  })
  test("a missing list is told in words, not by the system's code alone", async () => {
    const path = join(dir, "none")
    expect((await failed(seeds(path))).message).toStartWith(`${path}: no such file or directory (ENOENT)`)
  })
})

describe("a URL on the command line", () => {
  const table: ReadonlyArray<readonly [url: string, cidrs: string, outcome: string]> = [
    ["http://10.0.0.1/", "", "address_refused"],
    ["http://127.0.0.1:8080/", "", "address_refused"],
    ["http://0x7f000001/", "", "address_refused"],
    ["http://localhost/", "", "address_refused"],
    ["http://a.kr:22/", "", "port_not_allowed"],
    ["file:///etc/passwd", "", "scheme_not_allowed"],
    ["http://u:p@a.kr/", "", "userinfo_not_allowed"],
    ["http://a.kr:65536/", "", "url_invalid"],
    ["http://127.0.0.1:12345/", "127.0.0.0/8", "taken"],
    ["http://10.0.0.1/", "127.0.0.0/8", "address_refused"],
    ["http://93.184.216.34:12345/", "127.0.0.0/8", "port_not_allowed"],
    ["http://localhost:12345/", "127.0.0.0/8", "taken"],
    ["https://a.kr/", "", "taken"]
  ]
  test.each(table)("%s with ALLOW_PRIVATE_CIDRS=%p is %s", (url, cidrs, outcome) => {
    const checked = checkUrl(url, cidrs === "" ? [] : [cidrs])
    expect(Result.isSuccess(checked) ? "taken" : checked.failure.code).toBe(outcome)
  })

  test("is printed with its control characters visible", () => {
    expect(refusedText({ where: "argument 1", input: "http://a\u001b[2J", code: "x", message: "y" })).not.toContain(
      "\u001b"
    )
  })
})

test("the offset is found inside a long text", () => {
  const bytes = new Uint8Array(100_001).fill(0x61)
  bytes[77_777] = 0xff
  bytes[77_778] = 0x20
  const decoded = decodeText(bytes)
  expect(Result.isFailure(decoded) ? decoded.failure : "").toContain("offset 77777")
})

test("a program is no text in a code page that it never named", () => {
  const elf = new Uint8Array(256)
  elf.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0xd8, 0, 0xd8])
  const whole = new Uint8Array(256)
  whole.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1])
  for (const it of [elf, whole, new Uint8Array(256)]) {
    const decoded = decodeText(it)
    expect(Result.isFailure(decoded) ? decoded.failure : "").toBe("is no text: it has zero bytes")
  }
})
