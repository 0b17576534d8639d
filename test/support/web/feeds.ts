/** What machines read: robots.txt, sitemaps, RSS and Atom. Feeds use the host's charset, sitemaps UTF-8. */
import { escaped } from "./markup.ts"
import { type Article, type Host, korea } from "./press.ts"

const FEED_ARTICLES = 50

/** `delay` in seconds; 0 leaves the line out. */
export const robots = (host: Host, delay: number): string =>
  [
    "User-agent: *",
    "Disallow: /private/",
    "Disallow: /search",
    ...(delay > 0 ? [`Crawl-delay: ${delay}`] : []),
    "",
    `Sitemap: ${host.origin}/sitemap-index.xml`,
    ""
  ].join("\n")

const entry = ({ host, published, title, url }: Article) =>
  `<url><loc>${url}</loc><lastmod>${korea(published)}</lastmod><news:news><news:publication><news:name>${escaped(host.name)}</news:name><news:language>${host.language}</news:language></news:publication><news:publication_date>${korea(published)}</news:publication_date><news:title>${escaped(title)}</news:title></news:news></url>`

export const sitemap = (articles: readonly Article[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">
${articles.map(entry).join("\n")}
</urlset>`

export const sitemapIndex = (host: Host): string =>
  `<?xml version="1.0" encoding="UTF-8"?>
<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>${host.origin}/sitemap.xml</loc></sitemap><sitemap><loc>${host.origin}/sitemap.xml.gz</loc></sitemap></sitemapindex>`

const summary = ({ blocks }: Article) => escaped(blocks[0]?.text ?? "")

export const rss = (host: Host, articles: readonly Article[]): string => {
  const items = articles
    .slice(0, FEED_ARTICLES)
    .map(
      (it) =>
        `<item><title>${escaped(it.title)}</title><link>${it.url}</link><guid isPermaLink="true">${it.url}</guid><pubDate>${it.published.toUTCString()}</pubDate><dc:creator>${it.author}</dc:creator><category>${it.section}</category><description>${summary(it)}</description></item>`
    )
  return `<?xml version="1.0" encoding="${host.charset}"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>${escaped(host.name)}</title><link>${host.origin}/</link><description>${escaped(host.name)}</description><language>${host.language}</language>
${items.join("\n")}
</channel></rss>`
}

export const atom = (host: Host, articles: readonly Article[]): string => {
  const newest = articles[0]
  const entries = articles
    .slice(0, FEED_ARTICLES)
    .map(
      (it) =>
        `<entry><title>${escaped(it.title)}</title><id>${it.url}</id><link rel="alternate" href="${it.url}"/><published>${korea(it.published)}</published><updated>${korea(it.published)}</updated><author><name>${it.author}</name></author><summary>${summary(it)}</summary></entry>`
    )
  return `<?xml version="1.0" encoding="${host.charset}"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>${escaped(host.name)}</title><id>${host.origin}/</id><link href="${host.origin}/"/><updated>${newest === undefined ? "1970-01-01T00:00:00Z" : korea(newest.published)}</updated>
${entries.join("\n")}
</feed>`
}
