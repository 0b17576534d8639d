import { write } from "node:fs"
import { promisify } from "node:util"

/** The descriptor of standard output. */
export const stdout = 1

/** A pipe that does not block is full: looked at again after this long, ms. */
const fullPipeWaitMs = 5
const writeSome = promisify(write)

/** The code of a system error, or the error as a text. */
export const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : String(cause)

const words: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EISDIR: "is a directory",
  ENOENT: "no such file or directory",
  ENOSPC: "no space left on the disk",
  EROFS: "the file system is read-only"
}
/** A system error as people read it, with its code; the bare code where there are no words for it. */
export const saidOf = (cause: unknown): string => {
  const code = codeOf(cause)
  const said = words[code]
  return said === undefined ? code : `${said} (${code})`
}

/**
 * Writes all bytes to the descriptor itself: the runtime's own sink for standard output may miss that its reader is gone.
 * Answers once the bytes are with the system; rejects with the system's error (EPIPE, ENOSPC).
 */
export const writeAll = async (descriptor: number, bytes: Uint8Array): Promise<void> => {
  for (let at = 0; at < bytes.byteLength; ) {
    try {
      at += (await writeSome(descriptor, bytes.subarray(at))).bytesWritten
    } catch (cause) {
      if (codeOf(cause) !== "EAGAIN") throw cause
      await Bun.sleep(fullPipeWaitMs)
    }
  }
}
