import { createSocket } from "node:dgram"

/** The name asked for, and where its question ends. */
const questionOf = (packet: Buffer): { readonly name: string; readonly end: number; readonly type: number } => {
  const labels: Array<string> = []
  let at = 12
  while (at < packet.length && packet[at] !== 0) {
    const length = packet[at] ?? 0
    labels.push(packet.subarray(at + 1, at + 1 + length).toString("latin1"))
    at += length + 1
  }
  return { name: labels.join(".").toLowerCase(), end: at + 5, type: packet.readUInt16BE(at + 1) }
}

/** No such name (RFC 1035 4.1.1: RCODE 3), or a server that fails (2). */
const NXDOMAIN = 3
const SERVFAIL = 2

const reply = (packet: Buffer, address: string | null | "fail"): Buffer => {
  const { end, type } = questionOf(packet)
  const found = address !== null && address !== "fail" && type === 1
  const code = address === "fail" ? SERVFAIL : address === null ? NXDOMAIN : 0
  const header = Buffer.from([packet[0] ?? 0, packet[1] ?? 0, 0x81, 0x80 | code, 0, 1, 0, found ? 1 : 0, 0, 0, 0, 0])
  const answer = found ? [0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split(".").map(Number)] : []
  return Buffer.concat([header, packet.subarray(12, end), Buffer.from(answer)])
}

/** A name server on a loopback port: `answer` gives an address, null for no such name, or `fail`. */
export const nameServer = (answer: (name: string) => string | null | "fail") =>
  new Promise<{ readonly address: string; readonly asked: Array<string>; readonly stop: () => void }>((resolve) => {
    const asked: Array<string> = []
    const socket = createSocket("udp4")
    socket.on("message", (packet, from) => {
      const { name } = questionOf(packet)
      asked.push(name)
      socket.send(reply(packet, answer(name)), from.port, from.address)
    })
    socket.bind(0, "127.0.0.1", () =>
      resolve({ address: `127.0.0.1:${socket.address().port}`, asked, stop: () => void socket.close() })
    )
  })
