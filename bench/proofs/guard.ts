/**
 * Proof guard: of 3,000 ways to name a non-public address (spellings, names that resolve to it, redirects) none is dialled: 0
 * requests leave, each fetch ends in `address_refused`; every URL of the table of bad inputs is refused before a socket; and of
 * 20 ways out of a page in Chromium (documents, scripts, WebSockets, STUN) 0 packets reach a listener at a private address.
 */
import { createSocket } from "node:dgram"
import { existsSync, readFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { Fetcher } from "../../src/domain/ports.ts"
import { chromiumPath } from "../../src/infra/browser/chromium.ts"
import * as pool from "../../src/infra/browser/pool.ts"
import { Resolver } from "../../src/infra/dns.ts"
import { BrowserFetcher, layer as browser } from "../../src/infra/fetcher.browser.ts"
import * as hosts from "../../src/infra/hosts.memory.ts"
import { job, openRobots, outward, wholeFetcher } from "../../test/support/net.ts"
import { Missing, prove, shared } from "./proof.ts"

/** First address and size in bits of the ranges that are not public (RFC 6890 and its successors, cloud metadata services). */
const RANGES = (
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 100.100.100.200/32 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 169.254.169.254/32 " +
  "172.16.0.0/12 192.0.0.192/32 192.0.2.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 " +
  "240.0.0.0/4 255.255.255.255/32"
).split(" ")
const PUBLIC = "93.184.216.34"
/** The one private address that may be dialled: the site that redirects. */
const SITE = "127.0.0.1"
const WAYS = 3000

/** The same addresses every time (xorshift). */
let seed = 20_261_130
const random = (below: number): number => {
  seed ^= seed << 13
  seed ^= seed >>> 17
  seed ^= seed << 5
  return (seed >>> 0) % below
}

const number = (dotted: string): number => dotted.split(".").reduce((sum, part) => sum * 256 + Number(part), 0)
const dotted = (value: number): string => [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".")
const inside = (range: string): string => {
  const [first = "", bits] = range.split("/")
  return dotted(number(first) + random(2 ** (32 - Number(bits))))
}

const octal = (ip: string): string =>
  ip
    .split(".")
    .map((part) => `0${Number(part).toString(8)}`)
    .join(".")
const hexParts = (ip: string): string =>
  ip
    .split(".")
    .map((part) => `0x${Number(part).toString(16)}`)
    .join(".")
const short = (ip: string): string => `${ip.split(".")[0]}.${number(ip) % 2 ** 24}`
const groups = (ip: string): string => {
  const hex = number(ip).toString(16).padStart(8, "0")
  return `${hex.slice(0, 4)}:${hex.slice(4)}`
}
const spellings: ReadonlyArray<(ip: string) => string> = [
  (ip) => ip,
  (ip) => `${ip}.`,
  (ip) => String(number(ip)),
  (ip) => `0x${number(ip).toString(16)}`,
  octal,
  hexParts,
  short,
  (ip) => `[::ffff:${ip}]`,
  (ip) => `[::${groups(ip)}]`,
  (ip) => `[64:ff9b::${groups(ip)}]`,
  (ip) => `[2002:${groups(ip)}::1]`,
  (ip) => `[fd00::${groups(ip)}]`,
  (ip) => `[fe80::${groups(ip)}]`,
  (ip) => ip.replaceAll(".", "%2e"),
  (ip) => ip.replaceAll(".", "。")
]
const spelled = (): string => {
  const ip = inside(RANGES[random(RANGES.length)] ?? "")
  return ip === SITE ? spelled() : (spellings[random(spellings.length)]?.(ip) ?? ip)
}

/** Names answer with the address they are named for, some behind a public one. */
const resolver = Layer.succeed(Resolver, {
  resolve: (name) => {
    const address = dotted(Number(name.split(".")[1]))
    return Effect.succeed(name.startsWith("mixed") ? [PUBLIC, address] : [address])
  }
})
const named = (): string => {
  const ip = inside(RANGES[random(RANGES.length)] ?? "")
  return ip === SITE ? named() : `${random(2) === 0 ? "plain" : "mixed"}.${number(ip)}.test`
}

/** Counts whoever dials: by a socket to anywhere but the site, or by `fetch`, which nobody has a use for here. */
const watch = (port: number) => {
  const seen = { others: 0 }
  const real = globalThis.fetch
  const connect = Bun.connect
  const counted = <Data>(options: Bun.TCPSocketConnectOptions<Data>) => {
    if (options.hostname !== SITE || options.port !== port) seen.others += 1
    return connect(options)
  }
  Object.assign(Bun, { connect: counted })
  globalThis.fetch = Object.assign((...args: Parameters<typeof real>) => {
    seen.others += 1
    return real(...args)
  }, real)
  return seen
}

/** URLs that the table of bad inputs says are denied or invalid; rows that describe a setting have tests of their own. */
const badInputs = (): ReadonlyArray<string> => {
  const table = join(shared, "cases", "bad-inputs.tsv")
  if (!existsSync(table)) throw new Missing("the table of bad inputs is not beside the checkout")
  return readFileSync(table, "utf8")
    .split("\n")
    .map((line) => line.split("\t"))
    .filter(([, kind, url = "", expected = ""]) => kind === "url" && /^(?:DENY|422)/.test(expected) && !/\s/.test(url))
    .map(([, , url = ""]) => url)
}

/** A private address that nobody may reach, and how many tried by TCP or UDP. */
const FORBIDDEN = "127.0.0.2"
const forbidden = async (later: (work: () => unknown) => void) => {
  const seen = { tcp: 0, udp: 0 }
  const server = createServer((socket) => {
    seen.tcp += 1
    socket.destroy()
  })
  const port = await new Promise<number>((resolve) =>
    server.listen(0, FORBIDDEN, () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : 0)
    })
  )
  const udp = createSocket("udp4", () => {
    seen.udp += 1
  })
  udp.bind(port, FORBIDDEN)
  later(() => server.close())
  later(() => udp.close())
  return { seen, port }
}

