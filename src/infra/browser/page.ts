import type { BrowserContext, CDPSession, Frame, HTTPResponse, Page, Protocol } from "puppeteer-core"
import type { Chromium } from "./process.ts"
import { ownAnswer } from "./proxy.ts"

/** The window: as tall as a screen, so that what waits for scrolling (the next article) is not asked for (field case B27). */
const VIEWPORT = { width: 1366, height: 900 }
/** What stands lower than this, px, is not the article: an endless page ends here. */
const HEIGHT_MAX = 30_000
/** No request for so long, ms, means that the page is there. */
const SILENCE_MS = 500
/** How often, ms, a page is looked at for what its rule waits for. */
const READY_EVERY_MS = 100
/** Open requests that do not count as work: beacons, streams. */
const SILENT_REQUESTS = 2
/** How long a page may take to close, ms; then its browser is given up. */
const CLOSE_MS = 3000
/** Kinds of requests that are never sent: nothing is read from them, and no host asked to be asked. */
const blocked = ["Image", "Media", "Font", "Other", "Ping", "CSPViolationReport"] as const

/** One visit, as it is ordered. */
export interface Visit {
  readonly url: string
  readonly userAgent: string
  /** From first packet to markup, ms. */
  readonly timeoutMs: number
  readonly settleMs: number
  /** The page is there when this matches an element with a text, instead of when its network is silent; at most `settleMs` later. */
  readonly ready: string | null
  readonly charsMax: number
  /** Only the first article of the page is wanted (field case B27). */
  readonly single: boolean
  /** Asked before each document of the main frame, redirects too; false stops the visit. */
  readonly admit: (url: string) => Promise<boolean>
}

/** What came of it. `failure` is told in Chromium's words. */
export type Visited =
  | { readonly tag: "page"; readonly answer: Answered; readonly html: string }
  | { readonly tag: "answer"; readonly answer: Answered }
  | { readonly tag: "refused" }
  | { readonly tag: "too_large" }
  | { readonly tag: "failed"; readonly why: "timeout" | "crash" | "network"; readonly message: string }

/** The last document that the main frame was answered with, and those before it. */
export interface Answered {
  readonly url: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly hops: ReadonlyArray<{ readonly url: string; readonly status: number }>
}

class Over extends Error {}
class Crashed extends Error {}

const deadline = (ms: number): { readonly over: Promise<never>; readonly stop: () => void } => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Over(`not there within ${ms} ms`)), ms)
  })
  over.catch(() => undefined)
  return { over, stop: () => clearTimeout(timer) }
}

/** Stops what is not wanted before it is sent, and asks about each document of the main frame. */
const filter = async (cdp: CDPSession, mainFrame: string, admit: Visit["admit"]): Promise<() => boolean> => {
  let refused = false
  const judge = async ({ frameId, request, requestId, resourceType }: Protocol.Fetch.RequestPausedEvent) => {
    const isMain = resourceType === "Document" && frameId === mainFrame
    const goes = resourceType === "Document" && (!isMain || (await admit(request.url)))
    if (isMain && !goes) refused = true
    await (goes
      ? cdp.send("Fetch.continueRequest", { requestId })
      : cdp.send("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" }))
  }
  cdp.on("Fetch.requestPaused", (event) => void judge(event).catch(() => undefined))
  const patterns = [...blocked, "Document" as const].map((resourceType) => ({ resourceType, urlPattern: "*" }))
  await cdp.send("Fetch.enable", { patterns })
  return () => refused
}

const listenTo = (page: Page) => {
  const documents: Array<HTTPResponse> = []
  const main: Frame = page.mainFrame()
  page.on("response", (it) => {
    if (it.request().isNavigationRequest() && it.frame() === main) documents.push(it)
  })
  page.on("dialog", (it) => void it.dismiss().catch(() => undefined))
  const crashed = new Promise<never>((_, reject) => {
    page.once("error", (it) => reject(new Crashed(it.message)))
    page.once("close", () => reject(new Crashed("the page was closed")))
    page.browser().once("disconnected", () => reject(new Crashed("Chromium ended")))
  })
  crashed.catch(() => undefined)
  const answered = (): Answered | null => {
    const last = documents.at(-1)
    if (last === undefined) return null
    const hops = documents.slice(0, -1).map((it) => ({ url: it.url(), status: it.status() }))
    return { url: last.url(), status: last.status(), headers: last.headers(), hops }
  }
  return { answered, crashed }
}

/** Runs inside the page: drops further articles and what lies too deep, then gives the markup, or null where it is too much. */
const markup = (single: boolean, heightMax: number, charsMax: number): string | null => {
  const outer = [...document.querySelectorAll("article")].filter(
    (it) => it.parentElement?.closest("article") === null && it.querySelector("h1") !== null
  )
  if (single) for (const it of outer.slice(1)) it.remove()
  for (const it of document.querySelectorAll("body > *, main > *, article, section")) {
    if (it.getBoundingClientRect().top + window.scrollY > heightMax) it.remove()
  }
  const html = document.documentElement.outerHTML
  return html.length > charsMax ? null : `<!doctype html>${html}`
}

