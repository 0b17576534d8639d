/**
 * How our sessions plan. Every hot statement reads few rows by an index, planning some of them takes longer than running
 * them, and a plan made while a table was empty must still be right when it is full, before its first ANALYZE: so plans
 * are made once and go by index.
 */
export const planning = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  enable_mergejoin: "off",
  random_page_cost: "1.1",
  jit: "off"
} as const
