/** Whole HTML pages: articles with all that surrounds them, fronts and lists. */
import { metadata, story } from "./layout.ts"
import { advertisement, escaped, type Framer, listPath } from "./markup.ts"
import { type Article, type Host, korea } from "./press.ts"
import { sentence } from "./prose.ts"
import { type Dice, dice } from "./random.ts"

/** What pages are made from. `articles` are newest first; `listing` says which extra links a list carries. */
export interface Site {
  readonly seed: number
  readonly host: Host
  readonly frame: Framer
  readonly articles: readonly Article[]
  readonly lists: number
  /** Links of one article as lists show it: one as a rule, more with tracking parameters, a moved or a dead one. */
  readonly hrefs: (article: Article) => readonly string[]
  /** Addresses of traps that the first list shows too. */
  readonly traps: readonly string[]
}

const card = (article: Article, href: string, kind: string) =>
  `<li class="${kind}"><a href="${escaped(href)}"><img loading="lazy" src="/img/${article.number}.jpg" alt=""><strong>${escaped(article.title)}</strong></a><span class="when">${korea(article.published).slice(0, 10)}</span></li>`

const some = (throws: Dice, articles: readonly Article[], count: number, kind: string) =>
  Array.from({ length: Math.min(count, articles.length) }, () => {
    const chosen = throws.pick(articles)
    return card(chosen, chosen.path, kind)
  }).join("")

const comments = (throws: Dice, host: Host) =>
  Array.from(
    { length: throws.whole(25) },
    (_, at) =>
      `<li class="comment"><b>reader${throws.whole(999)}</b><p>${escaped(sentence(throws, host.language))}</p><button type="button">${at}</button></li>`
  ).join("")

export const articlePage = (site: Site, article: Article): string => {
  const { articles, frame, host, seed } = site
  const throws = dice(seed, `around ${host.index}/${article.number}`)
  const say = (korean: string, english: string) => (host.language === "ko" ? korean : english)
  const main = `<main>${story(article)}
<aside class="related"><h2>${say("관련 기사", "Related")}</h2><ul>${some(throws, articles, 6, "related-item")}</ul></aside>${advertisement(99, host)}
<aside class="most-read"><h2>${say("많이 본 뉴스", "Most read")}</h2><ol>${some(throws, articles, 10, "rank-item")}</ol></aside>
<div class="newsletter"><p>${say("매일 아침 뉴스레터를 받아 보세요.", "Get our newsletter every morning.")}</p><input type="email"></div>
<section class="comments"><h2>${say("댓글", "Comments")}</h2><ul>${comments(throws, host)}</ul></section></main>`
  const title = `${escaped(article.title)} ${host.index % 2 === 0 ? "|" : "-"} ${escaped(host.name)}`
  return frame({ title, head: metadata(article), main })
}

const listing = (site: Site, articles: readonly Article[], extra: readonly string[]) => {
  const items = articles.flatMap((it) => site.hrefs(it).map((href) => card(it, href, "list-item"))).join("\n")
  const traps = extra.map((it) => `<li class="list-item"><a href="${it}"><strong>${it}</strong></a></li>`).join("")
  const kind = site.host.layout === "portal" ? "section_latest" : "latest"
  return `<div class="${kind}"><ul class="sa_list">${items}${traps}</ul></div>`
}

const pager = (site: Site, current: number) =>
  Array.from({ length: site.lists }, (_, at) => at + 1)
    .map((it) => (it === current ? `<b>${it}</b>` : `<a href="${escaped(listPath(site.host, it))}">${it}</a>`))
    .join(" ")

/** List pages share the articles between them: page 1 has the newest. */
export const listPage = (site: Site, page: number): string => {
  const size = Math.ceil(site.articles.length / site.lists)
  const shown = site.articles.slice((page - 1) * size, page * size)
  const main = `<main><h1>${escaped(site.host.name)} ${page}</h1>${listing(site, shown, page === 1 ? site.traps : [])}<div class="pager">${pager(site, page)}</div></main>`
  return site.frame({ title: escaped(`${site.host.name} ${page}`), head: "", main })
}

const FRONT_ARTICLES = 20

export const frontPage = (site: Site): string => {
  const main = `<main><h1>${escaped(site.host.name)}</h1>${listing(site, site.articles.slice(0, FRONT_ARTICLES), [])}<div class="pager">${pager(site, 0)}</div></main>`
  return site.frame({ title: escaped(site.host.name), head: '<meta property="og:type" content="website">', main })
}

export const aboutPage = (site: Site): string =>
  site.frame({
    title: site.host.language === "ko" ? "회사 소개" : "About us",
    head: "",
    main: `<main><h1>${escaped(site.host.name)}</h1><p>${escaped(sentence(dice(site.seed, "about"), site.host.language))}</p></main>`
  })
