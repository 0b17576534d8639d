import { lookup } from "node:dns/promises"
import { accessSync, constants, existsSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { Effect, Option } from "effect"
import { holder } from "../address-file.ts"
import { chromiumPath, unsafe } from "../browser/chromium.ts"
import { placeholder, type Settings } from "../config.ts"
import type { ExitName } from "../exit.ts"
import { visible } from "../logging.ts"
import { backends } from "./doctor.backends.ts"

/** What one look found. `advice` says what to do about it; empty when all is well. */
export interface Checked {
  readonly name: string
  readonly state: "ok" | "warn" | "fail"
  readonly message: string
  readonly advice: string
}
export type Check = Effect.Effect<Checked>

const checked = (name: string, state: Checked["state"], message: string, advice = ""): Checked => ({
  name,
  state,
  message,
  advice
})
const because = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Free space below this is a warning: a day's raw pages and the write-ahead log need as much. */
const FREE_BYTES_MIN = 2 * 1024 ** 3
/** Time one look may take. */
const LOOK_TIMEOUT = "5 seconds"

/** The nearest directory above that exists: the one that must be writable for a fresh data dir. */
const existing = (path: string): string => (existsSync(path) ? path : existing(join(path, "..")))

const dataDir = (path: string): Check =>
  Effect.sync(() => {
    const base = existing(path)
    try {
      if (!statSync(base).isDirectory()) throw new Error(`${base} is no directory`)
      if (base === path) {
        const probe = join(path, `.doctor.${process.pid}`)
        writeFileSync(probe, "", { mode: 0o600 })
        rmSync(probe)
      } else accessSync(base, constants.W_OK | constants.X_OK)
    } catch (cause) {
      return checked(
        "data dir",
        "fail",
        `${path}: ${because(cause)}`,
        "make it writable for this user, or set CRAWLER_DATA_DIR"
      )
    }
    const { bavail, bsize } = statfsSync(base)
    const free = bavail * bsize
    const gigabytes = `${(free / 1024 ** 3).toFixed(1)} GB free`
    return free < FREE_BYTES_MIN
      ? checked("data dir", "warn", `${path}: ${gigabytes}`, "free some space: a full disk stops the crawler (exit 74)")
      : checked(
          "data dir",
          "ok",
          base === path ? `${path}: writable, ${gigabytes}` : `${path}: will be made, ${gigabytes}`
        )
  })

const browser = (settings: Settings["Service"]): Check =>
  Effect.sync(() => {
    const { CHROMIUM_PATH } = settings
    const found = chromiumPath(CHROMIUM_PATH)
    if (found === null && CHROMIUM_PATH !== null)
      return checked(
        "browser",
        "fail",
        `CHROMIUM_PATH ${CHROMIUM_PATH} is not there`,
        "correct CHROMIUM_PATH or unset it"
      )
    if (found === null) {
      return checked(
        "browser",
        "warn",
        "no Chromium on PATH: pages are fetched by plain HTTP only",
        "install chromium, or set CHROMIUM_PATH"
      )
    }
    return unsafe(found, settings) === null
      ? checked("browser", "ok", found)
      : checked(
          "browser",
          "fail",
          `${found}, but its sandbox does not work as root`,
          "run as another user, or set BROWSER_SANDBOX=false"
        )
  })

/** The crawler of this data dir has the port that it announced. */
const port = ({ CRAWLER_DATA_DIR, HTTP_HOST, HTTP_PORT }: Settings["Service"]): Check =>
  Effect.flatMap(holder(CRAWLER_DATA_DIR), (found) => {
    const own = Option.isSome(found) && URL.parse(found.value.address)?.port === String(HTTP_PORT)
    return Effect.map(freePort(HTTP_HOST, HTTP_PORT), (it) =>
      own && it.state === "warn"
        ? checked(it.name, "ok", `${HTTP_HOST}:${HTTP_PORT}: process ${found.value.pid}, the crawler of this data dir`)
        : it
    )
  })

const freePort = (HTTP_HOST: string, HTTP_PORT: number): Check => {
  const name = "port"
  if (HTTP_PORT === 0) return Effect.succeed(checked(name, "ok", "HTTP_PORT 0: no server"))
  return Effect.callback<Checked>((resume) => {
    const server = createServer()
    server.once("error", (cause) =>
      resume(
        Effect.succeed(
          checked(
            name,
            "warn",
            `${HTTP_HOST}:${HTTP_PORT}: ${because(cause)}`,
            "is a crawler running here? else set HTTP_PORT to a free one"
          )
        )
      )
    )
    server.listen(HTTP_PORT, HTTP_HOST, () =>
      server.close(() => resume(Effect.succeed(checked(name, "ok", `${HTTP_HOST}:${HTTP_PORT} is free`))))
    )
  })
}

/** Before this program was written no clock is right. */
const WRITTEN = Date.UTC(2026, 0, 1)
const clock: Check = Effect.sync(() => {
  const now = Date.now()
  return now < WRITTEN
    ? checked(
        "clock",
        "fail",
        `${new Date(now).toISOString()} is in the past`,
        "set the clock: dates, TLS and schedules depend on it"
      )
    : checked("clock", "ok", new Date(now).toISOString())
})

/** A name every resolver knows; nothing is connected to. */
const KNOWN_NAME = "example.com"
const names: Check = Effect.tryPromise({ try: () => lookup(KNOWN_NAME), catch: because }).pipe(
  Effect.match({
    onSuccess: ({ address }) => checked("dns", "ok", `${KNOWN_NAME} is ${address}`),
    onFailure: (why) =>
      checked("dns", "fail", `${KNOWN_NAME}: ${why}`, "check the network and the resolver: nothing can be fetched")
  })
)

const tokens = ({ ADMIN_TOKEN, HTTP_HOST, CRAWLER_DATA_DIR }: Settings["Service"]): Check =>
  Effect.sync(() =>
    ADMIN_TOKEN.length > 0
      ? checked("token", "ok", `ADMIN_TOKEN has ${ADMIN_TOKEN.length}`)
      : checked("token", "ok", `made at first start in ${join(CRAWLER_DATA_DIR, "admin-token")} (${HTTP_HOST} only)`)
  )

const contact = ({ USER_AGENT }: Settings["Service"]): Check =>
  Effect.succeed(
    USER_AGENT.includes(placeholder)
      ? checked(
          "contact",
          "warn",
          `USER_AGENT names ${placeholder}`,
          "set CRAWLER_CONTACT: sites want to know whom to write to"
        )
      : checked("contact", "ok", USER_AGENT)
  )

/** A look that hangs or breaks is a finding too. */
const bounded = (name: string, check: Check): Check =>
  check.pipe(
    Effect.timeoutOrElse({
      duration: LOOK_TIMEOUT,
      orElse: () => Effect.succeed(checked(name, "fail", `no answer within ${LOOK_TIMEOUT}`))
    }),
    Effect.catchCause((cause) => Effect.succeed(checked(name, "fail", because(cause.reasons[0]))))
  )

/**
 * All looks, in order. `store` is the caller's: only it can open the database; it gets time of its own, since a first
 * start makes a cluster.
 */
export const examine = (settings: Settings["Service"], store: Check): Effect.Effect<ReadonlyArray<Checked>> =>
  Effect.all([
    bounded(
      "data dir",
      Effect.suspend(() => dataDir(settings.CRAWLER_DATA_DIR))
    ),
    store,
    ...backends(settings).map(([name, check]) => bounded(name, check)),
    bounded("port", port(settings)),
    bounded("token", tokens(settings)),
    bounded("browser", browser(settings)),
    bounded("contact", contact(settings)),
    bounded("clock", clock),
    bounded("dns", names)
  ])

export const doctorText = (all: ReadonlyArray<Checked>): string =>
  all
    .map(
      ({ name, state, message, advice }) =>
        `${state.padEnd(4)}  ${name.padEnd(9)} ${visible(message)}${advice === "" ? "" : `\n      → ${visible(advice)}`}`
    )
    .join("\n")

/** A warning still lets the crawler work. */
export const doctorExit = (all: ReadonlyArray<Checked>): ExitName =>
  all.some((it) => it.state === "fail") ? "nothing" : "done"
