/** The stages a process may run, in the order of the flow. `streams/topology.ts` says what each takes, does and gives. */
export const stageNames = [
  "scheduler",
  "fetcher",
  "validator",
  "parser",
  "scorer",
  "router",
  "enricher",
  "sweeper",
  "researcher",
  "api"
] as const
export type StageName = (typeof stageNames)[number]

/** The stages composed in memory where neighbours run in one process. */
export const chainStages = [
  "fetcher",
  "validator",
  "parser",
  "scorer",
  "router"
] as const satisfies ReadonlyArray<StageName>