/** Ways out of a page: what it loads, opens, sends and follows. `A` stands for the forbidden address. */
const exits: Readonly<Record<string, string>> = {
  image: '<img src="http://A/">',
  script: '<script src="http://A/"></script>',
  style: '<link rel="stylesheet" href="http://A/">',
  frame: '<iframe src="http://A/"></iframe>',
  object: '<object data="http://A/"></object>',
  video: '<video src="http://A/" autoplay></video>',
  prefetch:
    '<link rel="prefetch" href="http://A/"><link rel="preconnect" href="http://A/"><link rel="dns-prefetch" href="//A/">',
  fetch: "<script>fetch('http://A/', { mode: 'no-cors' })</script>",
  "fetch over TLS": "<script>fetch('https://A/', { mode: 'no-cors' })</script>",
  beacon: "<script>navigator.sendBeacon('http://A/', 'x')</script>",
  websocket: "<script>new WebSocket('ws://A/')</script>",
  "secure websocket": "<script>new WebSocket('wss://A/')</script>",
  eventsource: "<script>new EventSource('http://A/')</script>",
  worker: "<script>new Worker(URL.createObjectURL(new Blob([`fetch('http://A/', { mode: 'no-cors' })`])))</script>",
  stun: "<script>const it = new RTCPeerConnection({ iceServers: [{ urls: 'stun:A' }] }); it.createDataChannel('x'); it.createOffer().then((offer) => it.setLocalDescription(offer))</script>",
  turn: "<script>const it = new RTCPeerConnection({ iceServers: [{ urls: 'turn:A?transport=tcp', username: 'a', credential: 'b' }] }); it.createDataChannel('x'); it.createOffer().then((offer) => it.setLocalDescription(offer))</script>",
  location: "<script>location.href = 'http://A/'</script>",
  refresh: '<meta http-equiv="refresh" content="0; url=http://A/">',
  window: "<script>open('http://A/')</script>",
  form: '<form action="http://A/" method="post"></form><script>document.forms[0].submit()</script>'
}

