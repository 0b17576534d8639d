/** EUC-KR (windows-949) bytes of a text: the table is the runtime's own decoder, turned round once. */
const table = (): ReadonlyMap<string, readonly [number, number]> => {
  const decoder = new TextDecoder("euc-kr", { fatal: false })
  const pairs = new Map<string, readonly [number, number]>()
  for (let lead = 0x81; lead < 0xff; lead++)
    for (let trail = 0x41; trail < 0xff; trail++) {
      const character = decoder.decode(Uint8Array.of(lead, trail))
      // An invalid pair decodes to U+FFFD, or to U+FFFD and an ASCII character.
      if ([...character].length === 1 && character !== "\uFFFD" && !pairs.has(character))
        pairs.set(character, [lead, trail])
    }
  return pairs
}
let known: ReadonlyMap<string, readonly [number, number]> | undefined

const reference = (character: string) => new TextEncoder().encode(`&#x${character.codePointAt(0)?.toString(16)};`)

/** What the charset cannot say becomes a numeric character reference, as browsers do on submission. */
export const encodeEucKr = (text: string): Uint8Array<ArrayBuffer> => {
  known ??= table()
  const bytes: number[] = []
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    if (code < 0x80) bytes.push(code)
    else bytes.push(...(known.get(character) ?? reference(character)))
  }
  return Uint8Array.from(bytes)
}
