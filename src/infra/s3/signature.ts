import { createHash, createHmac } from "node:crypto"

export interface Keys {
  readonly id: string
  readonly secret: string
}

/** What is asked of the store. `query` and `headers` are signed as they are sent. */
export interface Asked {
  readonly method: "GET" | "PUT" | "DELETE"
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBuffer>
}

const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex")
const hmac = (key: string | Buffer, data: string): Buffer => createHmac("sha256", key).update(data).digest()

/** RFC 3986: all but unreserved characters, as the signature's rules want it. */
export const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`)

const canonicalQuery = (url: URL): string =>
  [...url.searchParams]
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .toSorted()
    .join("&")

/**
 * Headers of a request signed with AWS Signature Version 4: every header given, the host, the time and the body's hash.
 * @source AWS "Signature Version 4 signing process"
 */
export const signed = (asked: Asked, { id, secret }: Keys, region: string, now: Date): Record<string, string> => {
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, "")
  const hash = sha256(asked.body)
  const all: Record<string, string> = {
    ...asked.headers,
    host: asked.url.host,
    "x-amz-content-sha256": hash,
    "x-amz-date": time
  }
  const names = Object.keys(all).toSorted()
  const headers = names.map((it) => `${it}:${all[it]?.trim()}\n`).join("")
  const list = names.join(";")
  const request = [asked.method, asked.url.pathname, canonicalQuery(asked.url), headers, list, hash].join("\n")
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(request)].join("\n")
  const key = ["s3", "aws4_request"].reduce(
    (made, part) => hmac(made, part),
    hmac(hmac(`AWS4${secret}`, time.slice(0, 8)), region)
  )
  const signature = createHmac("sha256", key).update(text).digest("hex")
  const { host: _, ...sent } = all
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${id}/${scope}, SignedHeaders=${list}, Signature=${signature}`
  }
}
