/** Portals and daily papers. */
import type { Outlet, Story } from "./korean.ts"

export const each = (
  { blocks }: Story,
  paragraph: (text: string, at: number) => string,
  heading: (text: string) => string = (text) => `<h3>${text}</h3>`
): string => blocks.map(({ kind, text }, at) => (kind === "heading" ? heading(text) : paragraph(text, at))).join("\n")

export const breaks = (it: Story): string =>
  each(
    it,
    (text) => `${text}<br><br>`,
    (text) => `<strong>${text}</strong><br><br>`
  )

export const graph = ({ image, site, title, url }: Story): string =>
  `<title>${title} | ${site}</title><meta property="og:type" content="article"><meta property="og:title" content="${title}"><meta property="og:site_name" content="${site}"><meta property="og:url" content="${url}"><meta property="og:image" content="${image}"><link rel="canonical" href="${url}">`

export const linked = ({ author, iso, site, title, url }: Story): string =>
  `<script type="application/ld+json">${JSON.stringify({
    "@context": "https://schema.org",
    "@type": "NewsArticle",
    headline: title.replaceAll("&amp;", "&"),
    datePublished: iso,
    mainEntityOfPage: { "@type": "WebPage", "@id": url },
    author: { "@type": "Person", name: author },
    publisher: { "@type": "NewsMediaOrganization", name: site }
  })}</script>`

export const related = (it: Story, name: string): string =>
  `<div class="${name}"><strong>관련기사</strong><ul>${it.others
    .slice(4)
    .map((text, at) => `<li><a href="/news/${at + 1}">${text}</a></li>`)
    .join("")}</ul></div>`

export const share = `<div class="util"><button type="button">글자크기</button><button type="button">가</button><a href="#k">카카오톡</a><a href="#f">페이스북</a><a href="#u">URL 복사</a><button type="button">인쇄</button></div>`

