import { Effect } from "effect"
import { type Answer, Dialler } from "../../src/infra/dial.ts"

/** Lines of an answer as they go over the wire. */
export const says = (...lines: ReadonlyArray<string>) => lines.join("\r\n")
export const OK = "HTTP/1.1 200 OK"
/** An answer with a body of this text. */
export const page = (text: string) => says(OK, `Content-Length: ${text.length}`, "", text)

/** The answer read to its end. */
export const whole = (answer: Answer) =>
  Effect.map(answer.read(10_485_760), ({ bytes, end }) => ({
    status: answer.status,
    body: Buffer.from(bytes).toString("latin1"),
    end
  }))
export const get = (port: number, headers: Readonly<Record<string, string>> = {}) =>
  Dialler.use((it) => it.get(`http://127.0.0.1:${port}/`, headers, whole))
