import type { Settings } from "../config.ts"

/** Names under which distributions install it, the plainest first. */
export const chromiumNames = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]

/** The Chromium to run: the one that CHROMIUM_PATH names, else the first on PATH, else null. */
export const chromiumPath = (named: string | null): string | null =>
  named === null
    ? chromiumNames.reduce<string | null>((found, name) => found ?? Bun.which(name), null)
    : Bun.which(named)

/** Why Chromium cannot be run as the settings say; null: nothing speaks against it. Its sandbox refuses to work for root (B135). */
export const unsafe = (path: string, { BROWSER_SANDBOX }: Settings["Service"]): string | null =>
  BROWSER_SANDBOX && process.getuid?.() === 0
    ? `BROWSER_SANDBOX=true: the sandbox of ${path} does not work as root; run as another user, or set BROWSER_SANDBOX=false`
    : null

/** Old-space of one page's scripts, MB: more and the page dies, not the machine. */
const HEAP_MB = 256

export interface Flags {
  readonly sandbox: boolean
  /** Port of the guard proxy on loopback. */
  readonly proxyPort: number
}

/**
 * How Chromium is started: quiet, without extras of its own, and with no way out but the guard proxy: not for loopback
 * names (the bypass list), not by QUIC, not by WebRTC's UDP.
 */
export const chromiumFlags = ({ sandbox, proxyPort }: Flags): Array<string> => [
  ...(sandbox ? [] : ["--no-sandbox", "--disable-setuid-sandbox"]),
  `--proxy-server=http://127.0.0.1:${proxyPort}`,
  "--proxy-bypass-list=<-loopback>",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--disable-quic",
  "--dns-prefetch-disable",
  "--no-pings",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-domain-reliability",
  "--disable-client-side-phishing-detection",
  "--disable-sync",
  "--disable-breakpad",
  "--disable-crash-reporter",
  "--disable-extensions",
  "--disable-notifications",
  "--disable-file-system",
  "--disable-features=MediaRouter,OptimizationHints,Translate,AutofillServerCommunication,PreconnectToSearch,DialMediaRouteProvider",
  "--deny-permission-prompts",
  "--no-first-run",
  "--no-default-browser-check",
  "--mute-audio",
  "--password-store=basic",
  "--use-mock-keychain",
  "--blink-settings=imagesEnabled=false",
  `--js-flags=--max-old-space-size=${HEAP_MB}`
]
