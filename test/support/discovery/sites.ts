import { createServer } from "node:net"
import type { LivenessStatus } from "../../../src/domain/liveness.ts"
import { certificateFor } from "./certificate.ts"

/** A kind of fixture domain: what is right to say of it, and how it answers. */
export interface Kind {
  readonly status: LivenessStatus
  /** Where its name leads: a site, a plain HTTP server, a closed port, a server that never answers, or nowhere. */
  readonly at: "site" | "plain" | "closed" | "silent" | "nowhere"
  readonly answer?: (request: Request, host: string) => Response
}

const page = (text: string, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(`<!doctype html><html><head><title>${text}</title></head><body><p>${text}</p></body></html>`, {
    status,
    headers: { "content-type": "text/html; charset=utf-8", ...headers }
  })
const to = (status: number, location: string): Response => new Response(null, { status, headers: { location } })
const sibling = (host: string, prefix: string): string => `https://${host.replace(/^[a-z]+/, prefix)}/`
const away = (host: string): string => `https://${host.replace(/\.[^.]+\.com\.sg/, ".elsewhere.com.sg")}/`

const challenge =
  '<html><head><title>Just a moment...</title></head><body><div id="cf-chl-widget">Checking your browser</div></body></html>'
const widget = '<html><body><form><div class="g-recaptcha" data-sitekey="k"></div></form></body></html>'
const newsletter = `<html><head><title>The Daily</title></head><body>${"<p>News of the day, at length.</p>".repeat(900)}<form><div class="g-recaptcha"></div></form></body></html>`
const htmlPage = (body: string, status = 200): Response =>
  new Response(body, { status, headers: { "content-type": "text/html" } })

/** Every kind, by the label of its registrable domain `{kind}.com.sg`. */
export const kinds: Readonly<Record<string, Kind>> = {
  alive: { status: "alive", at: "site", answer: () => page("News") },
  headless: {
    status: "alive",
    at: "site",
    answer: ({ method }) => (method === "HEAD" ? page("no HEAD", 405) : page("News"))
  },
  headforbidden: {
    status: "alive",
    at: "site",
    answer: ({ method }) => (method === "HEAD" ? page("no HEAD", 403) : page("News"))
  },
  moved: {
    status: "alive",
    at: "site",
    answer: (_, host) => (host.startsWith("d") ? to(301, sibling(host, "w")) : page("News"))
  },
  newsletter: { status: "alive", at: "site", answer: () => htmlPage(newsletter) },
  badcert: { status: "alive", at: "site", answer: () => page("News") },
  forbidden: { status: "blocked", at: "site", answer: () => page("Forbidden", 403) },
  limited: { status: "blocked", at: "site", answer: () => page("Too many", 429, { "retry-after": "60" }) },
  captcha: { status: "blocked", at: "site", answer: () => htmlPage(challenge) },
  widget: { status: "blocked", at: "site", answer: () => htmlPage(widget) },
  mitigated: { status: "blocked", at: "site", answer: () => page("wait", 503, { "cf-mitigated": "challenge" }) },
  gone301: { status: "redirect", at: "site", answer: (_, host) => to(301, away(host)) },
  gone308: { status: "redirect", at: "site", answer: (_, host) => to(308, away(host)) },
  parked302: { status: "error", at: "site", answer: (_, host) => to(302, away(host)) },
  missing: { status: "error", at: "site", answer: () => page("Not found", 404) },
  broken: { status: "error", at: "site", answer: () => page("Oops", 500) },
  loop: { status: "error", at: "site", answer: (_, host) => to(301, `https://${host}/`) },
  closed: { status: "dead", at: "closed" },
  nowhere: { status: "dead", at: "nowhere" },
  plain: { status: "dead", at: "plain" },
  silent: { status: "dead", at: "silent" }
}

const addresses = {
  site: "127.0.0.1",
  plain: "127.0.0.2",
  closed: "127.0.0.3",
  silent: "127.0.0.4",
  nowhere: null
} as const

const kindOf = (host: string): Kind | undefined => kinds[host.split(".").at(-3) ?? ""]

/** All kinds on one port of several loopback addresses; null without openssl. */
export const siteServers = () => {
  const certificate = certificateFor(
    [...Object.keys(kinds).filter((it) => it !== "badcert"), "elsewhere"].map((it) => `*.${it}.com.sg`)
  )
  if (certificate === null) return null
  let port = 0
  const strip = (location: string) => location.replace(/(\.com\.sg)\//, `$1:${port}/`)
  const site = Bun.serve({
    hostname: addresses.site,
    port: 0,
    // A busy machine must not look like a server that hangs up.
    idleTimeout: 0,
    tls: certificate,
    fetch: (request) => {
      const host = (request.headers.get("host") ?? "").replace(/:\d+$/, "")
      const answer = kindOf(host)?.answer?.(request, host) ?? page("Elsewhere")
      const location = answer.headers.get("location")
      if (location !== null) answer.headers.set("location", strip(location))
      return answer
    }
  })
  port = site.port ?? 0
  const plain = Bun.serve({ hostname: addresses.plain, port, idleTimeout: 0, fetch: () => page("no TLS here") })
  const silent = createServer((socket) => socket.on("error", () => undefined))
  silent.listen(port, addresses.silent)
  return {
    port,
    ca: certificate.cert,
    /** Addresses of a name, as a resolver would answer; null: it has none. */
    resolve: (name: string): string | null => addresses[kindOf(name)?.at ?? "site"],
    stop: () => {
      silent.close()
      site.stop(true)
      plain.stop(true)
    }
  }
}
