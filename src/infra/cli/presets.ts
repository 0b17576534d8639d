import { Option, Schema } from "effect"
import { SourceInput } from "../../domain/source.ts"
import { visible } from "../logging.ts"
import { seedLines } from "./seeds.ts"

/** Sections of Naver's economy news and the numbers in their list URLs. @source REQUIREMENTS, "Naver economy preset" */
const naverEconomy: Readonly<Record<string, number>> = {
  FINANCE: 259,
  STOCK: 258,
  INDUSTRY: 261,
  VENTURE: 771,
  REALESTATE: 260,
  WORLD: 262,
  LIVING: 310,
  GENERAL: 263
}

/** Ready-made sets of sources: `crawler sources add --preset NAME`. The list page without a date is today's (S3.1, S3.4). */
export const presets: Readonly<Record<string, ReadonlyArray<SourceInput>>> = {
  "naver-economy": Object.entries(naverEconomy).map(([section, id]) => ({
    url: `https://news.naver.com/breakingnews/section/101/${id}`,
    name: `naver ${section}`,
    kind: "list" as const,
    cron: "*/5 * * * *",
    zone: "Asia/Seoul",
    category: "economy",
    section,
    country: "KR"
  }))
}

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(SourceInput))
const form =
  '{"url": "https://…", "kind"?, "every_ms"?, "cron"?, "zone"?, "category"?, "country"?, "section"?, "priority"?}'

/** A list of sources: a URL or a JSON object a line. A bad line is named with its number; the others are taken. */
export const importedSources = (
  name: string,
  text: string
): { readonly sources: ReadonlyArray<SourceInput>; readonly problems: ReadonlyArray<string> } => {
  const lines = seedLines(name, text).map(({ where, text: line }) => ({
    where,
    line,
    source: line.startsWith("{") ? Option.getOrNull(decode(line)) : { url: line }
  }))
  return {
    sources: lines.flatMap(({ source }) => source ?? []),
    problems: lines.flatMap(({ where, line, source }) =>
      source === null
        ? [`${visible(where)}: ${visible(line.slice(0, 200))} is left out: expected a URL or ${form}`]
        : []
    )
  }
}
