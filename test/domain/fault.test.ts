import { describe, expect, test } from "bun:test"
import { Exit, Result } from "effect"
import { type Code, Fatal, Postponed, Retryable, Unavailable } from "../../src/domain/errors.ts"
import { endOf, type Fault, faultOf } from "../../src/domain/fault.ts"

const again = (code: Code, more: { readonly host?: string; readonly after?: number; readonly reached?: true } = {}) =>
  new Retryable({ code, message: "", ...more })
const never = (code: Code, host?: string) => new Fatal({ code, message: "", ...(host === undefined ? {} : { host }) })

describe("whose fault the end of a request is", () => {
  const table: ReadonlyArray<readonly [what: string, failure: Parameters<typeof faultOf>[0], fault: Fault]> = [
    ["no connection, no name, no TLS", again("network"), "host"],
    ["a host that took the request and hung up", again("network", { reached: true }), "page"],
    ["another host that hung up", again("network", { reached: true, host: "other.kr" }), "none"],
    ["robots.txt that could not be had", again("robots"), "host"],
    ["500", again("http_5xx"), "page"],
    ["a host that was reached and says nothing in time", again("timeout"), "page"],
    ["429", again("http_429"), "none"],
    ["a body that breaks off", again("partial"), "none"],
    ["a redirect to a host in trouble", again("network", { host: "other.kr" }), "none"],
    ["the same host, named", again("network", { host: "a.kr" }), "host"],
    ["our own browser", again("browser"), "unknown"],
    ["a body that is too large", never("body_too_large"), "none"],
    ["redirects without end", never("redirects"), "none"],
    ["robots.txt forbids it: nothing was asked for", never("robots"), "unknown"],
    ["a redirect to an address that may not be dialled", never("address_refused", "other.kr"), "none"],
    ["a redirect to what another robots.txt forbids", never("robots", "other.kr"), "none"],
    ["an address that may not be dialled", never("address_refused"), "unknown"],
    ["a wait", new Postponed({ code: "busy_host", message: "", until: 1 }), "unknown"],
    ["a dependency of ours", new Unavailable({ dependency: "cache", message: "" }), "unknown"]
  ]
  test.each(table)("%s", (_, failure, fault) => {
    expect(faultOf(failure, "a.kr")).toBe(fault)
  })
})

describe("what it means for the host", () => {
  const errand = { host: "a.kr", page: "https://a.kr/1" }
  const { page } = errand
  const failed = (failure: Retryable) => endOf(Exit.succeed(Result.fail(failure)), errand, 1000)

  test("an answer clears, and what was cut short tells nothing", () => {
    expect(endOf(Exit.succeed(Result.succeed("page")), errand, 1000)).toEqual({
      fault: "none",
      page,
      pause_until: null
    })
    expect(endOf(Exit.interrupt(1), errand, 1000)).toEqual({ fault: "unknown", page, pause_until: null })
  })

  test("Retry-After pauses the host that named it, and no other", () => {
    expect(failed(again("http_5xx", { after: 500 }))).toEqual({ fault: "page", page, pause_until: 1500 })
    expect(failed(again("http_429", { after: 500, host: "other.kr" })).pause_until).toBe(null)
  })
})
