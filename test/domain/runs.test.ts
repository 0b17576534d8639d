import { describe, expect, test } from "bun:test"
import { isAlarming, listPageOf, type RunOutcome, runOutcome } from "../../src/domain/runs.ts"
import { pollJob } from "../../src/domain/slots.ts"
import { source } from "../support/conformance/sources.ts"

describe("what a run over a host's lists came to", () => {
  /** Lists, answered, unchanged, links, new, saved. */
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<number>, RunOutcome, boolean]> = [
    ["all answered, articles came", [8, 8, 0, 160, 12, 11], "ok", false],
    ["one section failed, the others did their work", [8, 7, 0, 140, 12, 12], "partial", false],
    ["nothing new", [8, 8, 0, 160, 0, 0], "unchanged", false],
    ["nothing has changed (304)", [8, 8, 8, 0, 0, 0], "unchanged", false],
    ["no list answered", [8, 0, 0, 0, 0, 0], "lists_failed", true],
    ["new links, and no article came of them", [8, 8, 0, 160, 12, 0], "nothing_saved", true],
    ["new links of the sections that answered, and no article", [8, 5, 0, 100, 12, 0], "nothing_saved", true],
    ["lists without a link", [8, 8, 0, 0, 0, 0], "nothing_found", true]
  ]
  for (const [
    name,
    [lists = 0, answered = 0, unchanged = 0, links = 0, fresh = 0, saved = 0],
    outcome,
    alarming
  ] of cases)
    test(`${name}: ${outcome}`, () => {
      const found = runOutcome({ lists, answered, unchanged, links, fresh, saved })
      expect([found, isAlarming(found)]).toEqual([outcome, alarming])
    })
})

test("only scheduled polls of lists are part of a run", () => {
  const list = pollJob(source("a", { kind: "list", url: "https://a.kr/list" }), 1000, 0)
  expect(listPageOf(list)).toEqual({ host: "a.kr", slot: 1000, source_id: "a", page: 1 })
  const paging = { page: 3, last: 4, url: "https://a.kr/list?p={page}", streak: 0 }
  expect(listPageOf({ ...list, id: `${list.id}.3`, paging })?.page).toBe(3)
  expect(listPageOf(pollJob(source("a"), 1000, 0))).toBe(null)
  expect(listPageOf({ ...list, id: "key.0" })).toBe(null)
})
