import { expect, test } from "bun:test"
import { Effect, Layer, Result, Schema } from "effect"
import { Sources } from "../../src/domain/ports.ts"
import { type Overview, Overview as Shape } from "../../src/infra/api/overview.ts"
import { overviewText } from "../../src/infra/cli/status.ts"
import { load, Settings } from "../../src/infra/config.ts"
import * as local from "../../src/infra/control.local.ts"
import { Control } from "../../src/infra/control.ts"
import { Database } from "../../src/infra/database.ts"
import { store } from "../../src/program/store.ts"
import { live } from "../support/effect.ts"
import { temporary } from "../support/store.ts"

const busy: Overview = {
  version: "0.1.0",
  pid: 4242,
  at: "2026-11-30T12:00:00.000Z",
  articles: { last_hour: 12, last_day: 340, latest_at: "2026-11-30T11:58:00.000Z" },
  fetches: { last_hour: 20, failed: 3 },
  backlog: [
    { topic: "crawl.high", ready: 3, later: 1, leased: 2, suspended: 0, due_at: "2026-11-30T11:56:00.000Z" },
    { topic: "crawl.low", ready: 0, later: 9, leased: 0, suspended: 4, due_at: "2026-11-30T12:01:00.000Z" }
  ],
  dead_letters: { total: 5, last_day: 2, codes: [{ code: "exhausted", letters: 5 }] },
  hosts: {
    shut: 4,
    slow: 1,
    shut_longest: [{ host: "a.kr", failing: true, until: "2026-11-30T12:05:00.000Z" }],
    slowest: [{ host: "b.kr", answer_ms: 4200 }]
  },
  sources: {
    enabled: 7,
    failed: 1,
    latest_failures: [
      {
        id: "4f64563a8f01ae37",
        url: "https://a.kr/",
        outcome: "http_5xx",
        message: "answered \u001b[31m500",
        at: "2026-11-30T11:59:00.000Z"
      }
    ]
  },
  ai: {
    jobs: [{ status: "PENDING", jobs: 8 }],
    provider: { closed_by: null, next_probe_at: null, spent_today_usd: 5, budget_usd: 5, waits_for_budget: true }
  }
}

test("the state of things is told in lines that a person on call reads at a glance", () => {
  const said = overviewText(busy, 1).split("\n")
  expect(said.map((line) => line.replace(/ {2,}/g, " | "))).toEqual([
    "crawler | 0.1.0: process 4242 answers",
    "articles | 12 in the last hour, 340 in the last day, the latest 2 min ago",
    "article fetches | 20 in the last hour, 3 of them failed",
    "backlog | ready, later, in work",
    " | crawl.high | 3, 1, 2",
    " | crawl.low | 0, 9, 0",
    "oldest waiting | 4 min (crawl.high)",
    "suspended | 4, waiting for an operator",
    "dead letters | 5, 2 of the last day (exhausted 5)",
    "hosts left alone | 4 (a.kr fails, 5 min to go, …)",
    "slow hosts | 1 (b.kr 4 s)",
    "sources | 7 polled, the last poll of 1 failed",
    " | 4f64563a8f01ae37 | 1 min ago: http_5xx: answered \\u001b[31m500",
    "ai | 8 PENDING; $5.00 of $5 spent today; pending jobs wait for tomorrow"
  ])
})

test("who finds no crawler says that he asked the store himself", () => {
  expect(overviewText({ ...busy, ai: null }, busy.pid)).toMatch(
    /^crawler +0\.1\.0: none runs here, the store was asked$/m
  )
  expect(overviewText({ ...busy, ai: null }, busy.pid)).toMatch(/^ai +off$/m)
})

/** A store in which something of each kind stands, and beside it what does not count. */
const seeded = `
  insert into articles (id, url, url_key, host, title, text, detected_at, new_by, rest) values
    ('1', 'u', 'k', 'a.kr', 't', 't', now() - interval '5 minutes', 'j', '{}'),
    ('2', 'u', 'k', 'a.kr', 't', 't', now() - interval '5 hours', 'j', '{}'),
    ('3', 'u', 'k', 'a.kr', 't', 't', now() - interval '5 days', 'j', '{}');
  insert into messages (id, topic, key, occurred_at, payload, not_before) values
    ('a', 'crawl.low', 'a.kr', now(), '{}', now() - interval '10 minutes'),
    ('b', 'crawl.low', 'a.kr', now(), '{}', now() + interval '10 minutes'),
    ('c', 'crawl.low', 'a.kr', now(), '{}', '9999-01-01T00:00:00Z');
  insert into dead_letters (id, topic, key, stage, code, message, bytes, attempts, at) values
    ('x', 'crawl.low', 'a.kr', 'fetcher', 'exhausted', 'm', '', 1, now()),
    ('y', 'crawl.low', 'a.kr', 'fetcher', 'exhausted', 'm', '', 1, now() - interval '3 days');
  insert into hosts (host, paused_until, breaker_open_until) values
    ('shut.kr', null, now() + interval '1 hour'), ('paused.kr', now() + interval '2 hours', null),
    ('over.kr', now() - interval '1 hour', now() - interval '1 hour');
  insert into host_signals (host, bucket, samples, errors, browser, latency_ms, latencies, lag_ms, lags, passed, rejected, impact, impacts, trips, relearns)
    select h, to_timestamp(floor(extract(epoch from now()) / 900) * 900), 4, 1, 0, ms, 4, 0, 0, 0, 0, 0, 0, 0, 0
    from (values ('slow.kr', 20000), ('quick.kr', 400)) v(h, ms);`

live("an overview counts what is in the store, and names what stands out", () =>
  Effect.gen(function* () {
    const settings = Result.getOrThrow(load({ CRAWLER_DATA_DIR: yield* temporary }))
    const layer = local
      .layer("0.1.0")
      .pipe(Layer.provideMerge(store), Layer.provideMerge(Layer.succeed(Settings, settings)))
    const context = yield* Layer.build(layer)
    const control = yield* Effect.provideContext(Control, context)
    yield* (yield* Effect.provideContext(Database, context)).script(seeded)
    const { id } = yield* control["sources.add"]({ url: "https://a.kr/rss" })
    yield* control["sources.add"]({ url: "https://b.kr/rss" })
    const last = { at: 1, outcome: "http_5xx", message: "answered 500", links: null, fresh: null }
    yield* (yield* Effect.provideContext(Sources, context)).ended(id, last)

    const it = yield* control.overview({})
    expect(Schema.is(Shape)(it)).toBe(true)
    expect(it.articles).toMatchObject({ last_hour: 1, last_day: 2 })
    expect(it.fetches).toEqual({ last_hour: 8, failed: 2 })
    expect(it.backlog).toMatchObject([{ topic: "crawl.low", ready: 1, later: 1, leased: 0, suspended: 1 }])
    expect(Date.parse(it.at) - Date.parse(it.backlog[0]?.due_at ?? "")).toBeGreaterThan(9 * 60_000)
    expect(it.dead_letters).toEqual({ total: 2, last_day: 1, codes: [{ code: "exhausted", letters: 2 }] })
    expect(it.hosts).toMatchObject({
      shut: 2,
      shut_longest: [
        { host: "paused.kr", failing: false },
        { host: "shut.kr", failing: true }
      ],
      slow: 1,
      slowest: [{ host: "slow.kr", answer_ms: 5000 }]
    })
    expect(it.sources).toMatchObject({ enabled: 2, failed: 1, latest_failures: [{ id, outcome: "http_5xx" }] })
    expect(it.ai).toBeNull()
  }).pipe(Effect.scoped)
)
