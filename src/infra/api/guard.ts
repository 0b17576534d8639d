import { type Answer, failure } from "./envelope.ts"

/** Is this address reachable from this machine only? */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host)

const nameOf = (header: string): string | null => {
  const match = /^(\[[0-9a-f:.]+\]|[^:[\]\s,/@]+)(?::\d{1,5})?$/i.exec(header)
  return match?.[1]?.toLowerCase().replace(/^\[|\]$/g, "") ?? null
}

/**
 * What is wrong with a request before anybody looks at its path; null for nothing.
 * A page in a browser can point a name of its own at 127.0.0.1 (DNS rebinding): on a loopback bind only loopback names
 * are answered (421, B111). A length said twice, even if equal, is the beginning of request smuggling (400, B085).
 */
export const requestFault = (request: Request, bind: string): Answer | null => {
  const host = request.headers.get("host") ?? ""
  const name = nameOf(host)
  if (name === null) return failure(400, "host_invalid", "one Host header is expected")
  if (isLoopback(bind) && !isLoopback(name)) {
    return failure(421, "misdirected", `this server answers on loopback names only, not ${JSON.stringify(name)}`)
  }
  const length = request.headers.get("content-length")
  if (length !== null && !/^\d{1,15}$/.test(length)) {
    return failure(400, "content_length", "one Content-Length is expected", { headers: { connection: "close" } })
  }
  return null
}

/** The path as sent: routes match it undecoded, so `%61dmin` and `//api` are other paths than the real ones (B110). */
export const rawPath = (request: Request): string => {
  const start = request.url.indexOf("/", request.url.indexOf("://") + 3)
  const end = request.url.slice(start).search(/[?#]/)
  return start < 0 ? "/" : end < 0 ? request.url.slice(start) : request.url.slice(start, start + end)
}
