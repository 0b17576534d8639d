import { Metric } from "effect"
import { Priority, PriorityBy } from "./crawl.ts"
import { counter, each } from "./metrics.ts"
import { configFields } from "./override.ts"

/** Metrics of priority decisions and of scoring. Labels come from closed sets; hosts are capped (`Board`). */
const layers = ["memory", "shared", "database"] as const
export type LookupLayer = (typeof layers)[number]

const decided = counter("crawler_priority_decisions_total", "Priorities of links and revisits, by who decided.")
const decisions = each(Priority.literals, (priority) => each(PriorityBy.literals, (by) => decided({ priority, by })))
/** `crawler_priority_decisions_total{priority,by}` */
export const priorityDecisions = (priority: Priority, by: typeof PriorityBy.Type) => decisions(priority)(by)

const lookups = counter("crawler_score_lookups_total", "Hosts looked up for a priority, by the layer that knew.")
/** `crawler_score_lookups_total{layer}` */
export const scoreLookups = each(layers, (layer) => lookups({ layer }))

/** `crawler_score_age_seconds`: how old scores were when they were looked up. */
export const scoreAge = Metric.histogram("crawler_score_age_seconds", {
  description: "Age of a score when it was looked up.",
  boundaries: [30, 60, 300, 600, 1800, 3600, 21_600]
})

const droppedCount = counter("crawler_priority_config_dropped_total", "Bad fields of priority_config, once per change.")
/** `crawler_priority_config_dropped_total{field}` (S2.11) */
export const configDropped = each(configFields, (field) => droppedCount({ field }))

const cycleResults = ["done", "failed", "lost"] as const
const cycles = counter("crawler_scoring_cycles_total", "Turns of the scorer in this process, by how they ended.")
/** `crawler_scoring_cycles_total{result}`; lost: another process took over. */
export const scoringCycles = each(cycleResults, (result) => cycles({ result }))

/** `crawler_scoring_seconds`: time of one turn. */
export const scoringSeconds = Metric.histogram("crawler_scoring_seconds", {
  description: "Time of one scoring turn.",
  boundaries: [0.1, 0.5, 1, 2, 5, 10, 30]
})

/** Counters that start at zero. */
export const initialPriority = [
  ...Priority.literals.flatMap((priority) => PriorityBy.literals.map((by) => priorityDecisions(priority, by))),
  ...layers.map(scoreLookups),
  ...configFields.map(configDropped),
  ...cycleResults.map(scoringCycles)
]
