import { createHash } from "node:crypto"

/** What the fixture discovery sources know: a pure function of a domain's name, so that every process tells the same. */
const draw = (text: string): number => createHash("sha256").update(text).digest().readUInt32BE(0)

/** Names that certificates of a domain were issued for. */
export const namesOf = (domain: string): ReadonlyArray<string> =>
  ["www", "news", "media", "m", "data"]
    .filter((it) => draw(`name ${it} ${domain}`) % 2 === 0)
    .map((it) => `${it}.${domain}`)

/** Pages of a domain that were archived. */
export const pagesOf = (domain: string): ReadonlyArray<string> =>
  Array.from({ length: draw(`pages ${domain}`) % 4 }, (_, at) => `http://www.${domain}:80/newsroom/${at + 1}`)

/** Results of a query, best first. */
export const resultsOf = (query: string): ReadonlyArray<{ link: string; title: string; snippet: string }> =>
  Array.from({ length: 5 + (draw(query) % 20) }, (_, at) => {
    const site = `agency${(draw(query) + at) % 40}.gov.sg`
    return { link: `https://www.${site}/news/${at}`, title: `Newsroom ${at} - ${site}`, snippet: `Latest of ${site}` }
  })

/** The seeds of a batch: sites of authorities, organisations and companies. */
export const seedUrls = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, at) => {
    const kind = ["gov.sg", "org.sg", "com.sg"][at % 3]
    return `https://www.site${at}.${kind}/newsroom`
  })
