/** Redis of Debian. Nothing is written to disk: what it holds may be lost at any time, and the crawler must cope. */
import { mkdirSync } from "node:fs"
import { inPlace, type Ports } from "./places.ts"
import { end, launch, listens, ready, runningAs } from "./processes.ts"

export const installed = (): string | null => Bun.which("redis-server")

export const start = async ({ redis: port }: Ports): Promise<void> => {
  if (runningAs("redis") !== null) return
  const program = installed()
  if (program === null) throw new Error("redis-server is not installed")
  mkdirSync(inPlace("redis"), { recursive: true })
  const bounds = ["--maxmemory", "256mb", "--maxmemory-policy", "noeviction", "--save", "", "--appendonly", "no"]
  launch("redis", [program, "--port", String(port), "--bind", "127.0.0.1", "--dir", inPlace("redis"), ...bounds])
  await ready("redis", () => listens(port))
}

export const stop = () => end("redis")
