import type { RulingInput } from "../../domain/ruling.ts"
import type { SourceInput } from "../../domain/source.ts"

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

/** What a preset brings: sources, and the rules by which their pages are read. */
export interface Preset {
  readonly sources: ReadonlyArray<SourceInput>
  readonly rules: ReadonlyArray<RulingInput>
}

const oneArticle = "/article/{oid}/{aid} /mnews/article/{oid}/{aid} ?oid={oid}&aid={aid}"

/** An article of Naver News, wherever it stands (S3.6). What a selector does not find, generic extraction does. */
const naverArticle = (host_pattern: string): RulingInput => ({
  source_name: "naver",
  host_pattern,
  target_type: "page",
  identity_pattern: oneArticle,
  zone: "Asia/Seoul",
  selectors: {
    title: [{ css: "#title_area" }, { css: "h2.media_end_head_headline" }],
    main_content: [{ css: "#dic_area" }, { css: "#articleBodyContents" }],
    author: { css: ".media_end_head_top_logo img", attribute: "alt" },
    published_at: [
      { css: 'meta[property="article:published_time"]', attribute: "content" },
      { css: "span.media_end_head_info_datestamp_time", attribute: "data-date-time" },
      { css: "time[datetime]", attribute: "datetime" }
    ],
    images: [
      { css: 'meta[property="og:image"]', attribute: "content" },
      { css: 'meta[name="twitter:image"]', attribute: "content" }
    ]
  }
})

/** A section's list: only what stands in its own part of the page (S3.5). */
const naverList = (host_pattern: string): RulingInput => ({
  source_name: "naver",
  host_pattern,
  path_pattern: "/breakingnews/section/",
  target_type: "list",
  selectors: { item_link: { css: '.section_latest a[href*="/article/"]' } }
})

/** Hosts that serve the same articles. */
const naverHosts = ["news.naver.com", "n.news.naver.com"]

/** Ready-made sets: `crawler sources add --preset NAME`. The list page without a date is today's (S3.1, S3.4). */
export const presets: Readonly<Record<string, Preset>> = {
  "naver-economy": {
    rules: [...naverHosts.map(naverArticle), naverList("news.naver.com")],
    sources: Object.entries(naverEconomy).map(([section, id]) => ({
      url: `https://news.naver.com/breakingnews/section/101/${id}`,
      page_url: `https://news.naver.com/breakingnews/section/101/${id}?date={yyyyMMdd}&page={page}`,
      name: `naver ${section}`,
      kind: "list" as const,
      cron: "*/5 * * * *",
      zone: "Asia/Seoul",
      category: "economy",
      section,
      country: "KR"
    }))
  }
}