export const dailies: ReadonlyArray<Outlet> = [
  {
    name: "portal with line breaks and a data attribute",
    head: (it) => `<title>${it.title} : ${it.site}</title><meta property="og:title" content="${it.title}">`,
    main: (it) =>
      `<div id="ct"><div class="media_end_head"><h2 id="title_area" class="media_end_head_headline"><span>${it.title}</span></h2><div class="media_end_head_info"><span class="media_end_head_info_datestamp_time _ARTICLE_DATE_TIME" data-date-time="${it.minutes}:00">${it.spoken}</span><em class="media_end_head_journalist_name">${it.author} 기자</em><a href="#o">기사원문</a></div></div><div id="newsct_article"><article id="dic_area" class="go_trans _article_content"><span class="end_photo_org"><img data-src="${it.image}"><em class="img_desc">자료 사진 ⓒ ${it.site}</em></span><br>${breaks(it)}</article></div><div class="byline"><p><span class="byline_s">${it.author} 기자(${it.mail})</span></p></div><div class="copyright">Copyright ⓒ ${it.site}. 무단 전재 및 재배포 금지.</div>${related(it, "end_related")}</div>`,
    rule: {
      title: "#title_area",
      content: "#dic_area",
      author: ".media_end_head_journalist_name",
      date: ["._ARTICLE_DATE_TIME", "data-date-time"]
    }
  },
  {
    name: "portal with own attributes",
    head: (it) =>
      `${graph(it)}<meta property="og:article:author" content="${it.site}"><meta property="og:regDate" content="${it.iso.replace(/\D/g, "").slice(0, 14)}">`,
    main: (it) =>
      `<main><div class="head_view"><h3 class="tit_view">${it.title}</h3><div class="info_view"><span class="txt_info">${it.author}</span><span class="txt_info">입력 <span class="num_date">${it.spoken.replace(/\.(?=\d)/g, ". ")}</span></span></div></div><div class="news_view fs_type1"><div class="article_view"><section dmcf-sid="a"><figure class="figure_frm"><p class="link_figure"><img src="${it.image}"></p><figcaption class="txt_caption">자료 사진</figcaption></figure>${each(it, (text, at) => `<p dmcf-pid="p${at}" dmcf-ptype="general">${text}</p>`)}</section></div><p class="txt_copyright">저작권자 ⓒ ${it.site}, 무단전재 및 재배포 금지</p></div>${related(it, "box_related")}</main>`,
    rule: { title: ".tit_view", content: ".article_view section", author: ".txt_info", date: [".num_date"] }
  },
  {
    name: "daily whose paragraphs have long class names",
    head: (it) => graph(it) + linked(it),
    main: (it) =>
      `<section class="layout__main"><h1 class="article-header__headline"><span>${it.title}</span></h1><div class="article-byline"><a class="article-byline__author" href="/r">${it.author} 기자</a></div><div class="upDate">입력 ${it.dotted}</div>${share}<section class="article-body" itemprop="articleBody">${each(it, (text) => `<p class="article-body__content article-body__content-text text--black">${text}</p>`)}</section>${related(it, "article-related")}</section>`,
    rule: {
      title: ".article-header__headline",
      content: "section.article-body",
      author: ".article-byline__author",
      date: [".upDate"]
    }
  },
  {
    name: "daily with related articles between paragraphs",
    head: (it) => `${graph(it)}<meta property="article:published_time" content="${it.iso}">`,
    main: (it) =>
      `<article class="article"><header class="article_header"><h1 class="headline">${it.title}</h1><div class="datetime"><div class="date"><p>입력 <time itemprop="datePublished" datetime="${it.iso}">${it.dotted}</time></p></div><div class="byline"><a href="/r">${it.author}</a> 기자</div></div></header>${share}<div class="article_body fs3" id="article_body" itemprop="articleBody"><div class="ab_photo photo_center"><img src="${it.image}"><p class="caption">자료 사진. 중앙포토</p></div>${each(it, (text, at) => `<p data-divno="${at}">${text}</p>${at === 2 ? `<div class="ab_related_article"><h4>추천 기사</h4><ul><li><a href="/1">${it.others[4]}</a></li><li><a href="/2">${it.others[5]}</a></li></ul></div>` : ""}`)}</div></article>`,
    rule: { title: "h1.headline", content: "#article_body", author: ".byline a", date: ["time", "datetime"] }
  },
  {
    name: "daily with advertisements between line breaks",
    head: (it) => graph(it),
    main: (it) =>
      `<div class="view_body"><header><section class="head_group"><h1>${it.title}</h1><ul class="news_info"><li>입력 <button type="button"><span aria-hidden="true">${it.minutes
        .replace("-", "년 ")
        .replace("-", "월 ")
        .replace(" 0", " ")
        .replace(
          /(\d\d) (\d\d):(\d\d)$/,
          "$1일 $2시 $3분"
        )}</span></button></li></ul></section></header><section class="news_view"><figure class="img_cont"><img src="${it.image}"><figcaption>자료 사진</figcaption></figure>${each(
        it,
        (text, at) =>
          `${text}<br><br>${at === 3 ? '<div class="view_ad06"><a href="#ad">광고</a><script>ad()</script></div>' : ""}`,
        (text) => `<b>${text}</b><br><br>`
      )}<strong class="name">${it.author} 기자 ${it.mail}</strong></section>${share}${related(it, "recommend_sec")}</div>`,
    rule: { title: "h1", content: "section.news_view", author: "strong.name", date: [".news_info span"] }
  },
  {
    name: "daily with a script framework",
    head: (it) => graph(it) + linked(it),
    main: (it) =>
      `<div id="__next"><div class="ArticleDetailView_articleDetail__IT2fh"><h3 class="ArticleDetailView_title__9kRU_">${it.title}</h3><div class="ArticleDetailView_reporterList__8rSfi"><a href="/r">${it.author} 기자</a></div><ul class="ArticleDetailView_dateList__tniXJ"><li class="ArticleDetailView_dateListItem__mRc3d">등록 <span>${it.minutes}</span></li></ul><div class="article-text">${each(it, (text) => `<p class="text">${text}</p>`)}<div class="ArticleDetailContent_adWrap__LrO7X">광고</div></div>${related(it, "ArticleDetailView_relate__x1")}</div></div>`,
    rule: {
      title: ".ArticleDetailView_title__9kRU_",
      content: ".article-text",
      author: ".ArticleDetailView_reporterList__8rSfi a",
      date: [".ArticleDetailView_dateListItem__mRc3d span"]
    }
  },
  {
    name: "daily with numbered text classes",
    head: (it) => `${graph(it)}<meta name="author" content="${it.author} 기자">`,
    main: (it) =>
      `<div class="art_cont"><div class="subject"><h1 id="articleTtitle">${it.title}</h1></div><div class="byline"><em>입력 : ${it.dotted}</em> <em>수정 : ${it.dotted}</em></div><div class="art_body" id="articleBody"><div class="art_photo photo_center"><img src="${it.image}"><p class="caption">자료 사진 | ${it.author} 기자</p></div>${each(
        it,
        (text) => `<p class="content_text text-l">${text}</p>`,
        (text) => `<h3 class="subtitle">${text}</h3>`
      )}</div>${share}${related(it, "relation")}<div class="reporter_box"><a href="/r">${it.author} 기자</a><a href="#">구독</a></div></div>`,
    rule: { title: "#articleTtitle", content: "#articleBody", author: ".reporter_box a", date: [".byline em"] }
  },
  {
    name: "business daily with microdata",
    head: (it) => graph(it),
    main: (it) =>
      `<div class="contents" itemscope itemtype="https://schema.org/NewsArticle"><h2 class="news_ttl" itemprop="headline">${it.title}</h2><dl class="author"><dt class="name"><a href="/r" itemprop="author">${it.author}</a></dt></dl><div class="time_area"><dl class="registration"><dt>입력 : </dt><dd>${it.minutes}:00</dd></dl></div><div class="news_cnt_detail_wrap" itemprop="articleBody"><div class="thumb_area"><img src="${it.image}"><div class="description_area">자료 사진</div></div>${each(
        it,
        (text, at) => `<p refid="${at}">${text}</p>`,
        (text) => `<div class="midtitle_text">${text}</div>`
      )}</div>${related(it, "news_relation")}</div>`,
    rule: {
      title: ".news_ttl",
      content: ".news_cnt_detail_wrap",
      author: "[itemprop=author]",
      date: [".registration dd"]
    }
  },
  {
    name: "business daily with one block of text",
    head: (it) => `${graph(it)}<meta property="article:published_time" content="${it.iso}">`,
    main: (it) =>
      `<div class="article-contents"><h1 class="headline">${it.title}</h1><div class="article-timestamp"><span class="item"><span class="txt-title">입력</span><span class="txt-date">${it.dotted}</span></span></div>${share}<div class="article-body" id="articletxt" itemprop="articleBody"><div class="article-figure"><img src="${it.image}"><div class="figure-caption">자료 사진</div></div>${breaks(it)}<p class="author">${it.author} 기자 ${it.mail}</p></div>${related(it, "relation-news")}</div>`,
    rule: { title: "h1.headline", content: "#articletxt", author: "#articletxt .author", date: [".txt-date"] }
  }
]
