/** Agencies, broadcasters, small papers and old pages. */
import { breaks, each, graph, linked, related, share } from "./korean.daily.ts"
import type { Outlet } from "./korean.ts"

export const broadcasters: ReadonlyArray<Outlet> = [
  {
    name: "agency",
    head: (it) => graph(it) + linked(it),
    main: (it) =>
      `<div class="content90"><h1 class="tit01">${it.title}</h1><p class="update-time" data-published-time="${it.minutes}">송고시간 ${it.minutes}</p><div class="writer-zone01"><strong class="tit-name"><a href="/r">${it.author}</a></strong><span>기자 페이지</span></div><article class="story-news article"><div class="comp-box photo-group"><figure><img src="${it.image}"><figcaption>[자료 사진. 재판매 및 DB 금지]</figcaption></figure></div>${each(it, (text) => `<p>${text}</p>`)}<p class="txt-copyright adrs">제보는 카카오톡 okjebo</p><p class="txt-copyright adrs"><span class="txt">저작권자(c) ${it.site}, 무단 전재-재배포, AI 학습 및 활용 금지</span> <span class="date">${it.dotted} 송고</span></p></article>${related(it, "related-zone")}</div>`,
    rule: { title: "h1.tit01", content: "article.story-news", author: ".tit-name", date: [".update-time"] }
  },
  {
    name: "agency with line breaks",
    head: (it) => graph(it),
    main: (it) =>
      `<div class="articleView"><div class="top"><div class="title_area"><h1 class="tit title_area">${it.title}</h1></div><p class="txt"><span>등록 ${it.dotted}:00</span></p></div>${share}<div class="viewer"><article><div class="thumCont"><img src="${it.image}"><p class="photojournal">자료 사진. photo@${it.mail.split("@")[1]}</p></div>${breaks(it)}◎공감언론 ${it.site} ${it.mail}</article><p class="copyright">&lt;저작권자ⓒ 공감언론 ${it.site}. 무단전재-재배포 금지.&gt;</p></div>${related(it, "relArticle")}</div>`,
    rule: { title: "h1.tit", content: ".viewer article", author: ".absent", date: [".top .txt span"] }
  },
  {
    name: "small paper on a rented system",
    head: (it) =>
      `${graph(it)}<meta property="article:published_time" content="${it.iso}"><meta name="author" content="${it.author}">`,
    main: (it) =>
      `<section id="user-container"><header class="article-view-header"><h3 class="heading">${it.title}</h3><ul class="infomation"><li><i class="icon-user-o"></i> ${it.author} 기자</li><li><i class="icon-clock-o"></i> 입력 ${it.dotted}</li><li>댓글 0</li></ul></header>${share}<article id="article-view-content-div" class="article-veiw-body view-page font-size17" itemprop="articleBody"><figure class="photo-layout image photo_1"><img src="${it.image}"><figcaption>자료 사진</figcaption></figure>${each(it, (text) => `<p>${text}</p>`)}</article><article class="writer"><strong class="name">${it.author} 기자</strong><a href="mailto:${it.mail}">${it.mail}</a><a href="/w">다른기사 보기</a></article><div class="tag-group"><a href="/t">#${it.section}</a></div><p class="view-copyright">저작권자 © ${it.site} 무단전재 및 재배포 금지</p>${related(it, "relation-box")}</section>`,
    rule: {
      title: "h3.heading",
      content: "#article-view-content-div",
      author: ".writer .name",
      date: ["ul.infomation li:nth-child(2)"]
    }
  },
  {
    name: "old page of tables and fonts in EUC-KR",
    charset: "euc-kr",
    head: (it) => `<title>${it.title} - ${it.site}</title>`,
    main: (it) =>
      `<table width="900" cellpadding="0"><tr><td valign="top" width="640"><table width="100%"><tr><td class="view_t"><font size="5"><b>${it.title}</b></font></td></tr><tr><td class="view_r" align="right">기사입력 : ${it.minutes} &nbsp; ${it.author} 기자</td></tr><tr><td class="view_c" id="content"><font size="3">${breaks(it)}</font></td></tr></table></td><td width="260" valign="top"><table><tr><td>${it.others.map((text) => `<a href="/view.php?no=1">${text}</a><br>`).join("")}</td></tr></table></td></tr></table>`,
    rule: { title: ".view_t b", content: "#content font", author: ".absent", date: [".view_r"] }
  },
  {
    name: "broadcaster with a transcript",
    head: (it) => graph(it),
    main: (it) =>
      `<div class="landing-wrapper"><h4 class="headline-title">${it.title}</h4><div class="dates"><em class="input-date">입력 ${it.dotted.replace(" ", " (")})</em></div><div class="view-article"><div id="vodArea"><img src="${it.image}"><button type="button">재생</button></div><div class="detail-body font-size" id="cont_newstext">${breaks(it)}</div></div><div class="reporter-info"><strong class="reporter-name">${it.author} 기자</strong><span>${it.mail}</span></div><div class="notice">■ 제보하기 ▷ 전화 : 02-000-0000 ▷ 이메일 : jebo@paper.example</div>${related(it, "related-news")}</div>`,
    rule: { title: ".headline-title", content: "#cont_newstext", author: ".reporter-name", date: [".input-date"] }
  },
  {
    name: "broadcaster with an article element",
    head: (it) => graph(it) + linked(it),
    main: (it) =>
      `<div class="w_article"><div class="article_head_area"><h1 class="article_main_tit">${it.title}</h1><div class="date_area"><span>작성 ${it.dotted}</span></div></div><div class="article_cont_area"><div class="main_text"><div class="text_area" itemprop="articleBody">${breaks(it)}</div></div></div><div class="w_reporter"><a href="/r"><strong>${it.author}</strong> 기자</a></div>${share}${related(it, "w_news_list")}</div>`,
    rule: {
      title: "h1.article_main_tit",
      content: ".text_area",
      author: ".w_reporter strong",
      date: [".date_area span"]
    }
  },
  {
    name: "online paper with a summary box",
    head: (it) => `${graph(it)}<meta name="article:published_time" content="${it.minutes}">`,
    main: (it) =>
      `<div class="news_titles"><h1>${it.title}</h1><div class="dates"><ul><li><p>등록 ${it.minutes}</p></li></ul></div></div><div class="newsbody"><div class="news_body" itemprop="articleBody"><div class="gg_textshow">${breaks(it)}</div></div></div><div class="reporter_info"><p class="reporter_name">${it.author}<span>${it.mail}</span></p></div>${related(it, "rel_news")}`,
    rule: { title: ".news_titles h1", content: ".news_body", author: ".reporter_name", date: [".dates p"] }
  },
  {
    name: "citizens' paper with subheadings",
    head: (it) => graph(it),
    main: (it) =>
      `<div class="newswrap"><div class="news_header"><h2 class="article_tit"><a href="${it.url}">${it.title}</a></h2><div class="info_data"><div>${it.dotted.slice(2)} | 최종 업데이트 ${it.dotted.slice(2)}</div><span class="btn_name"><a href="/r">${it.author}</a></span></div></div><div class="at_contents"><div class="article_view"><div class="photo_box"><img src="${it.image}"><span class="cap">▲ 자료 사진</span></div>${each(
        it,
        (text) => `${text}<br><br>`,
        (text) => `<h4 class="sub_tit">${text}</h4>`
      )}</div><div class="support"><a href="/give">좋은기사 응원하기</a></div></div>${related(it, "series")}</div>`,
    rule: { title: ".article_tit", content: ".article_view", author: ".btn_name a", date: [".info_data div"] }
  },
  {
    name: "trade paper with divisions for paragraphs",
    head: (it) => `${graph(it)}<meta property="article:published_time" content="${it.minutes}:00+09:00">`,
    main: (it) =>
      `<div class="view_wrap"><div class="view_head"><div class="view_tit">${it.title}</div><div class="view_info"><span>${it.author} 기자</span><span>${it.dotted}</span></div></div><div class="view_con"><div class="viewContent body18 color700">${each(
        it,
        (text) => `<div>${text}</div>`,
        (text) => `<div><strong>${text}</strong></div>`
      )}</div></div><div class="keyword"><a href="/k">${it.section}</a></div>${related(it, "another")}</div>`,
    rule: {
      title: ".view_tit",
      content: ".viewContent",
      author: ".view_info span",
      date: [".view_info span:nth-child(2)"]
    }
  }
]
