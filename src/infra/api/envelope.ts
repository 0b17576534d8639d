/** One form for every answer: `{success: true, data}` or `{success: false, error: {code, message, field?}}`. */

/**
 * Sent with every answer. The API answers JSON only, so nothing in it may be sniffed, framed, cached or run.
 * @source OWASP REST Security Cheat Sheet, bad input B180
 */
export const securityHeaders: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store"
}

const json = (body: string, status: number, headers: Readonly<Record<string, string>>): Response =>
  new Response(body, {
    status,
    headers: { ...securityHeaders, "content-type": "application/json; charset=utf-8", ...headers }
  })

export const plainJson = (body: unknown, status = 200): Response => json(JSON.stringify(body), status, {})

/** An answer that can be told twice (Idempotency-Key). */
export interface Answer {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

export const success = (data: unknown, status: number): Answer => ({
  status,
  body: JSON.stringify({ success: true, data }),
  headers: {}
})

/** `code` is stable and meant for programs; `message` is a sentence; `field` the part of the input it is about. */
export const failure = (
  status: number,
  code: string,
  message: string,
  more: { readonly field?: string | null; readonly headers?: Readonly<Record<string, string>> } = {}
): Answer => {
  const field = more.field === undefined || more.field === null ? {} : { field: more.field }
  return {
    status,
    body: JSON.stringify({ success: false, error: { code, message, ...field } }),
    headers: more.headers ?? {}
  }
}

export const respond = ({ status, body, headers }: Answer): Response => json(body, status, headers)
