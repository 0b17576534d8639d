import { Clock, Effect, Layer } from "effect"
import { Board, type Shown } from "../domain/priority.ports.ts"

/** The latest turn of this process, for its metrics; another process's turn is on that one's page. */
export const layer: Layer.Layer<Board> = Layer.effect(
  Board,
  Effect.sync(() => {
    let latest: { readonly shown: Shown; readonly until: number } | null = null
    return Board.of({
      show: (shown, life_ms) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          latest = { shown, until: now + life_ms }
        }),
      shown: Effect.map(Clock.currentTimeMillis, (now) => (latest !== null && now < latest.until ? latest.shown : null))
    })
  })
)

const escaped = (label: string): string => label.replace(/[\\"\n]/g, (it) => (it === "\n" ? "\\n" : `\\${it}`))

/**
 * Scores by host as Prometheus text: PRIORITY_HOST_LABELS names, the others as one mean. Written by hand, since a metric of the
 * library keeps every label it ever had, and the top changes.
 */
export const boardText = ({ others, othersMean, top }: Shown): string => {
  const line = (name: string, host: string, value: number) => `${name}{host="${escaped(host)}"} ${value}`
  const score = "crawler_host_score"
  const samples = "crawler_host_samples"
  const rows = [
    `# HELP ${score} Score of the hosts with the most samples; other: the mean of the rest.`,
    `# TYPE ${score} gauge`,
    ...top.map((it) => line(score, it.host, it.score)),
    ...(othersMean === null ? [] : [line(score, "other", othersMean)]),
    `# HELP ${samples} Article fetches of those hosts in the scoring window.`,
    `# TYPE ${samples} gauge`,
    ...top.map((it) => line(samples, it.host, it.samples)),
    "# HELP crawler_hosts_scored Hosts scored in the latest turn of this process.",
    "# TYPE crawler_hosts_scored gauge",
    `crawler_hosts_scored ${top.length + others}`
  ]
  return `${rows.join("\n")}\n`
}
