/**
 * Traps: addresses that answer as hostile or broken sites do. Every host has all of them at `trapPath(name)`, which
 * looks like an article; lists link the ones that the options name.
 */

import type { Host } from "./press.ts"
import type { Reply } from "./server.ts"

const html = { "content-type": "text/html; charset=utf-8" }
const bytes = (text: string) => new TextEncoder().encode(text)
const page = (title: string, body: string, status = 200): Reply => ({
  status,
  headers: html,
  body: bytes(`<!DOCTYPE html><html lang="en"><head><title>${title}</title></head><body>${body}</body></html>`)
})
const moved = (location: string): Reply => ({ status: 302, headers: { location }, body: new Uint8Array() })

const MEGABYTE = 1_048_576
const filler = (size: number) =>
  bytes("<p>All work and no news makes a dull page, over and over again.</p>\n".repeat(size / 68))

async function* every(milliseconds: number, pieces: Iterable<Uint8Array>) {
  for (const piece of pieces) {
    yield piece
    await Bun.sleep(milliseconds)
  }
}
function* repeated(piece: Uint8Array, times: number) {
  for (let at = 0; at < times; at++) yield piece
}
function* single(text: string) {
  for (const byte of bytes(text)) yield Uint8Array.of(byte)
}

/** 64 MiB of one letter: about 64 kB on the wire, a ratio near 1,000. */
const bomb = (() => {
  let packed: Uint8Array | undefined
  return () => (packed ??= Bun.gzipSync(new Uint8Array(64 * MEGABYTE).fill(0x61), { level: 9 }))
})()

const long = (what: string) => `<article><h1>${what}</h1>${"<p>A paragraph that never gets to its end.</p>".repeat(20)}`

export const traps = {
  /** Two addresses that redirect to each other. */
  loop: ({ origin }: Host) => moved(`${origin}/trap/loop-b`),
  /** A redirect to an address that is not public. */
  private: () => moved("http://169.254.169.254/latest/meta-data/"),
  /** A redirect out of http. */
  file: () => moved("file:///etc/hostname"),
  /** First byte after ten seconds. */
  slow: () => ({ status: 200, headers: html, body: every(10_000, [new Uint8Array(), bytes(long("Slow"))]) }),
  /** One byte each 200 ms: never idle, never done. */
  loris: () => ({ status: 200, headers: html, body: every(200, single(long("Loris"))) }),
  /** 16 KiB a piece until 1 GiB: no client should see its end. */
  endless: () => ({ status: 200, headers: html, body: every(0, repeated(filler(16_384), 65_536)) }),
  bomb: () => ({ status: 200, headers: { ...html, "content-encoding": "gzip" }, body: bomb() }),
  /** 20 MiB that end. */
  huge: () => ({ status: 200, headers: html, body: filler(20 * MEGABYTE) }),
  /** Announces more than it sends. */
  truncated: () => {
    const body = bytes(`<!DOCTYPE html><title>Cut</title>${long("Cut short")}`)
    return { status: 200, headers: html, body, announced: body.length + 5000, ending: "close" }
  },
  /** Breaks in the middle, every time. */
  reset: () => ({ status: 200, headers: html, body: every(5, [bytes(long("Reset"))]), ending: "reset" }),
  too_many: () => ({ ...page("429", "<h1>Slow down</h1>", 429), headers: { ...html, "retry-after": "3600" } }),
  unavailable: () => page("503", "<h1>Service unavailable</h1>", 503),
  dead: () => page("404", "<h1>Not found</h1>", 404),
  /** Its text comes by script only. */
  shell: () =>
    page(
      "Loading",
      '<div id="root"></div><noscript>You need to enable JavaScript to run this app.</noscript><script src="/static/app.js"></script>'
    ),
  soft_404: () =>
    page(
      "페이지를 찾을 수 없습니다",
      "<h1>페이지를 찾을 수 없습니다</h1><p>요청하신 기사가 삭제되었거나 주소가 변경되었습니다.</p><a href='/'>홈으로</a>"
    ),
  consent: () =>
    page(
      "Before you continue",
      '<div id="consent-dialog"><h1>Your privacy matters</h1><p>We and our 812 partners store cookies. Accept to continue.</p><form action="/consent"><button>Accept all</button><button>Manage options</button></form></div>'
    ),
  captcha: () =>
    page(
      "Just a moment...",
      '<h1>Checking your browser</h1><p>Please complete the security check.</p><div class="g-recaptcha" data-sitekey="none"></div>',
      403
    ),
  paywall: () =>
    page(
      "A story for subscribers",
      '<article><h1>A story for subscribers of the paper</h1><p>The first lines are free to read and say little about it.</p></article><div class="paywall"><p>Subscribe to continue reading.</p></div>'
    ),
  pdf: () => ({
    status: 200,
    headers: { "content-type": "application/pdf" },
    body: bytes("%PDF-1.4\n1 0 obj <<>> endobj\n%%EOF\n")
  }),
  empty: () => ({ status: 200, headers: html, body: new Uint8Array() })
} as const satisfies Readonly<Record<string, (host: Host) => Reply>>

export type Trap = keyof typeof traps

export const trapNames = Object.keys(traps) as readonly Trap[]
export const trapPath = (name: Trap): string =>
  `/news/2026/11/29/trap-${name.replaceAll("_", "-")}-${990_000 + trapNames.indexOf(name)}`

const byPath = new Map<string, (host: Host) => Reply>(
  Object.entries(traps).map(([name, reply]) => [trapPath(name as Trap), reply])
)

/** The trap at a path, if there is one. */
export const trapAt = (path: string, host: Host): Reply | undefined =>
  path === "/trap/loop-b" ? moved(host.origin + trapPath("loop")) : byPath.get(path)?.(host)
