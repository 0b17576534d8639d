/**
 * Proof guard: of 3,000 ways to name a non-public address (spellings, names that resolve to it, redirects) none is dialled: 0
 * requests leave, each fetch ends in `address_refused`.
 */
import { Effect, Layer } from "effect"
import { Fetcher } from "../../src/domain/ports.ts"
import { Resolver } from "../../src/infra/dns.ts"
import { job, wholeFetcher } from "../../test/support/net.ts"
import { prove } from "./proof.ts"

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

/** Whoever dials, dials by `fetch`. */
const watch = (isSite: (url: string) => boolean) => {
  const seen = { site: 0, others: 0 }
  const real = globalThis.fetch
  globalThis.fetch = Object.assign((...args: Parameters<typeof fetch>) => {
    if (isSite(String(args[0]))) seen.site += 1
    else seen.others += 1
    return real(...args)
  }, real)
  return seen
}

await prove(async (bench) => {
  const targets = new Map<string, string>()
  const server = Bun.serve({
    hostname: SITE,
    port: 0,
    fetch: (request) => {
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
  const seen = watch((url) => url.startsWith(site))
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
  return {
    rows,
    figure: `guard: ${refused} of ${WAYS} refused, ${seen.others} dialled`,
    holds: refused === WAYS && seen.others === 0 && seen.site === WAYS / 3
  }
})
