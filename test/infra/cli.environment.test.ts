import { describe, expect, test } from "bun:test"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Result } from "effect"
import { doctorExit, doctorText, examine } from "../../src/infra/cli/doctor.ts"
import { readEnvironment, strangers } from "../../src/infra/cli/environment.ts"
import { settingsText, shownSettings } from "../../src/infra/cli/settings.ts"
import { table } from "../../src/infra/cli/table.ts"
import { settings } from "../../src/infra/config.ts"

const problems = (env: Record<string, string>) => {
  const read = readEnvironment(env)
  return Result.isFailure(read) ? read.failure.map(({ name, value, form }) => `${name}=${value}: ${form}`) : []
}

describe("settings that cannot be", () => {
  const table: ReadonlyArray<readonly [Record<string, string>, RegExp]> = [
    [{ NODE_TLS_REJECT_UNAUTHORIZED: "0" }, /^NODE_TLS_REJECT_UNAUTHORIZED=0: /],
    [{ HTTP_HOST: "0.0.0.0" }, /^HTTP_HOST=0\.0\.0\.0: .*ADMIN_TOKEN/],
    [{ HTTP_HOST: "10.0.0.1" }, /^HTTP_HOST=/],
    [{ ADMIN_TOKEN: "short" }, /^ADMIN_TOKEN=<hidden>: .*16/],
    [{ ADMIN_TOKEN: "a-token-that-is-long-enough,short" }, /^ADMIN_TOKEN=<hidden>/],
    [{ READ_TOKEN: "한글로쓴토큰은받지않습니다요요요" }, /^READ_TOKEN=<hidden>/],
    [{ ALLOW_PRIVATE_CIDRS: "127.0.0.0/8,10.0.0.0/99" }, /^ALLOW_PRIVATE_CIDRS=10\.0\.0\.0\/99/],
    [{ OPENAI_BASE_URL: "llm.example" }, /^OPENAI_BASE_URL=llm\.example: an http\(s\) URL/],
    [{ CRTSH_URL: "crt.sh" }, /^CRTSH_URL=crt\.sh: an http\(s\) URL/],
    [{ REDIS_URL: "cache:6379" }, /^REDIS_URL=<hidden>: a redis:\/\/ URL/],
    [{ DATABASE_URL: "mysql://u:secret@host/db" }, /^DATABASE_URL=<hidden>: a postgres:\/\/ URL/],
    [{ HTTP_PORT: "99999" }, /^HTTP_PORT=99999: a whole number/]
  ]
  test.each(table)("%p", (env, says) => {
    expect(problems(env)).toHaveLength(1)
    expect(problems(env)[0]).toMatch(says)
  })
  test("are all told at once", () => {
    const all = problems({ NODE_TLS_REJECT_UNAUTHORIZED: "0", FETCH_DELAY: "5", HTTP_PORT: "x" })
    expect(all).toHaveLength(3)
  })
  test("are none where another address has its token, or no server is wanted", () => {
    expect(problems({ HTTP_HOST: "0.0.0.0", ADMIN_TOKEN: "a-token-that-is-long-enough" })).toEqual([])
    expect(problems({ HTTP_HOST: "0.0.0.0", HTTP_PORT: "0" })).toEqual([])
    expect(problems({ HTTP_HOST: "::1" })).toEqual([])
  })
})

test("an empty setting is as unset, whichever it is", () => {
  for (const empty of ["", "  "]) {
    const env = Object.fromEntries(Object.keys(settings).map((name) => [name, empty]))
    const { values } = Result.getOrThrow(readEnvironment(env))
    expect(values).toEqual(Result.getOrThrow(readEnvironment({})).values)
    expect(shownSettings(values, env).filter((it) => it.source !== "default")).toEqual([])
  }
})

