import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser as Puppet } from "puppeteer-core"
import { chromiumFlags, type Flags } from "./chromium.ts"

/** Start of Chromium, ms; a busy machine takes its time. */
const LAUNCH_MS = 30_000
/** How long Chromium may take to end by itself, ms, before its group is killed. */
const CLOSE_MS = 2000
/** A profile is named for the process that made it, so that a leaked one can be told. */
export const profilesOf = (pid: number): string => `crawler-browser-${pid}-`

/** A page may not have others fetched ahead (speculation rules, prerendering): those are documents that nobody was asked about. */
const preferences = { net: { network_prediction_options: 2 } }

/** One running Chromium. */
export interface Chromium {
  readonly browser: Puppet
  readonly pid: number
  readonly profile: string
  /** Ends all its processes, and removes its profile; never fails. */
  readonly end: () => Promise<void>
}

/** Processes of one group, by /proc; empty where there is none. */
export const groupOf = (group: number): ReadonlyArray<number> => {
  try {
    return readdirSync("/proc").flatMap((name) => {
      if (!/^\d+$/.test(name)) return []
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "latin1")
        const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
        return Number(fields[2]) === group ? [Number(name)] : []
      } catch {
        return []
      }
    })
  } catch {
    return []
  }
}

/** Memory of a group in bytes, shared pages counted once (PSS). */
export const memoryOf = (group: number): number =>
  groupOf(group).reduce((sum, pid) => {
    try {
      const pss = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "latin1"))?.[1]
      return sum + Number(pss ?? 0) * 1024
    } catch {
      return sum
    }
  }, 0)

const killGroup = (group: number): void => {
  try {
    process.kill(-group, "SIGKILL")
  } catch {
    // It is gone already.
  }
}

/**
 * Told the group once there is one. Outlives us by a moment: its input ends with this process, however it ends, then it kills Chromium's group and removes
 * the profile. So a crawler killed with SIGKILL leaves nothing behind.
 */
const watchdog = (profile: string): ChildProcess => {
  const script =
    "read -r group; cat >/dev/null; turn=0; " +
    // The group is gone when it takes no signal more; a busy machine needs its time for that.
    'while [ "$turn" -lt 100 ] && kill -s KILL -- "-$group" 2>/dev/null; do turn=$((turn + 1)); sleep 0.2; done; ' +
    'for turn in 1 2 3 4 5; do rm -rf -- "$1"; sleep 0.5; done'
  const child = spawn("/bin/sh", ["-c", script, "sh", profile], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    env: { PATH: "/usr/bin:/bin" }
  })
  child.on("error", () => undefined)
  child.stdin?.on("error", () => undefined)
  child.unref()
  return child
}

const within = <A>(work: Promise<A>, ms: number): Promise<A | null> =>
  Promise.race([work.catch(() => null), new Promise<null>((resolve) => setTimeout(() => resolve(null), ms).unref())])

/** A group is really gone, or it was killed often enough. */
const gone = async (group: number): Promise<void> => {
  for (let turn = 0; turn < 40 && groupOf(group).length > 0; turn += 1) {
    killGroup(group)
    await Bun.sleep(25)
  }
}

/** Starts Chromium with a profile of its own, in a process group of its own. Secrets of our environment stay here. */
export const startChromium = async (path: string, flags: Flags): Promise<Chromium> => {
  const profile = mkdtempSync(join(tmpdir(), profilesOf(process.pid)))
  const dog = watchdog(profile)
  try {
    mkdirSync(join(profile, "Default"))
    writeFileSync(join(profile, "Default", "Preferences"), JSON.stringify(preferences))
    // Loaded with the first page: most starts need no browser.
    const { launch } = await import("puppeteer-core")
    const browser = await launch({
      executablePath: path,
      args: chromiumFlags(flags),
      userDataDir: profile,
      headless: true,
      pipe: true,
      timeout: LAUNCH_MS,
      protocolTimeout: LAUNCH_MS,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      env: { PATH: process.env.PATH, HOME: profile, TMPDIR: profile, LANG: "C.UTF-8", TZ: "UTC" }
    })
    const pid = browser.process()?.pid ?? 0
    dog.stdin?.write(`${pid}\n`)
    let ending: Promise<void> | null = null
    const end = async () => {
      await within(browser.close(), CLOSE_MS)
      await gone(pid)
      rmSync(profile, { recursive: true, force: true, maxRetries: 3 })
      dog.stdin?.end()
    }
    return { browser, pid, profile, end: () => (ending ??= end()) }
  } catch (error) {
    rmSync(profile, { recursive: true, force: true, maxRetries: 3 })
    dog.stdin?.end()
    throw error
  }
}
