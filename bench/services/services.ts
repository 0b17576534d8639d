/**
 * `make services` and `make services-stop`: real servers on this machine as scratch instances, on ports and in folders of their
 * own. Installs what is missing where it may (root on Debian), else says what to install.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as kafka from "./kafka.ts"
import * as objects from "./objects.ts"
import { place, portsOf, root, serverNames, settingsOf } from "./places.ts"
import * as postgres from "./postgres.ts"
import { runningAs, tool } from "./processes.ts"
import * as redis from "./redis.ts"

const servers = { postgres, redis, kafka, objects } as const
/** Tests find the servers here: settings as JSON. */
const found = join(root, ".services", "settings.json")

const missing = (): ReadonlyArray<string> => [
  ...(postgres.installed() === null ? ["postgresql"] : []),
  ...(redis.installed() === null ? ["redis-server"] : []),
  ...(Bun.which("java") === null ? ["openjdk-17-jre-headless"] : []),
  ...(Bun.which("mvn") === null ? ["maven"] : [])
]

const install = (): void => {
  const packages = missing()
  if (packages.length === 0) return
  const command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", ...packages]
  if (process.getuid?.() !== 0 || Bun.which("apt-get") === null)
    throw new Error(`install these first: ${packages.join(" ")}`)
  console.log(`installing: ${packages.join(" ")}`)
  tool(["apt-get", "update", "-qq"])
  // The packages' own servers are not wanted: a policy that denies every start keeps them down.
  tool(["sh", "-c", `RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive ${command.join(" ")}`])
}

const start = async (): Promise<void> => {
  install()
  const ports = await portsOf()
  for (const name of serverNames) {
    const began = performance.now()
    await servers[name].start(ports)
    console.log(`${name.padEnd(9)} 127.0.0.1:${ports[name]}  (${Math.round(performance.now() - began)} ms)`)
  }
  mkdirSync(join(root, ".services"), { recursive: true })
  const proxied = { KAFKA_BEHIND: String(ports.behind), KAFKA_BEFORE: String(ports.before) }
  writeFileSync(found, JSON.stringify({ ...settingsOf(ports), ...proxied }, null, 2))
  console.log(`settings in .services/settings.json, data and logs in ${place}`)
}

const stop = async (): Promise<void> => {
  rmSync(found, { force: true })
  for (const name of serverNames)
    console.log(`${name.padEnd(9)} ${(await servers[name].stop()) ? "stopped" : "was not running"}`)
}

const [word = "start", more] = process.argv.slice(2)
if (word === "start") await start()
else if (word === "stop") {
  await stop()
  if (more === "--remove") rmSync(place, { recursive: true, force: true })
} else if (word === "status") {
  for (const name of serverNames) console.log(`${name.padEnd(9)} ${runningAs(name) === null ? "down" : "up"}`)
} else throw new Error(`start, stop or status is expected, not ${word}`)
