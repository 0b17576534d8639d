import { expect, test } from "bun:test"
import { Effect, Metric } from "effect"
import { articles, busBacklog, failures, fetchSeconds, stageMessages, stageSeconds } from "../../src/domain/metrics.ts"
import { httpRequest, metricsText } from "../../src/infra/metrics.ts"

const isolated = <A, E>(work: Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.provideService(work, Metric.MetricRegistry, new Map()))

const filled = Effect.gen(function* () {
  yield* Metric.update(stageMessages("parser", "done"), 3)
  yield* Metric.update(stageSeconds("parser"), 0.004)
  yield* Metric.update(articles("new"), 2)
  yield* Metric.update(failures("http_429"), 1)
  yield* Metric.update(fetchSeconds("http"), 0.3)
  yield* Metric.update(busBacklog("crawl.poll", "ready"), 7)
  yield* httpRequest("sources.list", 200)
  return yield* metricsText('0.1.0"\\')
})

test("the page carries what was counted, zeroes for what was not, and no negative or missing help", async () => {
  const text = await isolated(filled)
  const value = (series: string) =>
    text
      .split("\n")
      .find((it) => it.startsWith(`${series} `))
      ?.split(" ")
      .at(-1)
  expect(value('crawler_stage_messages_total{stage="parser",result="done"}')).toBe("3")
  expect(value('crawler_stage_messages_total{stage="router",result="fatal"}')).toBe("0")
  expect(value('crawler_stage_seconds_count{stage="parser"}')).toBe("1")
  expect(value('crawler_bus_backlog{topic="crawl.poll",state="ready"}')).toBe("7")
  expect(value('crawler_http_requests_total{operation="sources.list",status="2xx"}')).toBe("1")
  expect(Number(value("process_resident_memory_bytes"))).toBeGreaterThan(1_000_000)
  const types = text.split("\n").filter((it) => it.startsWith("# TYPE"))
  expect(new Set(types).size).toBe(types.length)
  expect(text.split("\n").filter((it) => it.startsWith("# HELP"))).toHaveLength(types.length)
})

const promtool = Bun.which("promtool")
test.skipIf(promtool === null)("promtool accepts the page (skipped where promtool is not installed)", async () => {
  const text = await isolated(filled)
  const check = Bun.spawn([promtool ?? "promtool", "check", "metrics"], {
    stdin: new Blob([text]),
    stdout: "pipe",
    stderr: "pipe"
  })
  const said = (await new Response(check.stdout).text()) + (await new Response(check.stderr).text())
  expect({ said, code: await check.exited }).toEqual({ said: "", code: 0 })
})
