import { statfsSync, write } from "node:fs"
import { promisify } from "node:util"

/** The descriptor of standard output. */
export const stdout = 1

/** A pipe that does not block is full: looked at again after this long, ms. */
const fullPipeWaitMs = 5
const writeSome = promisify(write)

/** The code of a system error, or the error as a text. */
export const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : String(cause)

const fullDisk = "no space left on the disk"
/** In the order of their codes. */
const words: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EADDRINUSE: "another process listens there",
  EADDRNOTAVAIL: "this machine has no such address",
  EBUSY: "in use by the system",
  ECONNREFUSED: "nobody listens there",
  ECONNRESET: "the other side hung up",
  EDQUOT: "the disk quota is used up",
  EEXIST: "something else of that name is there",
  EFBIG: "the file would be larger than is allowed",
  EHOSTUNREACH: "no way leads there",
  EIO: "the disk cannot be read or written",
  EISDIR: "is a directory",
  ELOOP: "symbolic links lead in a circle",
  EMFILE: "this process has too many files open",
  ENAMETOOLONG: "the name is too long",
  ENETUNREACH: "no way leads there",
  ENFILE: "the system has too many files open",
  ENOENT: "no such file or directory",
  ENOSPC: fullDisk,
  ENOTDIR: "a file stands where a directory is needed",
  ENOTEMPTY: "the directory is not empty",
  EPERM: "not permitted",
  EPIPE: "nobody reads it any more",
  EPROTO: "the other side speaks no TLS that we know",
  EROFS: "the file system is read-only",
  ESTALE: "the network file system lost it",
  ETIMEDOUT: "no answer in time"
}
/** What a system's code means, in words; null where there are none for it. */
export const meaningOf = (code: string): string | null => words[code] ?? null

/** A system error as people read it, with its code; the bare code where there are no words for it. */
export const saidOf = (cause: unknown): string => {
  const code = codeOf(cause)
  const said = meaningOf(code)
  return said === null ? code : `${said} (${code})`
}

/** A disk with less room than this (bytes) is full for all we write. */
const roomMin = 1024 * 1024
const isFull = (folder: string): boolean => {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize < roomMin
  } catch {
    return false
  }
}

/** Why something could not be written in a folder: some libraries hide what the system said of a full disk. */
export const saidIn = (folder: string, cause: unknown): string =>
  meaningOf(codeOf(cause)) === null && isFull(folder) ? `${fullDisk} (${codeOf(cause)})` : saidOf(cause)

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
