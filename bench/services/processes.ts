/** Servers as processes of their own, known by a file with their number, so that any later command can end them. */
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { inPlace, type ServerName } from "./places.ts"

/** A broker that was killed looks through all its logs first; a busy machine takes minutes for that. */
const READY_SECONDS_MAX = 240
const END_SECONDS_MAX = 30
const LOOK_MS = 50

const numberFile = (name: ServerName) => inPlace(`${name}.pid`)

export const runningAs = (name: ServerName): number | null => {
  if (!existsSync(numberFile(name))) return null
  const id = Number(readFileSync(numberFile(name), "utf8"))
  try {
    process.kill(id, 0)
    return id
  } catch {
    return null
  }
}

/** Runs a tool to its end; what it said is part of the complaint when it fails. */
export const tool = (command: ReadonlyArray<string>, cwd?: string): string => {
  const ran = Bun.spawnSync([...command], { ...(cwd === undefined ? {} : { cwd }), stdout: "pipe", stderr: "pipe" })
  const said = `${ran.stdout}${ran.stderr}`
  if (ran.exitCode !== 0) throw new Error(`${command.join(" ")}: exit ${ran.exitCode}\n${said.slice(-2000)}`)
  return ran.stdout.toString()
}

/** Starts a server that outlives this process. */
export const launch = (
  name: ServerName,
  command: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
): number => {
  const log = openSync(inPlace(`${name}.log`), "a")
  const child = Bun.spawn(["setsid", ...command], {
    cwd: inPlace(),
    env: { ...process.env, ...env },
    stdin: "ignore",
    stdout: log,
    stderr: log
  })
  child.unref()
  closeSync(log)
  writeFileSync(numberFile(name), String(child.pid))
  return child.pid
}

export const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => {
      socket.destroy()
      resolve(true)
    })
    socket.once("error", () => resolve(false))
  })

const within = async (seconds: number, what: string, look: () => boolean | Promise<boolean>): Promise<void> => {
  const end = performance.now() + seconds * 1000
  while (!(await look())) {
    if (performance.now() > end) throw new Error(`${what} took more than ${seconds} s; see the log in ${inPlace()}`)
    await Bun.sleep(LOOK_MS)
  }
}

export const ready = (name: ServerName, look: () => boolean | Promise<boolean>): Promise<void> =>
  within(READY_SECONDS_MAX, `${name}: its start`, () => {
    if (runningAs(name) === null) throw new Error(`${name} ended at its start; see ${inPlace(`${name}.log`)}`)
    return look()
  })

/** Ends a server and waits for its end. */
export const end = async (name: ServerName, signal: NodeJS.Signals = "SIGTERM"): Promise<boolean> => {
  const id = runningAs(name)
  if (id === null) return false
  process.kill(id, signal)
  await within(END_SECONDS_MAX, `${name}: its end`, () => runningAs(name) === null)
  rmSync(numberFile(name), { force: true })
  return true
}
