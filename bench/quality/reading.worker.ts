/** A thread that reads saved pages: a list of paths in, one message when all are read. */
import { readFileSync } from "node:fs"
import { read } from "../../src/domain/read.ts"

declare const self: Worker

self.addEventListener(
  "message",
  (event: MessageEvent<ReadonlyArray<{ readonly url: string; readonly path: string }>>) => {
    for (const { path, url } of event.data) {
      const hints = {
        url,
        expected: "article",
        status: 200,
        content_type: null,
        truncated: false,
        fetched_at: Date.now(),
        html: false
      } as const
      read(Bun.gunzipSync(readFileSync(path)), hints, null)
    }
    self.postMessage("read")
  }
)
