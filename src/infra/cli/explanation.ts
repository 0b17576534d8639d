import type { Explanation } from "../api/answers.ts"
import { visible } from "../logging.ts"

const known = (facts: Readonly<Record<string, unknown>>): string =>
  Object.entries(facts)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ")

/** An explanation for people: the decision first, then who said what, then what happened. */
export const explanationText = ({
  chain,
  changes,
  fetcher,
  history,
  host,
  priority,
  robots,
  rule,
  url
}: Explanation): string => {
  const steps = chain.map(({ by, verdict, facts }) => {
    const said = verdict === null ? "says nothing" : `${verdict.final ? "decides" : "suggests"} ${verdict.value}`
    return `  ${by.padEnd(9)} ${said.padEnd(16)} ${known(facts)}`.trimEnd()
  })
  // What waits has not happened: its instant is the one from which it may be worked on.
  const events = history.map(({ at, event, facts }) =>
    `  ${(at ?? "").padEnd(24)} ${(event === "waiting" ? "is due" : event).padEnd(12)} ${known(facts)}`.trimEnd()
  )
  const lines = [
    `url       ${url}`,
    `host      ${host}`,
    `priority  ${priority.value} (by ${priority.by})`,
    ...steps,
    ...changes.map((it) => `  if ${it.if}: ${it.priority.value} (by ${it.priority.by})`),
    `fetcher   ${fetcher.value} (by ${fetcher.by})`,
    `rule      ${rule === null ? "none: generic extraction" : known(rule)}`,
    `robots    ${robots === null ? "not asked" : `${robots.allowed ? "allowed" : "refused"}: ${robots.reason}`}`,
    `history   ${history.length === 0 ? "never seen" : `${history.length} events`}`,
    ...events
  ]
  return lines.map(visible).join("\n")
}
