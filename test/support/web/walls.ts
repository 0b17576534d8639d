/** Pages that are no article, each with the verdict it was made for, and the lists, fronts and articles of the fixture web. */

import { framer, listPath } from "./markup.ts"
import { articlePage, frontPage, listPage, type Site } from "./page.ts"
import { article, host, layouts } from "./press.ts"

export interface Made {
  readonly name: string
  readonly url: string
  readonly html: string
  readonly status: number
  readonly verdict: string
}

const bare = (title: string, body: string): string =>
  `<!DOCTYPE html><html><head><title>${title}</title></head><body>${body}</body></html>`

const challenges = [
  [
    "Just a moment...",
    "<h1>Just a moment...</h1><p>Checking your browser before accessing news.example. This may take 5 seconds.</p>"
  ],
  ["Access Denied", "<h1>Access Denied</h1><p>You don't have permission to access this page. Reference #18.5f2</p>"],
  [
    "Pardon Our Interruption",
    "<h1>Pardon Our Interruption</h1><p>As you were browsing something about your browser made us think you were a bot.</p>"
  ],
  [
    "잠시만 기다려 주세요",
    "<p>비정상적인 접근이 감지되었습니다. 아래 보안문자를 입력해 주세요.</p><input name=captcha>"
  ],
  ["Robot check", "<p>Please verify you are a human.</p><div class=px-captcha></div>"],
  ["news.example", "<p>자동화된 접근이 차단되었습니다.</p>"]
] as const
const consents = [
  [
    "Before you continue",
    "<h1>Before you continue</h1><p>We and our 812 partners use cookies to store data on your device.</p><button>Accept all</button><button>Reject</button>"
  ],
  [
    "Datenschutz",
    "<h1>Mit Werbung weiterlesen</h1><p>Wir verwenden Cookies und ähnliche Techniken.</p><button>Zustimmen und weiter</button>"
  ],
  [
    "동의",
    "<h1>서비스 이용 안내</h1><p>쿠키 사용에 동의해 주세요. 계속하려면 동의 버튼을 눌러 주세요.</p><button>동의</button>"
  ]
] as const
const shells = [
  ["App", `<div id="root"></div><script src="/static/js/main.js"></script>`],
  ["뉴스", `<div id="app"></div><noscript>자바스크립트를 켜 주세요.</noscript><script src="/app.js"></script>`],
  ["News", `<div id="__next"></div><script id="__NEXT_DATA__" type="application/json">{}</script>`]
] as const
const lost = [
  ["404 Not Found", "<h1>Not Found</h1><p>The page you asked for is not here.</p>"],
  ["페이지를 찾을 수 없습니다", "<p>요청하신 기사가 삭제되었거나 주소가 바뀌었습니다.</p><a href=/>처음으로</a>"]
] as const

/** Each kind under five addresses that look like an article's. */
export const walls = (): ReadonlyArray<Made> => {
  const kinds = [
    ["challenge", "blocked", 200, challenges],
    ["refusal", "blocked", 403, challenges],
    ["consent wall", "consent", 200, consents],
    ["script shell", "empty", 200, shells],
    ["gone", "soft_404", 404, lost]
  ] as const
  return kinds.flatMap(([name, verdict, status, pages]) =>
    pages.flatMap(([title, body]) =>
      Array.from({ length: 5 }, (_, at) => ({
        name,
        verdict,
        status,
        url: `https://news.example/2026/02/1${at}/a-story-of-that-day`,
        html: bare(title, body)
      }))
    )
  )
}

const day = 86_400_000

/** Fronts, lists and articles in every layout of the fixture web. */
export const makeWeb = (seed: number): ReadonlyArray<Made> =>
  layouts.flatMap((layout, index) => {
    const paper = host(seed, index, 80, 0, layout)
    const now = Date.UTC(2026, 6, 1)
    const articles = Array.from({ length: 20 }, (_, at) => article(seed, paper, 20 - at, new Date(now - at * day), 0))
    const site: Site = {
      seed,
      host: paper,
      frame: framer(seed, paper, 4),
      articles,
      lists: 4,
      hrefs: (it) => [it.path],
      traps: []
    }
    const made = (name: string, path: string, html: string): Made => ({
      name,
      url: paper.origin + path,
      html,
      status: 200,
      verdict: "ok"
    })
    return [
      made("front", "/", frontPage(site)),
      ...[1, 2, 3, 4].map((at) => made("list", listPath(paper, at), listPage(site, at))),
      ...articles.map((it) => made("article of the fixture web", it.path, articlePage(site, it)))
    ]
  })
