import { namesOf, pagesOf, resultsOf } from "./world.ts"

/** What the server does instead of answering well. `quota` and `minute` concern Google alone. */
export type Mood =
  | "well"
  | "html"
  | "half"
  | "broken"
  | "foreign"
  | "404"
  | "429"
  | "500"
  | "quota"
  | "minute"
  | "empty"

export interface Question {
  readonly source: "google" | "crtsh" | "wayback"
  readonly subject: string
  readonly at: number
}

/** Google Programmable Search JSON API: pages of ten, `queries.nextPage` while there are more. */
const google = (url: URL): Response => {
  const query = url.searchParams.get("q") ?? ""
  if (url.searchParams.get("key") === "bad") {
    const error = {
      code: 400,
      message: "API key not valid. Please pass a valid API key.",
      errors: [{ message: "API key not valid.", domain: "global", reason: "badRequest" }],
      status: "INVALID_ARGUMENT",
      details: [
        { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID", domain: "googleapis.com" }
      ]
    }
    return Response.json({ error }, { status: 400 })
  }
  const start = Number(url.searchParams.get("start") ?? 1)
  const all = resultsOf(query)
  const items = all.slice(start - 1, start + 9).map((it) => ({
    kind: "customsearch#result",
    title: it.title,
    htmlTitle: it.title,
    link: it.link,
    displayLink: new URL(it.link).host,
    snippet: it.snippet
  }))
  const more = start + 10 <= all.length
  const page = {
    title: `Google Custom Search - ${query}`,
    totalResults: String(all.length),
    searchTerms: query,
    count: items.length
  }
  return Response.json({
    kind: "customsearch#search",
    url: { type: "application/json", template: "https://www.googleapis.com/customsearch/v1?q={searchTerms}" },
    queries: {
      request: [{ ...page, startIndex: start }],
      ...(more ? { nextPage: [{ ...page, startIndex: start + 10 }] } : {})
    },
    searchInformation: { searchTime: 0.2, totalResults: String(all.length) },
    ...(items.length === 0 ? {} : { items })
  })
}

const quota = (per: "day" | "minute per user"): Response =>
  Response.json(
    {
      error: {
        code: 429,
        message: `Quota exceeded for quota metric 'Queries' and limit 'Queries per ${per}' of service 'customsearch.googleapis.com'.`,
        errors: [{ message: "Quota exceeded", domain: "global", reason: "rateLimitExceeded" }],
        status: "RESOURCE_EXHAUSTED"
      }
    },
    { status: 429 }
  )

/** crt.sh `output=json`: certificates, several names a field, wildcards and e-mail addresses among them. */
const crtsh = (domain: string): Response => {
  const names = namesOf(domain)
  const rows = names.map((name, at) => ({
    issuer_ca_id: 16418,
    issuer_name: "C=US, O=Let's Encrypt, CN=R3",
    common_name: name,
    name_value: `*.${name}\n${name}\nwebmaster@${domain}\nother.example`,
    id: 1000 + at,
    entry_timestamp: "2026-01-20T01:02:03.456",
    not_before: "2026-01-20T00:02:03",
    not_after: "2026-04-20T00:02:02",
    serial_number: `03${at}`,
    result_count: 4
  }))
  return Response.json(rows)
}

/** Wayback CDX `output=json`: the first row names the fields; nothing known is an empty list. */
const wayback = (domain: string): Response => {
  const pages = pagesOf(domain)
  return Response.json(pages.length === 0 ? [] : [["original"], ...pages.map((it) => [it])])
}

const html = () => new Response("<html><body>Sorry, busy</body></html>", { headers: { "content-type": "text/html" } })

const ill = (mood: Mood, source: Question["source"]): Response | null => {
  switch (mood) {
    case "html":
      return html()
    case "half":
      return new Response('[["original"],["http://a.', { headers: { "content-type": "application/json" } })
    case "broken":
      return new Response('{"items": [', { headers: { "content-type": "application/json" } })
    case "429":
      return new Response("slow down", { status: 429, headers: { "retry-after": "120" } })
    case "500":
      return new Response("oops", { status: 500 })
    case "quota":
      return source === "google" ? quota("day") : null
    case "minute":
      return source === "google" ? quota("minute per user") : null
    // JSON, but of another service: an error object, rows without names, a table without the column.
    case "foreign":
      return Response.json(
        source === "google" ? { kind: "error" } : source === "crtsh" ? [{ error: "busy" }] : [["a"], ["b"]]
      )
    case "404":
      return new Response("Not Found", { status: 404 })
    case "empty":
      return source === "google" ? Response.json({ kind: "customsearch#search" }) : Response.json([])
    default:
      return null
  }
}

/** The three HTTP discovery sources on one loopback port, each under its path. */
export const discoveryServer = (options: { port?: number; delayMs?: number } = {}) => {
  const asked: Array<Question> = []
  const moods = new Map<string, Mood>()
  const subjectOf = (source: string, url: URL) =>
    source === "google"
      ? (url.searchParams.get("q") ?? "")
      : source === "crtsh"
        ? (url.searchParams.get("q") ?? "").replace(/^%\./, "")
        : (url.searchParams.get("url") ?? "")
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: options.port ?? 0,
    fetch: async (request) => {
      const url = new URL(request.url)
      const source = url.pathname.slice(1)
      if (source !== "google" && source !== "crtsh" && source !== "wayback") return new Response("", { status: 404 })
      const subject = subjectOf(source, url)
      asked.push({ source, subject, at: Date.now() })
      if (options.delayMs !== undefined) await Bun.sleep(options.delayMs)
      const mood = moods.get(`${source} ${subject}`) ?? moods.get(source) ?? "well"
      return (
        ill(mood, source) ??
        (source === "google" ? google(url) : source === "crtsh" ? crtsh(subject) : wayback(subject))
      )
    }
  })
  const base = `http://127.0.0.1:${server.port}`
  return {
    base,
    asked,
    /** How a source answers from now on: all of it, or about one subject. */
    mood: (source: Question["source"], mood: Mood, subject?: string) =>
      void moods.set(subject === undefined ? source : `${source} ${subject}`, mood),
    /** Settings of a crawler that asks this server. */
    settings: {
      GOOGLE_SEARCH_URL: `${base}/google`,
      GOOGLE_API_KEY: "a-key-of-this-test",
      GOOGLE_CSE_ID: "an-engine",
      CRTSH_URL: `${base}/crtsh`,
      WAYBACK_URL: `${base}/wayback`
    },
    stop: () => server.stop(true)
  }
}
