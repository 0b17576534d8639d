import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A certificate of its own for these names, made by the system's openssl; null where there is none. */
export const certificateFor = (
  names: ReadonlyArray<string>
): { readonly cert: string; readonly key: string } | null => {
  const folder = mkdtempSync(join(tmpdir(), "certificate-"))
  try {
    const made = Bun.spawnSync(
      [
        ...[
          "openssl",
          "req",
          "-x509",
          "-newkey",
          "ec",
          "-pkeyopt",
          "ec_paramgen_curve:prime256v1",
          "-nodes",
          "-days",
          "2"
        ],
        ...["-subj", "/CN=fixture", "-addext", `subjectAltName=${names.map((it) => `DNS:${it}`).join(",")}`],
        ...["-keyout", join(folder, "key"), "-out", join(folder, "cert")]
      ],
      { stdout: "ignore", stderr: "ignore" }
    )
    if (!made.success) return null
    return { cert: readFileSync(join(folder, "cert"), "utf8"), key: readFileSync(join(folder, "key"), "utf8") }
  } catch {
    return null
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
