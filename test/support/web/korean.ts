/** Korean articles in the markup habits of eighteen kinds of outlets: portals, dailies, broadcasters, agencies, small papers. */
import { broadcasters } from "./korean.broadcast.ts"
import { dailies } from "./korean.daily.ts"
import { escaped } from "./markup.ts"
import { type Article, article, bodyOf, host, korea } from "./press.ts"
import { sentence } from "./prose.ts"
import { dice } from "./random.ts"

/** What an outlet's template is filled with; every text is already escaped. */
export interface Story {
  readonly title: string
  readonly author: string
  readonly mail: string
  readonly site: string
  readonly section: string
  readonly url: string
  readonly image: string
  /** `2026-02-10T09:05:00+09:00` and what readers see of it. */
  readonly iso: string
  readonly dotted: string
  readonly minutes: string
  readonly spoken: string
  readonly blocks: ReadonlyArray<{ readonly kind: "paragraph" | "heading" | "quote"; readonly text: string }>
  /** Headlines of other articles. */
  readonly others: ReadonlyArray<string>
}

/** A kind of outlet: how its head and its article are written, and the selectors a rule for it has. */
export interface Outlet {
  readonly name: string
  readonly charset?: "euc-kr"
  readonly head: (it: Story) => string
  readonly main: (it: Story) => string
  readonly rule: {
    readonly title: string
    readonly content: string
    readonly author: string
    readonly date: readonly [css: string, attribute?: string]
  }
}

export interface KoreanPage {
  readonly outlet: Outlet
  readonly url: string
  readonly html: string
  readonly truth: { readonly title: string; readonly text: string; readonly author: string; readonly published: Date }
}

export const outlets: ReadonlyArray<Outlet> = [...dailies, ...broadcasters]

const day = 86_400_000
const two = (value: number): string => String(value).padStart(2, "0")

/** `오후 3:05`, as portals write it. */
const spoken = (iso: string): string => {
  const hour = Number(iso.slice(11, 13))
  return `${iso.slice(0, 10).replaceAll("-", ".")}. ${hour < 12 ? "오전" : "오후"} ${hour % 12 === 0 ? 12 : hour % 12}:${iso.slice(14, 16)}`
}

const storyOf = (it: Article, site: string, seed: number): Story => {
  const iso = korea(it.published)
  const throws = dice(seed, `others ${it.number}`)
  return {
    title: escaped(it.title),
    author: it.author,
    mail: `reporter${it.number}@paper.example`,
    site,
    section: it.section,
    url: it.url,
    image: `/img/${it.number}.jpg`,
    iso,
    dotted: iso.slice(0, 16).replaceAll("-", ".").replace("T", " "),
    minutes: iso.slice(0, 16).replace("T", " "),
    spoken: spoken(iso),
    blocks: it.blocks.map(({ kind, text }) => ({ kind, text: escaped(text) })),
    others: Array.from({ length: 8 }, () => escaped(sentence(throws, "ko").slice(0, 34)))
  }
}

const list = (items: ReadonlyArray<string>, from: number): string =>
  `<ul>${items.map((it, at) => `<li><a href="/article/${from + at}">${it}</a></li>`).join("")}</ul>`

/** Menus, rankings, comments and the imprint around every article. */
const frame = (outlet: Outlet, it: Story): string => `<!DOCTYPE html>
<html lang="ko"><head><meta charset="${outlet.charset ?? "utf-8"}">${outlet.head(it)}</head><body>
<div id="skip"><a href="#content">본문 바로가기</a></div>
<header class="header"><h2 class="logo"><a href="/">${it.site}</a></h2><nav class="gnb"><ul>${["정치", "경제", "사회", "문화", "스포츠", "오피니언"].map((name) => `<li><a href="/${name}">${name}</a></li>`).join("")}</ul></nav><a href="/login">로그인</a> <a href="/paper">지면보기</a></header>
${outlet.main(it)}
<div class="aside_ranking"><strong>많이 본 뉴스</strong>${list(it.others.slice(0, 4), 10)}</div>
<div class="reply_area"><h3>댓글 2</h3><p>로그인 후 댓글을 작성할 수 있습니다.</p><ul><li><b>독자 1</b><p>잘 읽었습니다. 3시간 전</p></li><li><b>독자 2</b><p>다음 기사도 기다립니다. 10분 전</p></li></ul></div>
<footer class="footer"><address>서울시 가운데구 새벽로 1 | 등록번호 서울 아00000 | 발행인 · 편집인 홍발행 | 청소년보호책임자 김보호</address><p>Copyright ⓒ ${it.site}. All rights reserved. 무단 전재 및 재배포 금지</p></footer>
</body></html>`

const names = ["새벽일보", "한밭신문", "누리경제", "다온뉴스", "푸른방송", "미리통신"]

/** `perOutlet` pages of every outlet, the same for the same seed. */
export const koreanPages = (seed: number, perOutlet: number, now: number): ReadonlyArray<KoreanPage> =>
  outlets.flatMap((outlet, index) =>
    Array.from({ length: perOutlet }, (_, at): KoreanPage => {
      const paper = host(seed, index, 80, 1, "portal")
      const throws = dice(seed, `korean ${index}/${at}`)
      const published = new Date(
        Math.floor((now - day * (1 + throws.whole(200)) - throws.whole(day)) / 60_000) * 60_000
      )
      const made = article(seed, paper, 1 + index * perOutlet + at, published, 0)
      const site = names[index % names.length] ?? "새벽일보"
      const url = `https://www.paper${two(index)}.example/news/${100_000 + made.number}`
      const story = storyOf({ ...made, url }, site, seed)
      const truth = { title: made.title, text: bodyOf(made), author: made.author, published }
      return { outlet, url, html: frame(outlet, story), truth }
    })
  )
