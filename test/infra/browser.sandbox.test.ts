import { expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const main = join(import.meta.dir, "..", "..", "src", "main.ts")
// Any executable will do: it is never started.
const chromium = "/bin/sh"

const ended = async (words: ReadonlyArray<string>, env: Readonly<Record<string, string>>) => {
  const dir = mkdtempSync(join(tmpdir(), "sandbox-"))
  try {
    const { exitCode, stderr } = Bun.spawnSync([process.execPath, main, ...words], {
      env: { PATH: "/usr/bin:/bin", CRAWLER_DATA_DIR: join(dir, "data"), HTTP_PORT: "0", ...env }
    })
    return [exitCode, stderr.toString().includes("BROWSER_SANDBOX=false")] as const
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

// For others than root the sandbox works, and there is nothing to refuse.
test.skipIf(process.getuid?.() !== 0)(
  "as root a browser in its sandbox is refused with what to set (B135)",
  async () => {
    expect(await ended(["run"], { CHROMIUM_PATH: chromium })).toEqual([78, true])
    expect(await ended(["crawl", "http://news.example/"], { CHROMIUM_PATH: chromium })).toEqual([78, true])
  }
)
