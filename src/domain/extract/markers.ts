import { attribute, type Tree } from "./element.ts"

/** Bytes looked at to tell a document's type. */
const headBytes = 1024
/** More control characters than this share of the head is no text. */
const controlShareMax = 0.1

const magic: ReadonlyArray<readonly [string, ReadonlyArray<number>]> = [
  ["pdf", [0x25, 0x50, 0x44, 0x46]],
  ["png", [0x89, 0x50, 0x4e, 0x47]],
  ["jpeg", [0xff, 0xd8, 0xff]],
  ["gif", [0x47, 0x49, 0x46, 0x38]],
  ["zip", [0x50, 0x4b, 0x03, 0x04]],
  ["gzip", [0x1f, 0x8b]],
  ["executable", [0x7f, 0x45, 0x4c, 0x46]],
  ["riff", [0x52, 0x49, 0x46, 0x46]],
  ["mp3", [0x49, 0x44, 0x33]]
]

const startsWith = (bytes: Uint8Array, head: ReadonlyArray<number>): boolean => head.every((it, i) => bytes[i] === it)

/** What a document is that is no HTML, by its bytes first and its declared type second; null if it may be HTML. */
export const binaryKind = (bytes: Uint8Array, text: string, contentType: string | null): string | null => {
  const found = magic.find(([, head]) => startsWith(bytes, head))
  if (found !== undefined) return found[0]
  const head = text.slice(0, headBytes)
  const controls = head.match(/[\u0000-\u0008\u000e-\u001f]/gu)?.length ?? 0
  if (controls > head.length * controlShareMax) return "binary"
  if (
    /<(?:!doctype|html|head|body|meta|title|div|p|article|table|script|a|h1|section|br)\b/iu.test(
      text.slice(0, 100_000)
    )
  )
    return null
  const type = contentType?.split(";")[0]?.trim().toLowerCase() ?? ""
  if (/^\s*[{[]/u.test(head) && /[}\]]\s*$/u.test(text)) return "json"
  if (
    /^(?:image|audio|video|font)\/|^application\/(?:pdf|zip|octet-stream|json|javascript)|^text\/(?:css|javascript|csv)/u.test(
      type
    )
  )
    return type
  return /^\s*<\?xml/u.test(head) ? "xml" : null
}

const challenges: ReadonlyArray<readonly [string, string]> = [
  ["/cdn-cgi/challenge-platform/h/", "cloudflare"],
  ["cf-browser-verification", "cloudflare"],
  ["cf_chl_opt", "cloudflare"],
  ["_Incapsula_Resource", "incapsula"],
  ["captcha-delivery.com", "datadome"],
  ["px-captcha", "perimeterx"],
  ["ak-challenge", "akamai"],
  ["sec-if-cpt-container", "akamai"]
]
/** A challenge is a small page; large pages may load the same script for other ends. */
const challengeMax = 60_000

const wallNames =
  /(?:^|[\s_-])(?:paywall|regwall|piano-(?:offer|container)|subscription-wall|article-locked|premium-wall|locked-content|subscriber-only|paid-content-barrier)(?:$|[\s_-])/i

/** The challenge that a page's markup names (`challenge:cloudflare`), or null. */
export const challengeIn = (html: string): string | null => {
  const found = html.length > challengeMax ? undefined : challenges.find(([mark]) => html.includes(mark))
  return found === undefined ? null : `challenge:${found[1]}`
}

/** The wall that an element's classes name (`paywall:regwall`), or null. */
export const wallIn = (tree: Tree): string | null => {
  const looked = new Set<string>()
  for (const element of tree.elements) {
    const names = attribute(element, "class")
    if (names === undefined || names.length > 300 || looked.has(names)) continue
    looked.add(names)
    const wall = wallNames.exec(names)?.[0]
    if (wall !== undefined) return `paywall:${wall.trim()}`
  }
  return null
}
