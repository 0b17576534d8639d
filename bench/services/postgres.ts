/** PostgreSQL ≥ 15 of Debian, as a user that is not root. */
import { existsSync, mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { inPlace, type Ports } from "./places.ts"
import { end, launch, ready, runningAs, tool } from "./processes.ts"

const versions = "/usr/lib/postgresql"
const LEAST_VERSION = 15
const asRoot = process.getuid?.() === 0

/** The newest installed server that is new enough, or null. */
export const installed = (): string | null => {
  if (!existsSync(versions)) return null
  const found = readdirSync(versions)
    .map(Number)
    .filter((it) => it >= LEAST_VERSION && existsSync(join(versions, String(it), "bin", "postgres")))
  return found.length === 0 ? null : join(versions, String(Math.max(...found)), "bin")
}

/** The server refuses to run as root: then it runs as the user that its package made. */
const unprivileged = (command: ReadonlyArray<string>): ReadonlyArray<string> =>
  asRoot ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", ...command] : command

export const start = async ({ postgres: port }: Ports): Promise<void> => {
  if (runningAs("postgres") !== null) return
  const bin = installed()
  if (bin === null) throw new Error("postgresql is not installed")
  const home = inPlace("postgres")
  const data = join(home, "data")
  mkdirSync(home, { recursive: true })
  if (asRoot) tool(["chown", "postgres:postgres", home])
  const fresh = !existsSync(join(data, "PG_VERSION"))
  if (fresh) tool(unprivileged([join(bin, "initdb"), "-D", data, "-U", "crawler", "-A", "trust", "-E", "UTF8"]), home)
  // Debian's default log of checkpoints and the like stays; durability stays on, since proofs rest on it.
  const options = ["-D", data, "-p", String(port), "-k", home, "-c", "listen_addresses=127.0.0.1"]
  const sizes = ["-c", "shared_buffers=256MB", "-c", "max_connections=200", "-c", "max_wal_size=2GB"]
  launch("postgres", unprivileged([join(bin, "postgres"), ...options, ...sizes]))
  const isReady = () =>
    Bun.spawnSync([join(bin, "pg_isready"), "-h", "127.0.0.1", "-p", String(port), "-q"]).exitCode === 0
  await ready("postgres", isReady)
  if (fresh) tool([join(bin, "createdb"), "-h", "127.0.0.1", "-p", String(port), "-U", "crawler", "crawler"])
}

/** An empty database of that name beside the standard one, for a test or a proof. */
export const fresh = ({ postgres: port }: Ports, name: string): string => {
  const bin = installed()
  if (bin === null) throw new Error("postgresql is not installed")
  const where = ["-h", "127.0.0.1", "-p", String(port), "-U", "crawler"]
  tool([join(bin, "dropdb"), ...where, "--if-exists", "--force", name])
  tool([join(bin, "createdb"), ...where, name])
  return `postgres://crawler@127.0.0.1:${port}/${name}`
}

/** SIGINT: sessions are ended and everything is written out. */
export const stop = () => end("postgres", "SIGINT")
