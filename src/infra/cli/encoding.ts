import { Result } from "effect"

const strictly = (label: string, bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/** Place of the first byte that cannot be UTF-8, by halving: a prefix that decodes so far holds no fault. */
const firstFault = (bytes: Uint8Array): number => {
  let sound = 0
  let faulty = bytes.length
  while (faulty - sound > 1) {
    const middle = (sound + faulty) >> 1
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, middle), { stream: true })
      sound = middle
    } catch {
      faulty = middle
    }
  }
  return faulty - 1
}

/** Bytes looked at to tell UTF-16 without a mark: in text about URLs every other byte is zero. */
const SAMPLE = 1024

const unmarkedUtf16 = (bytes: Uint8Array): string | null => {
  const sample = bytes.subarray(0, SAMPLE)
  const zeros = (parity: number) => sample.filter((it, at) => it === 0 && at % 2 === parity).length
  const half = sample.length / 2
  if (half < 2) return null
  return zeros(1) > half * 0.5 ? "utf-16le" : zeros(0) > half * 0.5 ? "utf-16be" : null
}

/** A byte order mark of UTF-8 or UTF-16 decides. */
const marked = ([first, second, third]: Uint8Array): string | null =>
  first === 0xff && second === 0xfe
    ? "utf-16le"
    : first === 0xfe && second === 0xff
      ? "utf-16be"
      : first === 0xef && second === 0xbb && third === 0xbf
        ? "utf-8"
        : null

/**
 * The text of a file that a person wrote: UTF-8, UTF-16 by its mark or its zero bytes, else EUC-KR (Windows' Korean code
 * page). The decoder drops the mark.
 * @example decodeText(Uint8Array.of(0xff)) // fails: neither UTF-8 (byte 0) …
 */
export const decodeText = (bytes: Uint8Array): Result.Result<string, string> => {
  const said = marked(bytes)
  const guessed = said === null ? unmarkedUtf16(bytes) : null
  const label = said ?? guessed
  const text = label === null ? (strictly("utf-8", bytes) ?? strictly("euc-kr", bytes)) : strictly(label, bytes)
  // UTF-16 that was only guessed by its zero bytes has none for a character: a program does.
  if (guessed !== null && (text === null || text.includes("\u0000")))
    return Result.fail("is no text: it has zero bytes")
  if (text !== null) return Result.succeed(text)
  return Result.fail(
    label === null || label === "utf-8"
      ? `is neither UTF-8 (first bad byte at offset ${firstFault(bytes)}) nor UTF-16 nor EUC-KR`
      : `says it is ${label} but is not`
  )
}
