import { expect, test } from "bun:test"
import { Verdict } from "../../src/domain/article.ts"
import { whyNone } from "../../src/infra/cli/why.ts"

const found = ["nothing_found"]
const table: ReadonlyArray<readonly [given: Parameters<typeof whyNone>[0], said: string]> = [
  [
    { verdict: "empty", codes: found, evidence: { status: 418 } },
    "empty, nothing_found (answered 418, it shows next to no text of its own, neither an article nor a link to follow)"
  ],
  [
    { verdict: "ok", codes: found, evidence: { status: 200 } },
    "nothing_found (neither an article nor a link to follow)"
  ],
  [
    { verdict: "not_html", codes: [], evidence: { looks: "png", content_type: "image/png" } },
    "not_html (sent as image/png, its body is no page)"
  ],
  [{ verdict: "ok", codes: ["too_short"], evidence: {} }, "too_short (its title or text is too short)"],
  [{ verdict: "refused", codes: ["robots"], evidence: { reason: "disallow: /secret" } }, "robots (disallow: /secret)"]
]
test.each(table)("%p is told as it is", (given, said) => {
  expect(whyNone(given)).toBe(said)
})

test("every verdict that ends a page has words", () => {
  for (const verdict of Verdict.literals.filter((it) => it !== "ok"))
    expect(whyNone({ verdict, codes: [], evidence: {} })).toMatch(/^\w+ \(.+\)$/)
})
