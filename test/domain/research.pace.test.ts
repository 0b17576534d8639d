import { describe, expect, test } from "bun:test"
import { Arbitrary, Duration, Schema } from "effect"
import { backoff } from "../../src/domain/job.ts"
import { feedsIn } from "../../src/domain/research/feeds.ts"
import { namesIn } from "../../src/domain/research/names.ts"
import { adapt, lookupRetry, messageRetry, observed, permitsOf, startPace } from "../../src/domain/research/pace.ts"
import { unlikelyLabel, words } from "../../src/domain/research/words.ts"
import { law } from "../support/law.ts"

describe("names in certificates", () => {
  test("lines are names, wildcards are stripped, e-mails and strangers are left out (field case B45)", () => {
    expect(namesIn(["*.a.example\nb.a.example"], "a.example")).toEqual(["a.example", "b.a.example"])
    expect(
      namesIn(
        ["*.*.a.example\\nX.A.example.\r\nadmin@a.example", "evil-a.example", "a b.a.example", "*.a.example."],
        "a.example"
      )
    ).toEqual(["a.example", "x.a.example"])
  })
  law("whatever a certificate says, only hosts of the domain come out", Schema.Array(Schema.String), (fields) =>
    namesIn(
      fields.map((it) => `${it}.a.example`),
      "a.example"
    ).every((it) => /^[a-z0-9_.-]+$/.test(it) && (it === "a.example" || it.endsWith(".a.example")))
  )
  test("feeds of a head are found, those of comments are not", () => {
    const html =
      '<link rel="alternate" type="application/rss+xml" href="/rss"><LINK REL=alternate TYPE=application/atom+xml HREF=//b.kr/atom><link rel=alternate type=application/rss+xml href=/comments/feed><link rel=alternate type=text/html href=/en>'
    expect(feedsIn(html, "https://a.kr/x")).toEqual(["https://a.kr/rss", "https://b.kr/atom"])
  })
  test("the label that tells a wildcard is no word of the list, and always the same", () => {
    expect(words).not.toContain(unlikelyLabel("a.sg", 1))
    expect(unlikelyLabel("a.sg", 1)).toBe(unlikelyLabel("a.sg", 1))
    expect(unlikelyLabel("a.sg", 1)).not.toBe(unlikelyLabel("a.sg", 2))
  })
})

describe("pace", () => {
  test.each([
    [10, 0, 12],
    [10, 0.005, 12],
    [10, 0.01, 10],
    [10, 0.03, 10],
    [10, 0.05, 10],
    [10, 0.051, 8],
    [6, 1, 5],
    [5, 1, 5],
    [45, 0, 50],
    [50, 0, 50]
  ])("from %p at an error rate of %p to %p (S5.27)", (current, rate, next) =>
    expect(adapt(current, rate)).toBeCloseTo(next)
  )
  law("never outside 5 to 50, whatever fails", Arbitrary.array(Arbitrary.schema(Schema.Boolean)), (outcomes) => {
    let pace = startPace
    for (let turn = 0; turn < 50; turn++) for (const failed of outcomes) pace = observed(pace, failed)
    return permitsOf(pace) >= 5 && permitsOf(pace) <= 50
  })
  test("one question waits 1, 2, 4 and 8 s; a message is retried three times (S5.20, S5.28)", () => {
    expect([1, 2, 3, 4].map((it) => Duration.toMillis(backoff(lookupRetry, it, 0.9)))).toEqual([1000, 2000, 4000, 8000])
    expect([lookupRetry.attempts, messageRetry.attempts]).toEqual([4, 3])
  })
})
