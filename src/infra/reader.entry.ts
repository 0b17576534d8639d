import { read } from "../domain/read.ts"
import type { FromReader, ToReader } from "./reader.protocol.ts"

/** The thread that reads pages: one at a time, so that ending it ends just the page that took too long. */
declare const self: Worker

self.onmessage = ({ data }: MessageEvent<ToReader>) => {
  const answer: FromReader = { tag: "read", reading: read(data.body, data.hints, data.rule) }
  postMessage(answer)
}

const ready: FromReader = { tag: "ready" }
postMessage(ready)
