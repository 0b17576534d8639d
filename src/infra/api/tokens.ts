import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { saidIn } from "../descriptor.ts"
import { Refusal } from "../exit.ts"
import type { Scope } from "./operations.ts"

/** A secret shorter than this can be guessed over HTTP. */
export const TOKEN_CHARS_MIN = 16
/** Bytes of a token that we make: 256 bits. */
const TOKEN_BYTES = 32

export const makeToken = (): string => randomBytes(TOKEN_BYTES).toString("base64url")

const digest = (token: string): Buffer => createHash("sha256").update(token).digest()

/** Who may do what. Only hashes are held. */
export class Tokens {
  private readonly known: ReadonlyArray<{ readonly hash: Buffer; readonly scope: Scope }>

  constructor(tokens: { readonly admin: ReadonlyArray<string>; readonly read: ReadonlyArray<string> }) {
    this.known = [
      ...tokens.admin.map((it) => ({ hash: digest(it), scope: "admin" as const })),
      ...tokens.read.map((it) => ({ hash: digest(it), scope: "read" as const }))
    ]
  }

  /**
   * The widest scope of the token in an `Authorization` header, null for none. Hashes of equal length are compared in
   * constant time, and all of them, so that the time tells neither the token nor which one matched (B108).
   */
  scopeOf(authorization: string | null): Scope | null {
    const given = digest(/^Bearer ([\x21-\x7e]{1,4096})$/i.exec(authorization ?? "")?.[1] ?? "")
    let scope: Scope | null = null
    for (const it of this.known) {
      if (timingSafeEqual(it.hash, given) && scope !== "admin") scope = it.scope
    }
    return scope
  }
}

/**
 * The admin token of a data dir without ADMIN_TOKEN: made once, kept in `admin-token`, readable by its owner alone.
 */
export const ownToken = (
  dataDir: string
): Effect.Effect<{ readonly token: string; readonly path: string }, Refusal> => {
  const path = join(dataDir, "admin-token")
  return Effect.try({
    try: () => {
      if (existsSync(path)) {
        const token = readFileSync(path, "utf8").trim()
        if (token.length >= TOKEN_CHARS_MIN) {
          chmodSync(path, 0o600)
          return { token, path }
        }
      }
      mkdirSync(dataDir, { recursive: true, mode: 0o700 })
      const token = makeToken()
      writeFileSync(path, `${token}\n`, { mode: 0o600 })
      chmodSync(path, 0o600)
      return { token, path }
    },
    catch: (cause) => new Refusal({ exit: "disk", message: `CRAWLER_DATA_DIR ${dataDir}: ${saidIn(dataDir, cause)}` })
  })
}