test("variables that look like settings are told the nearest; a shell's own are left alone (B129)", () => {
  expect(strangers({ FETCH_CONCURENCY: "1" })).toEqual([
    "FETCH_CONCURENCY is no setting; did you mean FETCH_CONCURRENCY?"
  ])
  expect(strangers({ CRAWLER_DATADIR: "x" })).toEqual(["CRAWLER_DATADIR is no setting; did you mean CRAWLER_DATA_DIR?"])
  expect(strangers({ CRAWLER_COLOUR: "x" })[0]).toMatch(/^CRAWLER_COLOUR is no setting \(nearest: /)
  const usual = {
    PATH: "",
    HOME: "",
    LANG: "",
    TERM: "",
    HTTP_PROXY: "",
    EDITOR: "",
    SHLVL: "",
    FETCH_DELAY: "1s",
    NODE_ENV: ""
  }
  expect(strangers(usual)).toEqual([])
})

test("config shows value and source of every setting, and no secret", () => {
  const env = { ADMIN_TOKEN: "a-token-that-is-long-enough", FETCH_DELAY: "2s" }
  const read = Result.getOrThrow(readEnvironment(env))
  const shown = new Map(shownSettings(read.values, env).map((it) => [it.name, it]))
  expect(shown.get("ADMIN_TOKEN")).toMatchObject({ value: "<hidden>", source: "env" })
  expect(shown.get("READ_TOKEN")).toMatchObject({ value: null, source: "default" })
  expect(shown.get("FETCH_DELAY")).toMatchObject({ value: "2s", source: "env", standard: "1s" })
  expect(shown.get("HTTP_PORT")).toMatchObject({ value: "8080", source: "default" })
  const text = JSON.stringify([...shown.values()]) + settingsText([...shown.values()])
  expect(text).not.toContain("long-enough")
})

test("who crawls is named in the User-Agent, unless that says so itself", () => {
  const agent = (env: Record<string, string>) => Result.getOrThrow(readEnvironment(env)).values.USER_AGENT
  expect(agent({ CRAWLER_CONTACT: "https://news.example/bot" })).toBe("crawler/0.1 (+https://news.example/bot)")
  expect(agent({ CRAWLER_CONTACT: "bot@news.example", USER_AGENT: "newsbot/2" })).toBe("newsbot/2")
})

test("doctor names what is wrong and what to do, and fails only for what stops the crawler", async () => {
  const { values } = Result.getOrThrow(
    readEnvironment({
      CRAWLER_DATA_DIR: join(import.meta.path, "data"),
      HTTP_PORT: "0",
      CHROMIUM_PATH: "/nowhere/chromium"
    })
  )
  const store = Effect.succeed({ name: "store", state: "ok", message: "opens", advice: "" } as const)
  const all = await Effect.runPromise(examine(values, store))
  const state = new Map(all.map((it) => [it.name, it.state]))
  expect(state.get("data dir")).toBe("fail")
  expect(state.get("browser")).toBe("fail")
  expect(state.get("port")).toBe("ok")
  expect(state.get("clock")).toBe("ok")
  expect(doctorExit(all)).toBe("nothing")
  expect(doctorText(all)).toContain("→ make it writable for this user")
  expect(doctorExit([{ name: "browser", state: "warn", message: "", advice: "" }])).toBe("done")
})

test("the port of the crawler of this data dir is no reason to worry; anybody else's is", async () => {
  const dir = mkdtempSync(join(tmpdir(), "doctor-"))
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("") })
  try {
    const env = { CRAWLER_DATA_DIR: dir, HTTP_PORT: String(server.port) }
    const { values } = Result.getOrThrow(readEnvironment(env))
    const store = Effect.succeed({ name: "store", state: "ok", message: "opens", advice: "" } as const)
    const port = async () => (await Effect.runPromise(examine(values, store))).find((it) => it.name === "port")
    expect(await port()).toMatchObject({ state: "warn" })
    const api = { address: server.url.origin, token: "t", pid: 7 }
    writeFileSync(join(dir, "api.json"), JSON.stringify(api))
    expect(await port()).toMatchObject({ state: "ok", message: expect.stringContaining("process 7") })
  } finally {
    await server.stop(true)
    rmSync(dir, { recursive: true, force: true })
  }
})

test("columns of a table line up under Hangul, and cells cannot break a line", () => {
  const text = table(
    [
      { a: "한국", b: 1 },
      { a: "x\ny", b: null }
    ],
    ["a", "b"]
  )
  expect(text).toBe("A         B\n한국      1\nx\\u000ay  -")
  expect(table([], ["a"])).toBe("(none)")
})

test("what no request could carry, or nobody could be reached by, is refused at the start", () => {
  const refused = (env: Readonly<Record<string, string>>) => Result.isFailure(readEnvironment(env))
  for (const it of ["foo", "a\nX-Evil: 1", "한글", "http://", "me@", "https://a b.example/"])
    expect({ it, refused: refused({ CRAWLER_CONTACT: it }) }).toEqual({ it, refused: true })
  for (const it of ["bot@news.example", "mailto:bot@news.example", "https://news.example/bot", "http://10.0.0.1:8080/"])
    expect({ it, refused: refused({ CRAWLER_CONTACT: it }) }).toEqual({ it, refused: false })
  for (const it of ["a\nb", "한글", "x".repeat(501)])
    expect({ it, refused: refused({ USER_AGENT: it }) }).toEqual({ it, refused: true })
})
