/**
 * An S3-compatible server that checks signatures: `@20minutes/s3rver` from npm. Chosen because it refuses a wrong secret, which
 * other small servers let pass (a client that signs wrongly would seem to work), and needs nothing but a JavaScript runtime.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { bucket, inPlace, objectKeys, type Ports } from "./places.ts"
import { end, launch, listens, ready, runningAs, tool } from "./processes.ts"

const PACKAGE = "@20minutes/s3rver"
const VERSION = "5.0.0"
const home = inPlace("objects")

/** Installed outside the project: its dependencies are nobody's business here. */
export const install = (): void => {
  if (existsSync(inPlace("objects", "node_modules", PACKAGE))) return
  mkdirSync(home, { recursive: true })
  writeFileSync(
    inPlace("objects", "package.json"),
    JSON.stringify({ private: true, dependencies: { [PACKAGE]: VERSION } })
  )
  tool([process.execPath, "install", "--silent", "--ignore-scripts"], home)
}

const program = (port: number): string => `import { mkdirSync } from "node:fs"
import S3rver from "${PACKAGE}"
mkdirSync("data", { recursive: true })
const server = new S3rver({ address: "127.0.0.1", port: ${port}, silent: true, directory: "data",
  configureBuckets: [{ name: "${bucket}", configs: [] }] })
await server.run()
`

export const start = async ({ objects: port }: Ports): Promise<void> => {
  if (runningAs("objects") !== null) return
  install()
  writeFileSync(inPlace("objects", "server.mjs"), program(port))
  launch("objects", ["sh", "-c", `cd objects && exec "${Bun.which("node") ?? process.execPath}" server.mjs`], {
    // The server knows one pair of keys, this one.
    AWS_ACCESS_KEY_ID: objectKeys.id
  })
  await ready("objects", () => listens(port))
}

export const stop = () => end("objects")
