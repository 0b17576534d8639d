/** UTF-32 is outside the web's standard, yet feeds are written in it; its byte order mark or first `<` gives it away. */
export const utf32Order = (bytes: Uint8Array): "be" | "le" | null => {
  const [a, b, c, d] = bytes
  if (a === 0 && b === 0 && ((c === 0xfe && d === 0xff) || (c === 0 && d === 0x3c))) return "be"
  if (c === 0 && d === 0 && ((a === 0xff && b === 0xfe) || (a === 0x3c && b === 0))) return "le"
  return null
}

/** Code points beyond Unicode and surrogates become U+FFFD and are counted. */
export const decodeUtf32 = (
  bytes: Uint8Array,
  order: "be" | "le"
): { readonly text: string; readonly replaced: number } => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const points = Array.from({ length: Math.floor(bytes.byteLength / 4) }, (_, at) =>
    view.getUint32(at * 4, order === "le")
  )
  const isBad = (it: number) => it > 0x10ffff || (it >= 0xd800 && it <= 0xdfff)
  const text = points.map((it) => (isBad(it) ? "\ufffd" : String.fromCodePoint(it))).join("")
  return { text: text.replace(/^\ufeff/, ""), replaced: points.filter(isBad).length }
}
