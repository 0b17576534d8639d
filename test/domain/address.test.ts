import { describe, expect, test } from "bun:test"
import { Result, Schema } from "effect"
import { badCidr, checkHost, inCidrs, isPublicAddress, literalAddress } from "../../src/domain/address.ts"
import { law } from "../support/law.ts"

describe("addresses that no packet may reach", () => {
  test.each([
    ["2130706433", "B001 decimal"],
    ["0x7f000001", "B002 hex"],
    ["0177.0.0.1", "B003 octal"],
    ["127.1", "B004 short form"],
    ["0.0.0.0", "B006 unspecified"],
    ["127.0.0.1.", "B007 trailing dot"],
    ["[::1]", "B012 v6 loopback"],
    ["::", "v6 unspecified"],
    ["[::ffff:127.0.0.1]", "B014 v4-mapped"],
    ["::ffff:a9fe:a9fe", "v4-mapped metadata service"],
    ["64:ff9b::10.0.0.1", "NAT64 of a private address"],
    ["[64:ff9b:1::a9fe:a9fe]", "B018 NAT64 local use"],
    ["[2001:0:7f00:1::]", "B020 Teredo"],
    ["2002:7f00:1::", "6to4"],
    ["[fd00:ec2::254]", "B023 metadata service v6"],
    ["fe80::1%eth0", "link-local with a zone"],
    ["[ff02::1]", "B024 multicast"],
    ["100.100.100.200", "B029 metadata service in CGNAT space"],
    ["192.0.0.192", "B030 metadata service"],
    ["168.63.129.16", "B031 a public address of a cloud's inside"],
    ["169.254.169.254", "metadata service"],
    ["10.0.0.1", "B032"],
    ["172.31.255.255", "RFC 1918"],
    ["192.168.0.1", "B034"],
    ["198.18.0.1", "B035 benchmark"],
    ["203.0.113.9", "documentation"],
    ["224.0.0.1", "B036 multicast"],
    ["255.255.255.255", "broadcast"],
    ["2001:db8::1", "documentation"],
    ["example.com", "a name is no address"],
    ["", "nothing"],
    ["256.256.256.256", "no address"]
  ])("%p is refused: %s", (ip) => expect(isPublicAddress(ip)).toBe(false))

  test.each([
    "1.1.1.1",
    "172.32.0.1",
    "100.128.0.1",
    "192.0.1.1",
    "2606:4700::1111",
    "[2a00:1450::1]",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808"
  ])("%p is public", (ip) => expect(isPublicAddress(ip)).toBe(true))

  test("ranges hold what lies in them, in any spelling, and nothing when malformed", () => {
    expect(inCidrs("0x7f000001", ["127.0.0.0/8"])).toBe(true)
    expect(inCidrs("::ffff:10.1.2.3", ["10.1.0.0/16"])).toBe(true)
    expect(inCidrs("10.2.0.0", ["10.1.0.0/16", "192.168.0.1"])).toBe(false)
    expect(inCidrs("192.168.0.1", ["192.168.0.1"])).toBe(true)
    expect(inCidrs("fd00::5", ["fd00::/8"])).toBe(true)
    expect(inCidrs("1.2.3.4", ["0.0.0.0/0"])).toBe(true)
    expect(inCidrs("10.0.0.1", ["10.0.0.0/33", "10.0.0.0/", "x"])).toBe(false)
    expect(badCidr(["10.0.0.0/8", "10.0.0.0/40"])).toBe("10.0.0.0/40")
    expect(badCidr(["10.0.0.0/8", "::1"])).toBeNull()
  })

  test("a host name is judged before it is looked up", () => {
    for (const name of [
      "localhost",
      "localhost.",
      "a.LOCALHOST",
      "metadata.google.internal",
      "printer.local",
      "127.0.0.1",
      "[::1]"
    ]) {
      expect(Result.isFailure(checkHost(name))).toBe(true)
    }
    for (const name of ["news.example.com", "localhost.example.com", "1.1.1.1"]) {
      expect(Result.isSuccess(checkHost(name))).toBe(true)
    }
    expect(literalAddress("[::1]")).toBe("::1")
    expect(literalAddress("news.kr")).toBeNull()
  })

  law("the spelling of an address does not change the answer", Schema.Int, (number) => {
    const value = Math.abs(number) % 2 ** 32
    const dotted = [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".")
    const spellings = [String(value), `0x${value.toString(16)}`, `::ffff:${dotted}`, `${dotted}.`]
    return spellings.every((it) => isPublicAddress(it) === isPublicAddress(dotted))
  })
})