/**
 * Runs inside the page before its own scripts. What no reader needs cannot leak; and an icon that is no request keeps Chromium
 * from asking for the site's: such a request is made by no document, so no filter of documents sees it.
 */
const harmless = (): void => {
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport"])
    Reflect.deleteProperty(window, name)
  if (window.top !== window) return
  const own = document.createElement("link")
  own.rel = "icon"
  own.href = "data:,"
  // Chromium looks for icons among the head's own children; so little is looked at, for pages change often.
  const only = (): void => {
    const { head } = document
    if (head === null) return
    for (const it of head.querySelectorAll(':scope > link[rel*="icon" i]')) if (it !== own) it.remove()
    if (!own.isConnected) head.append(own)
  }
  new MutationObserver(only).observe(document, { childList: true, subtree: true })
}

/** Waits inside the page. A selector that Chromium does not know never matches. */
const matches = (css: string): boolean => {
  try {
    return [...document.querySelectorAll(css)].some((it) => (it.textContent ?? "").trim() !== "")
  } catch {
    return false
  }
}

/** Until the page is there, as far as can be told; never longer than it may take, and never a failure. */
const settled = async (page: Page, { ready, settleMs }: Visit): Promise<void> => {
  const timeout = Math.max(1, settleMs)
  const silence = { idleTime: SILENCE_MS, concurrency: SILENT_REQUESTS, timeout }
  const wait =
    ready === null
      ? page.waitForNetworkIdle(silence)
      : page.waitForFunction(matches, { timeout, polling: READY_EVERY_MS }, ready)
  await wait.catch(() => undefined)
}

const prepare = async (context: BrowserContext, visit: Visit) => {
  const page = await context.newPage()
  const own = page.target()
  context.on("targetcreated", (it) => {
    // A page that opens windows gets none.
    if (it.type() !== "page" || it === own) return
    const close = it.page().then((other) => other?.close())
    close.catch(() => undefined)
  })
  const listening = listenTo(page)
  await page.evaluateOnNewDocument(harmless)
  await page.setViewport(VIEWPORT)
  await page.setUserAgent({ userAgent: visit.userAgent })
  const cdp = await page.createCDPSession()
  await cdp.send("Browser.setDownloadBehavior", {
    behavior: "deny",
    ...(context.id ? { browserContextId: context.id } : {})
  })
  await cdp.send("Network.setBypassServiceWorker", { bypass: true })
  const { frameTree } = await cdp.send("Page.getFrameTree")
  const refused = await filter(cdp, frameTree.frame.id, visit.admit)
  return { page, refused, ...listening }
}

const open = async (context: BrowserContext, visit: Visit, over: Promise<never>): Promise<Visited> => {
  const { answered, crashed, page, refused } = await Promise.race([prepare(context, visit), over])
  const bounded = <A>(work: Promise<A>): Promise<A> => Promise.race([work, over, crashed])
  try {
    await bounded(page.goto(visit.url, { waitUntil: "domcontentloaded", timeout: visit.timeoutMs }))
    await bounded(settled(page, visit))
    if (refused()) return { tag: "refused" }
    const answer = answered()
    if (answer === null || answer.headers[ownAnswer] !== undefined)
      return { tag: "failed", why: "network", message: "no connection" }
    const html = await bounded(page.evaluate(markup, visit.single, HEIGHT_MAX, visit.charsMax))
    return html === null ? { tag: "too_large" } : { tag: "page", answer, html }
  } catch (error) {
    const answer = answered()
    if (refused()) return { tag: "refused" }
    // A download has an answer, but nothing to show.
    if (answer !== null && /ERR_ABORTED/.test(String(error))) return { tag: "answer", answer }
    return failed(error)
  }
}

const failed = (error: unknown): Visited => {
  const message = (error instanceof Error ? error.message : String(error)).slice(0, 300)
  const crash =
    error instanceof Crashed || /Target closed|Session closed|detached|crash|Connection closed/i.test(message)
  const late = error instanceof Over || /timeout|timed out/i.test(message)
  return { tag: "failed", why: crash ? "crash" : late ? "timeout" : "network", message }
}

/**
 * Visits one URL in a context of its own, which ends with it: no cookie, storage or worker stays. Never rejects. `broken` is
 * called when the browser could not be rid of the page.
 */
export const visitPage = async ({ browser }: Chromium, visit: Visit, broken: () => void): Promise<Visited> => {
  const { over, stop } = deadline(visit.timeoutMs)
  let context: BrowserContext | null = null
  try {
    context = await Promise.race([browser.createBrowserContext(), over])
    return await open(context, visit, over)
  } catch (error) {
    if (context === null) broken()
    return failed(error)
  } finally {
    stop()
    const closing = deadline(CLOSE_MS)
    await Promise.race([context?.close(), closing.over]).catch(broken)
    closing.stop()
  }
}
