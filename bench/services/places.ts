/** Where the scratch servers of this checkout live, and the ports they were given. */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

export const root = join(import.meta.dir, "..", "..")
export const serverNames = ["postgres", "redis", "kafka", "objects"] as const
export type ServerName = (typeof serverNames)[number]
const portNames = [...serverNames, "controller", "behind", "before"] as const
/** `behind`: where the broker takes those that come through `before`, a port that a proxy of the tests may listen on. */
export type Ports = Readonly<Record<(typeof portNames)[number], number>>

/**
 * Outside the checkout, since Postgres refuses to run as root and another user may not be allowed into a checkout.
 * One place per checkout, so that two of them share no server.
 */
export const place =
  process.env.SERVICES_DIR ??
  join(tmpdir(), `crawler-services-${createHash("sha256").update(root).digest("hex").slice(0, 8)}`)
export const inPlace = (...parts: ReadonlyArray<string>): string => join(place, ...parts)

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().on("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

const portsFile = inPlace("ports.json")
/** Chosen once and kept, so that a restarted server is found where it was. */
export const portsOf = async (): Promise<Ports> => {
  mkdirSync(place, { recursive: true, mode: 0o755 })
  const ports: Record<string, number> = existsSync(portsFile) ? JSON.parse(readFileSync(portsFile, "utf8")) : {}
  for (const name of portNames) ports[name] ??= await freePort()
  writeFileSync(portsFile, JSON.stringify(ports))
  return ports as Ports
}

/** Keys of the scratch object store: they open nothing else. */
export const objectKeys = { id: "S3RVER", secret: "S3RVER" } as const
export const bucket = "crawler"

/** The settings that make a crawler, a test or a proof use these servers. */
export const settingsOf = (ports: Ports): Readonly<Record<string, string>> => ({
  DATABASE_URL: `postgres://crawler@127.0.0.1:${ports.postgres}/crawler`,
  REDIS_URL: `redis://127.0.0.1:${ports.redis}/0`,
  KAFKA_BROKERS: `127.0.0.1:${ports.kafka}`,
  S3_ENDPOINT: `http://127.0.0.1:${ports.objects}`,
  S3_BUCKET: bucket,
  S3_ACCESS_KEY_ID: objectKeys.id,
  S3_SECRET_ACCESS_KEY: objectKeys.secret
})