/** Each way by a page of its own; half of the pages name the address as a number. */
const byBrowser = async (later: (work: () => unknown) => void, path: string) => {
  const { port, seen } = await forbidden(later)
  const site = Bun.serve({
    hostname: SITE,
    port: 0,
    fetch: (request) => {
      const way = decodeURIComponent(new URL(request.url).pathname.slice(1))
      const at = Object.keys(exits).indexOf(way)
      const target = at % 2 === 0 ? `${FORBIDDEN}:${port}` : `${number(FORBIDDEN)}:${port}`
      return new Response(
        `<title>${way}</title><p>text</p>${(exits[way] ?? "").replaceAll("A/", `${target}/`).replaceAll(/:A(?=['?])/g, `:${target}`)}`,
        {
          headers: { "content-type": "text/html" }
        }
      )
    }
  })
  later(() => site.stop(true))
  const sandbox = process.getuid?.() === 0 ? "false" : "true"
  const services = browser.pipe(
    Layer.provideMerge(pool.layer(path)),
    Layer.provideMerge(Layer.merge(openRobots, hosts.layer())),
    Layer.provideMerge(outward({ ALLOW_PRIVATE_CIDRS: SITE, BROWSER_SANDBOX: sandbox, FETCH_TIMEOUT: "20s" }, resolver))
  )
  const visited = await Effect.runPromise(
    Effect.gen(function* () {
      const { fetch } = yield* BrowserFetcher
      const visit = (way: string) => Effect.result(fetch(job(`http://${SITE}:${site.port}/${encodeURIComponent(way)}`)))
      const results = yield* Effect.forEach(Object.keys(exits), visit, { concurrency: 2 })
      return { pages: results.length, refused: (yield* pool.Browsers).refused() }
    }).pipe(Effect.provide(services))
  )
  return { ...visited, dialled: seen.tcp + seen.udp, ...seen }
}

await prove(async (bench) => {
  const targets = new Map<string, string>()
  let redirected = 0
  const server = Bun.serve({
    hostname: SITE,
    port: 0,
    fetch: (request) => {
      redirected += 1
      const location = targets.get(new URL(request.url).pathname) ?? "/"
      // A header holds bytes: raw UTF-8, as careless sites write it.
      return new Response(null, { status: 302, headers: { location: Buffer.from(location).toString("latin1") } })
    }
  })
  bench.later(() => server.stop(true))
  const site = `http://${SITE}:${server.port}`
  const ways: Readonly<Record<string, (index: number) => string>> = {
    "spelled in the URL": () => `http://${spelled()}/`,
    "behind a name": () => `http://${named()}/`,
    "behind a redirect": (index) => {
      targets.set(`/${index}`, `http://${index % 2 === 0 ? spelled() : named()}/`)
      return `${site}/${index}`
    }
  }
  const seen = watch(server.port ?? 0)
  const layer = wholeFetcher({ ALLOW_PRIVATE_CIDRS: SITE, FETCH_CONCURRENCY: "16" }, resolver)
  const rows: Array<{ way: string; tried: number; refused: number; dialled: number }> = []
  for (const [way, url] of Object.entries(ways)) {
    const urls = Array.from({ length: WAYS / 3 }, (_, index) => url(index))
    const before = seen.others
    const results = await Effect.runPromise(
      Effect.forEach(urls, (it) => Fetcher.use((fetcher) => Effect.result(fetcher.fetch(job(it), null)))).pipe(
        Effect.provide(layer)
      )
    )
    const refused = results.filter(
      (it) => it._tag === "Failure" && "code" in it.failure && it.failure.code === "address_refused"
    )
    rows.push({ way, tried: urls.length, refused: refused.length, dialled: seen.others - before })
  }
  const refused = rows.reduce((sum, it) => sum + it.refused, 0)
  const spelt = seen.others
  const bad = badInputs()
  const denied = await Effect.runPromise(
    Effect.forEach(bad, (it) => Fetcher.use((fetcher) => Effect.result(fetcher.fetch(job(it), null)))).pipe(
      Effect.provide(wholeFetcher({ ALLOW_PRIVATE_CIDRS: "" }, resolver))
    )
  )
  // A port out of range or an unknown name may fail in its own way: what counts is that it fails before a socket.
  const stopped = denied.filter((it) => it._tag === "Failure")
  rows.push({ way: "bad inputs", tried: bad.length, refused: stopped.length, dialled: seen.others - spelt })
  const path = chromiumPath(process.env.CHROMIUM_PATH ?? null)
  if (path === null) throw new Missing("no Chromium on PATH")
  const pages = await byBrowser(bench.later, path)
  rows.push({ way: "out of a page", tried: pages.pages, refused: pages.refused, dialled: pages.dialled })
  return {
    rows,
    figure:
      `guard: ${refused} of ${WAYS} refused, ${seen.others} dialled; ${stopped.length} of ${bad.length} bad inputs; ` +
      `${pages.pages} ways out of a page: ${pages.refused} connections refused, ${pages.tcp} connections and ${pages.udp} datagrams arrived`,
    holds:
      refused === WAYS &&
      seen.others === 0 &&
      redirected === WAYS / 3 &&
      stopped.length === bad.length &&
      pages.dialled === 0 &&
      pages.refused >= 10
  }
})
