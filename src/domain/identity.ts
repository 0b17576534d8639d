import { createHash } from "node:crypto"
import { type Article, type Content, ownDay, type Verdict } from "./article.ts"
import type { CrawlJob } from "./crawl.ts"
import type { RawPage } from "./fetching.ts"

/** Hash of what makes an article that article: 32 hexadecimal digits. Collisions of 128 bits are not provided for. */
export const articleId = (scope: string, identity: string): string =>
  createHash("sha256").update(`${scope}\n${identity}`).digest("hex").slice(0, 32)

export interface Named {
  readonly scope: string
  readonly identity: string
}

const iso = (ms: number): string => new Date(ms).toISOString()

/** The article as it is stored: the page's content under its identity, with where it came from. Pure. */
export const articleOf = (
  job: CrawlJob,
  raw: RawPage,
  content: Content,
  verdict: Verdict,
  { scope, identity }: Named,
  detected_at: number
): Article => {
  const { published, modified } = content
  return {
    id: articleId(scope, identity),
    url: raw.url,
    canonical_url: content.canonical_url,
    host: raw.host,
    identity,
    title: content.title,
    published_at: published?.at ?? null,
    published_day: published === null ? null : ownDay(published),
    published_offset_minutes: published?.offset_minutes ?? null,
    published_precision: published?.precision ?? null,
    published_source: published?.source ?? null,
    zone_source: published?.zone_source ?? null,
    modified_at: modified?.at ?? null,
    authors: content.authors,
    language: content.language,
    section: content.section ?? job.target.section ?? null,
    tags: content.tags,
    image: content.image,
    description: content.description,
    site_name: content.site_name,
    text: content.text,
    html: content.html,
    ai_opt_outs: [...(raw.ai_opt_outs ?? []), ...(content.ai_opt_outs ?? [])],
    extraction: content.extraction,
    verdict,
    fetched_at: iso(raw.fetched_at),
    detected_at: iso(detected_at),
    fetcher: raw.fetcher,
    priority: job.priority
  }
}
