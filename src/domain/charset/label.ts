import { Result } from "effect"

/** Names in use that the standard's table lacks. All of the Korean ones mean windows-949, which the web calls euc-kr. */
const ALIASES: Readonly<Record<string, string>> = {
  cp949: "euc-kr",
  "cp-949": "euc-kr",
  ms949: "euc-kr",
  "ms-949": "euc-kr",
  uhc: "euc-kr",
  "x-uhc": "euc-kr",
  "x-windows-949": "euc-kr",
  "x-cp949": "euc-kr",
  euckr: "euc-kr",
  "ks-c-5601": "euc-kr",
  "ks-c-5601-1987": "euc-kr",
  ksc5601: "euc-kr",
  cp932: "shift_jis",
  ms932: "shift_jis",
  sjis: "shift_jis",
  "shift-jis": "shift_jis",
  eucjp: "euc-jp",
  cp936: "gb18030",
  ms936: "gb18030",
  "windows-936": "gb18030",
  cp950: "big5",
  ms950: "big5",
  utf8mb4: "utf-8",
  "utf-8n": "utf-8",
  utf: "utf-8",
  utf16: "utf-16le",
  u16: "utf-16le",
  latin: "windows-1252",
  ansi: "windows-1252",
  "iso8859-1": "windows-1252"
}

const known = (label: string): string | null => Result.getOrNull(Result.try(() => new TextDecoder(label).encoding))

/**
 * The WHATWG name of a charset label, lower case; `null` for an unknown one (utf-7, iso-2022-kr, typing errors), which
 * counts as absent. Underscores are read as hyphens.
 * @example encodingName("CP949") // => "euc-kr"
 */
export const encodingName = (label: string | null): string | null => {
  if (label === null) return null
  const text = label.trim().toLowerCase()
  const hyphens = text.replaceAll("_", "-")
  return ALIASES[hyphens] ?? known(text) ?? known(hyphens)
}
