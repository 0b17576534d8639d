#!/usr/bin/env bun
/**
 * The fixture news web as a program of its own:
 *
 *   bun test/support/web/serve.ts --hosts 50 --articles 40 --port 8700
 *
 * Prints one JSON line when it is ready. Control, on 127.0.0.1: /__truth /__log (JSON lines), /__stats, /__hosts (front
 * pages, one a line), /__reset, /__publish?count=N, /__revise?url=U, /__trap?name=N.
 */
import { parseArgs } from "node:util"
import { layouts } from "./press.ts"
import type { Reply, Request } from "./server.ts"
import { trapNames } from "./trap.ts"
import { startWeb, type Web } from "./web.ts"

const whole = { type: "string" } as const
const { values } = parseArgs({
  options: {
    hosts: whole,
    articles: whole,
    lists: whole,
    seed: whole,
    port: whole,
    "euc-kr": whole,
    layout: whole,
    latency: whole,
    "crawl-delay": whole,
    newest: whole,
    "too-many": whole,
    unavailable: whole,
    broken: whole,
    tries: whole,
    "retry-after": whole,
    dead: whole,
    moved: whole,
    repeated: whole,
    traps: whole,
    warm: { type: "boolean" }
  }
})

const number = (name: keyof typeof values): Record<string, number> => {
  const text = values[name]
  if (text === undefined) return {}
  if (!Number.isFinite(Number(text))) throw new Error(`--${name} is a number, not ${JSON.stringify(text)}`)
  const key = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  return { [key]: Number(text) }
}
const numbers = (names: ReadonlyArray<keyof typeof values>) => Object.assign({}, ...names.map(number))

const lines = (rows: readonly unknown[]) => rows.map((it) => `${JSON.stringify(it)}\n`).join("")
const give = (type: string, body: string, status = 200): Reply => ({
  status,
  headers: { "content-type": type },
  body: new TextEncoder().encode(body)
})
const json = (value: unknown) => give("application/json", JSON.stringify(value))

const control = (web: Web, { target }: Request): Reply => {
  const url = new URL(target, "http://127.0.0.1")
  const asked = (name: string) => url.searchParams.get(name) ?? ""
  switch (url.pathname) {
    case "/__truth":
      return give("application/x-ndjson", lines(web.truth()))
    case "/__log":
      return give("application/x-ndjson", lines(web.log()))
    case "/__stats":
      return json(web.stats())
    case "/__hosts":
      return give("text/plain", web.urls.map((it) => `${it}\n`).join(""))
    case "/__reset":
      web.reset()
      return json({ reset: true })
    case "/__publish":
      return json(web.publish(Number(asked("count") || "1")))
    case "/__revise":
      return json({ revised: web.revise(asked("url")) })
    case "/__trap":
      return json(trapNames.flatMap((it) => (it === asked("name") ? [web.trap(it)] : [])))
    default:
      return give("text/plain", "unknown control address\n", 404)
  }
}

const layout = layouts.find((it) => it === values.layout)
if (values.layout !== undefined && layout === undefined) throw new Error(`--layout is one of ${layouts.join(", ")}`)
const traps = trapNames.filter((it) => (values.traps ?? "").split(",").includes(it))
const web = await startWeb(
  {
    ...numbers(["hosts", "articles", "lists", "seed", "port", "euc-kr", "latency", "crawl-delay"]),
    ...(layout === undefined ? {} : { layout }),
    ...(values.newest === undefined ? {} : { newest: values.newest === "now" ? new Date() : new Date(values.newest) }),
    faults: {
      ...numbers(["too-many", "unavailable", "broken", "tries", "retry-after", "dead", "moved", "repeated"]),
      traps: values.traps === "all" ? trapNames : traps
    }
  },
  control
)
if (values.warm === true) web.warm()
console.log(
  JSON.stringify({ ready: true, port: web.port, control: `http://127.0.0.1:${web.port}`, hosts: web.origins.length })
)
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => void web.close().then(() => process.exit(0)))
