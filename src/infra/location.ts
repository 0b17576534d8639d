/** Statuses that send a GET elsewhere (RFC 9110 §15.4). */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Header bytes come one character each; sites write raw UTF-8 into Location all the same. */
const decoded = (header: string): string => {
  if (!/[\u0080-\u00ff]/.test(header)) return header
  const text = Buffer.from(header, "latin1").toString("utf8")
  return text.includes("\ufffd") ? header : text
}

/**
 * Where an answer sends us, made absolute; null: it is no redirect. A Location that is no URL comes back as it is, for the
 * guard to refuse.
 */
export const redirectOf = (status: number, headers: Headers, base: string): string | null => {
  const header = REDIRECTS.has(status) ? headers.get("location") : null
  if (header === null || header.trim() === "") return null
  const text = decoded(header.trim())
  return URL.parse(text, base)?.href ?? text
}
