/** Article bodies and metadata: seven ways to say the same, so that no single source of a field suffices. */
import { advertisement, escaped } from "./markup.ts"
import { type Article, type Block, korea, type Layout } from "./press.ts"

const plain = ({ kind, text }: Block): string =>
  kind === "heading"
    ? `<h3>${escaped(text)}</h3>`
    : kind === "quote"
      ? `<blockquote><p>${escaped(text)}</p></blockquote>`
      : `<p>${escaped(text)}</p>`

const broken = ({ kind, text }: Block): string =>
  kind === "heading" ? `<b>${escaped(text)}</b><br><br>` : `${escaped(text)}<br><br>`

const soup = ({ kind, text }: Block): string =>
  `<div class="${kind === "heading" ? "t2" : "t1"}"><div>${escaped(text)}</div></div>`

/** The body between its captioned photo and its advertisements. */
const inner = (article: Article, write: (block: Block) => string): string => {
  const { host, number } = article
  const photo = `<figure class="photo"><img src="/img/${number}.jpg" width="640" height="360" alt=""><figcaption>${host.language === "ko" ? "자료 사진" : "Archive photo"}</figcaption></figure>`
  return photo + article.blocks.map((it, at) => write(it) + (at % 6 === 4 ? advertisement(at, host) : "")).join("\n")
}

const bodies: Readonly<Record<Layout, (article: Article) => string>> = {
  semantic: (it) => `<div class="article-text">${inner(it, plain)}</div>`,
  breaks: (it) => `<div id="newsBody">${inner(it, broken)}</div>`,
  microdata: (it) => `<div itemprop="articleBody">${inner(it, plain)}</div>`,
  soup: (it) => `<div class="b9"><div class="b8">${inner(it, soup)}</div></div>`,
  sections: (it) => `<section class="story">${inner(it, plain)}</section>`,
  table: (it) => `<table class="frame"><tr><td class="column">${inner(it, plain)}</td></tr></table>`,
  portal: (it) =>
    `<div id="newsct_article"><article id="dic_area" class="go_trans _article_content">${inner(it, broken)}</article></div>`
}

const minutes = (iso: string) => iso.slice(0, 16).replace("T", " ")

/** Who and when, as the reader sees it. The portal keeps the instant in a data attribute, without a zone. */
const byline = (article: Article): string => {
  const { author, host, published } = article
  const iso = korea(published)
  const seen = minutes(iso)
  const by = (attributes: string) =>
    host.language === "ko"
      ? `<span class="writer"${attributes}>${author}</span> 기자`
      : `By <span class="writer"${attributes}>${author}</span>`
  switch (host.layout) {
    case "portal":
      return `<div class="media_end_head_info"><span class="media_end_head_info_datestamp_time _ARTICLE_DATE_TIME" data-date-time="${seen}:${iso.slice(17, 19)}">${seen}</span><em class="media_end_head_journalist_name">${author}${host.language === "ko" ? " 기자" : ""}</em></div>`
    case "microdata":
      return `<p class="byline">${by(' itemprop="author"')} <meta itemprop="datePublished" content="${iso}">${seen}</p>`
    case "table":
      return `<p class="byline">${by("")} · <time datetime="${iso}">${seen}</time></p>`
    default:
      return `<p class="byline">${by("")} · ${host.language === "ko" ? "입력" : "Published"} ${seen}</p>`
  }
}

const title = (article: Article): string => {
  const text = escaped(article.title)
  switch (article.host.layout) {
    case "portal":
      return `<h2 id="title_area" class="media_end_head_headline"><span>${text}</span></h2>`
    case "microdata":
      return `<h1 itemprop="headline">${text}</h1>`
    case "soup":
      return `<div class="t0"><h1>${text}</h1></div>`
    default:
      return `<h1 class="headline">${text}</h1>`
  }
}

const share = `<ul class="share-bar"><li><a href="#f">Facebook</a></li><li><a href="#x">X</a></li><li><button type="button">URL</button></li></ul>`

/** Title, byline, share bar and body in the host's own wrapping. */
export const story = (article: Article): string => {
  const content = title(article) + byline(article) + share + bodies[article.host.layout](article)
  switch (article.host.layout) {
    case "microdata":
      return `<article itemscope itemtype="https://schema.org/NewsArticle">${content}</article>`
    case "soup":
    case "table":
    case "portal":
      return `<div class="page">${content}</div>`
    default:
      return `<article>${content}</article>`
  }
}

/** Text that would end its script element is escaped as JSON allows. */
const linkedData = (value: unknown) =>
  `<script type="application/ld+json">${JSON.stringify(value).replaceAll("<", "\\u003c")}</script>`

const newsArticle = ({ author, host, published, section, title, url }: Article) => ({
  "@type": "NewsArticle",
  headline: title,
  datePublished: korea(published),
  dateModified: korea(published),
  mainEntityOfPage: url,
  articleSection: section,
  author: [{ "@type": "Person", name: author }],
  publisher: { "@type": "Organization", name: host.name }
})

/** Machine-readable facts in the head: which of them a page has depends on its layout. */
export const metadata = (article: Article): string => {
  const { author, host, number, published, section, url } = article
  const text = escaped(article.title)
  const open = [
    `<link rel="canonical" href="${url}">`,
    `<meta property="og:type" content="article"><meta property="og:title" content="${text}">`,
    `<meta property="og:url" content="${url}"><meta property="og:site_name" content="${escaped(host.name)}">`,
    `<meta property="og:image" content="${host.origin}/img/${number}.jpg">`,
    `<meta name="description" content="${escaped(article.blocks[0]?.text.slice(0, 140) ?? "")}">`
  ].join("")
  const time = `<meta property="article:published_time" content="${korea(published)}">`
  switch (host.layout) {
    case "semantic":
      return open + linkedData({ "@context": "https://schema.org", ...newsArticle(article) })
    case "breaks":
      return `${open + time}<meta name="author" content="${author}"><meta property="article:section" content="${section}">`
    case "soup":
      return (
        open +
        linkedData({
          "@context": "https://schema.org",
          "@graph": [{ "@type": "WebSite", name: host.name, url: host.origin }, newsArticle(article)]
        })
      )
    case "sections":
      return `${open + time}<meta property="article:author" content="${author}">`
    default:
      return open
  }
}
