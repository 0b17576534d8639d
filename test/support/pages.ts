/** Small pages for stream tests: enough of an article, a list and a feed to be read as one. */
const sentence = (topic: string, at: number) =>
  `The council said on day ${at} that ${topic} would change how ${topic} is paid for, and residents asked what comes next.`

export const articlePage = (
  title: string,
  options: { readonly canonical?: string; readonly body?: string } = {}
): string => {
  const paragraphs = Array.from(
    { length: 6 },
    (_, at) => `<p>${options.body ?? sentence(title.toLowerCase(), at + 1)}</p>`
  )
  const canonical = options.canonical === undefined ? "" : `<link rel="canonical" href="${options.canonical}">`
  return (
    `<!doctype html><html lang="en"><head><title>${title}</title>${canonical}` +
    `<meta property="og:type" content="article"><meta property="article:published_time" content="1970-01-01T00:00:00Z"></head>` +
    `<body><header><nav><a href="/">Home</a></nav></header><article><h1>${title}</h1>${paragraphs.join("")}</article></body></html>`
  )
}

export const listPage = (links: ReadonlyArray<string>): string =>
  `<!doctype html><html><head><title>Latest news</title></head><body><ul>${links
    .map((href, at) => `<li><a href="${href}">Story number ${at} of the day is told here</a></li>`)
    .join("")}</ul></body></html>`

export const feedPage = (links: ReadonlyArray<string>): string =>
  `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>${links
    .map((href, at) => `<item><title>Story ${at}</title><link>${href}</link></item>`)
    .join("")}</channel></rss>`
