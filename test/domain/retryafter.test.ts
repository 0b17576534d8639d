import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { httpDate, RETRY_AFTER_MAX_MS, retryAfter } from "../../src/domain/retryafter.ts"
import { law } from "../support/law.ts"

const now = Date.UTC(2026, 10, 30, 12, 0, 0)

describe("Retry-After", () => {
  test.each([
    ["7", 7000],
    [" 120 ", 120_000],
    ["0", 0],
    ["Mon, 30 Nov 2026 12:00:10 GMT", 10_000],
    ["Monday, 30-Nov-26 12:00:10 GMT", 10_000],
    ["Mon Nov 30 12:00:10 2026", 10_000],
    ["Mon, 30 Nov 2026 11:00:00 GMT", 0],
    ["999999999999", RETRY_AFTER_MAX_MS],
    ["Fri, 31 Dec 2099 23:59:59 GMT", RETRY_AFTER_MAX_MS],
    ["", null],
    ["soon", null],
    ["-5", null],
    ["1.5", null],
    ["Mon, 31 Feb 2026 12:00:00 GMT", null],
    ["Mon, 30 Nov 2026 25:00:00 GMT", null]
  ])("%p asks for %p ms", (header, wait) => {
    expect(retryAfter(header, now)).toBe(wait)
  })

  test("no header asks for nothing", () => expect(retryAfter(null, now)).toBeNull())

  law(
    "an HTTP date that the platform wrote is read back",
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4_000_000_000 })),
    (seconds) => {
      const ms = seconds * 1000
      return httpDate(new Date(ms).toUTCString()) === ms
    }
  )
  law("no wait is negative or longer than a day", Schema.String, (text) => {
    const wait = retryAfter(text, now)
    return wait === null || (wait >= 0 && wait <= RETRY_AFTER_MAX_MS)
  })
})
