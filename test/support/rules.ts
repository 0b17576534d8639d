import type { Proposal } from "../../src/domain/learning/proposal.ts"
import type { Layout } from "./web/press.ts"

const at = (css: string, attribute: string | null = null) => ({ css, attribute })

/** What a good answer says of each layout of the fixture web. */
export const goodRules: Readonly<Record<Layout, Proposal>> = {
  semantic: {
    title: at("h1.headline"),
    main_content: at("div.article-text"),
    published_at: null,
    author: at(".writer")
  },
  breaks: {
    title: at("h1.headline"),
    main_content: at("#newsBody"),
    published_at: at('meta[property="article:published_time"]', "content"),
    author: null
  },
  microdata: {
    title: at('h1[itemprop="headline"]'),
    main_content: at('[itemprop="articleBody"]'),
    published_at: at('meta[itemprop="datePublished"]', "content"),
    author: at('[itemprop="author"]')
  },
  soup: { title: at(".t0 > h1"), main_content: at(".b9"), published_at: null, author: null },
  sections: {
    title: at("h1.headline"),
    main_content: at("section.story"),
    published_at: at('meta[property="article:published_time"]', "content"),
    author: at('meta[property="article:author"]', "content")
  },
  table: {
    title: at("h1.headline"),
    main_content: at("td.column"),
    published_at: at("time[datetime]", "datetime"),
    author: null
  },
  portal: {
    title: at("#title_area"),
    main_content: at("#dic_area"),
    published_at: at("span.media_end_head_info_datestamp_time", "data-date-time"),
    author: at(".media_end_head_journalist_name")
  }
}

/** Ways to be wrong that a well-formed answer has. Each makes a bad rule of a good one. */
export const badRules: Readonly<Record<string, (good: Proposal) => Proposal>> = {
  "matches nothing": (it) => ({ ...it, main_content: at("div.no-such-body") }),
  "title of nothing": (it) => ({ ...it, title: at("h1.no-such-title") }),
  "title of the site": (it) => ({ ...it, title: at('meta[property="og:site_name"]', "content") }),
  "title of a list": (it) => ({ ...it, title: at("aside.related h2") }),
  "text of the comments": (it) => ({ ...it, main_content: at("section.comments") }),
  "text of related news": (it) => ({ ...it, main_content: at("aside.most-read") }),
  "first paragraph only": (it) => ({ ...it, main_content: at(`${it.main_content.css} figcaption`) }),
  "description for text": (it) => ({ ...it, main_content: at('meta[name="description"]') }),
  "one page's own": (it) => ({ ...it, main_content: at('[data-article-id="1000017"]') }),
  "date of a list": (it) => ({ ...it, published_at: at(".when") }),
  "no date at all": (it) => ({ ...it, published_at: at(".newsletter p") }),
  "title and text swapped": (it) => ({ ...it, title: at("p"), main_content: at(it.title.css) }),
  "searches text": (it) => ({ ...it, main_content: at('div:contains("기자")') }),
  "not a selector": (it) => ({ ...it, title: at("h1..[") })
}

/** Other good answers: what they say less, or by another name, is as right. */
export const otherRules = (layout: Layout): ReadonlyArray<Proposal> => {
  const it = goodRules[layout]
  return [
    { ...it, published_at: null },
    { ...it, author: null },
    { ...it, title: at('meta[property="og:title"]', "content") }
  ]
}
