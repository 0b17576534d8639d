/** The parts every page of a host has around its content: head, menus, scripts, advertisements, footer. */

import type { Host } from "./press.ts"
import { subheading } from "./prose.ts"
import { dice } from "./random.ts"

export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

/** Style sheets and scripts of a real site's weight: 6 to 40 KB that an extractor has to pass over. */
const weight = (seed: number, host: Host) => {
  const throws = dice(seed, `weight ${host.index}`)
  const rules = Array.from(
    { length: 40 + throws.whole(200) },
    (_, at) => `.w${at}{padding:${throws.whole(30)}px;border:${throws.whole(3)}px solid #${throws.whole(9)}aa}`
  )
  const calls = Array.from(
    { length: 20 + throws.whole(120) },
    (_, at) => `slots.push({place:"p${at}",wide:${throws.whole(970)},when:function(x){return x<${throws.whole(99)}}});`
  )
  return { style: rules.join(""), script: `var slots=[];${calls.join("")}` }
}

const menu = (seed: number, host: Host, lists: number) => {
  const throws = dice(seed, `menu ${host.index}`)
  const items = Array.from(
    { length: lists },
    (_, at) => `<li><a href="${listPath(host, at + 1)}">${escaped(subheading(throws, host.language))}</a></li>`
  )
  return `<nav class="menu"><ul>${items.join("")}<li><a href="/about">${host.language === "ko" ? "회사 소개" : "About us"}</a></li><li><a href="/private/members">${host.language === "ko" ? "회원 전용" : "Members"}</a></li><li><a href="/search?q=news">${host.language === "ko" ? "검색" : "Search"}</a></li></ul></nav>`
}

/** The portal's lists have its own address, with the page in the query. */
export const listPath = (host: Host, page: number): string =>
  host.layout === "portal" ? `/breakingnews/section/101/259?page=${page}` : `/list/${page}`

export interface Frame {
  readonly title: string
  readonly head: string
  readonly main: string
}

export type Framer = (frame: Frame) => string

/** What is the same on every page of a host is made once. */
export const framer = (seed: number, host: Host, lists: number): Framer => {
  const { script, style } = weight(seed, host)
  const navigation = menu(seed, host, lists)
  const charset =
    host.index % 3 === 0
      ? `<meta http-equiv="Content-Type" content="text/html; charset=${host.charset}">`
      : `<meta charset="${host.charset}">`
  const rights =
    host.language === "ko"
      ? "무단 전재 및 재배포를 금합니다."
      : "No part of this page may be reproduced without permission."
  return ({ head, main, title }) =>
    `<!DOCTYPE html>
<html lang="${host.language}"><head>${charset}<title>${title}</title>${head}
<link rel="alternate" type="application/rss+xml" href="/rss.xml"><link rel="alternate" type="application/atom+xml" href="/atom.xml">
<style>${style}</style><script>${script}</script></head>
<body><header class="top"><a class="logo" href="/">${escaped(host.name)}</a>${navigation}<form action="/search"><input name="q"></form></header>
${main}
<footer class="bottom">${navigation}<p>© ${escaped(host.name)}. ${rights}</p></footer><script>slots.length</script></body></html>`
}

export const advertisement = (at: number, host: Host): string =>
  `<div class="ad-banner" id="ad-${at}" aria-hidden="true"><span>${host.language === "ko" ? "광고" : "Advertisement"}</span><iframe title="ad" data-src="about:blank"></iframe></div>`
