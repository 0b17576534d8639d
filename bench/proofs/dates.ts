/** Proof dates: of at least 300 date strings as the press writes them 99 % are read, and the same under three zones of the process. */
import { ownDay } from "../../src/domain/article.ts"
import { wallIn } from "../../src/domain/dates/zones.ts"
import { parseDate } from "../../src/domain/dates.ts"
import { type Stamp, stamps } from "../../test/support/stamps.ts"
import { prove, run } from "./proof.ts"

const SHARE_MIN = 0.99
const zones = ["UTC", "Asia/Seoul", "America/Los_Angeles"] as const
const fetched_at = Date.UTC(2026, 6, 15)

/** What a stamp is read as, and whether that is what it says on the clocks of its place. */
const readStamp = ({ country, precision, text, wall, zone }: Stamp) => {
  const found = parseDate(text, { fetched_at, country, source: "text" })
  const shown = found === null ? null : wallIn(zone, Date.parse(found.at))
  const isDay = found !== null && ownDay(found) === new Date(wall).toISOString().slice(0, 10)
  return {
    at: found?.at ?? null,
    right: found?.precision === precision && (precision === "day" ? isDay : shown === wall)
  }
}

if (process.argv.includes("--read")) {
  console.log(JSON.stringify(stamps.map(readStamp)))
} else {
  await prove(async () => {
    const runs = await Promise.all(
      zones.map((TZ) => run([process.execPath, import.meta.path, "--read"], { env: { TZ } }))
    )
    const read = runs.map((it) => it.stdout)
    const same = read.every((it) => it !== "" && it === read[0])
    const wrong = stamps.filter((it) => !readStamp(it).right)
    const byCountry = Map.groupBy(stamps, (it) => it.country)
    const share = 1 - wrong.length / stamps.length
    for (const it of wrong.slice(0, 20)) console.log(`misread: ${it.country} ${it.text} ${readStamp(it).at}`)
    return {
      rows: [...byCountry].map(([country, own]) => ({
        country,
        strings: own.length,
        right: own.filter((it) => readStamp(it).right).length
      })),
      figure: `dates: ${stamps.length - wrong.length} of ${stamps.length} strings read (${(100 * share).toFixed(1)} %), ${same ? "the same" : "NOT the same"} under TZ ${zones.join(", ")}`,
      holds: stamps.length >= 300 && share >= SHARE_MIN && same
    }
  })
}
