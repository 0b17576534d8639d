import type { Element, Node } from "./element.ts"

/**
 * What an element is for, as its names say: class, id, role, test ids. A kind is a hint, not a fact: whoever acts on it
 * checks how much of the page it would take away.
 */
export type Kind =
  | "body"
  | "lead"
  | "navigation"
  | "share"
  | "related"
  | "newsletter"
  | "comments"
  | "advert"
  | "consent"
  | "paywall"
  | "author"
  | "signature"
  | "profile"
  | "byline"
  | "tags"
  | "caption"
  | "sidebar"
  | "footer"
  | "tools"
  | "headline"
  | "filters"
  | "slides"

/** Alternatives, split at white space; each begins with a letter. `_` stands for the blank between two parts. */
const words = (list: string): ReadonlyArray<string> => list.trim().split(/\s+/u)

/** Tried in order, the first match is the kind. A word matches the beginning of a name's part; `_` joins two parts. */
const table: ReadonlyArray<readonly [Kind, ReadonlyArray<string>]> = [
  [
    "consent",
    words(
      "cookies?_?(?:law|notice|banner|consent|bar|policy|popup|message|info|overlay|settings|modal|wall|hint|disclaimer|note|alert|dialog|container|layer) consent gdpr onetrust ot_sdk ot_pc didomi usercentrics cookiebot cybot truste sp_message privacy_(?:banner|notice|center|modal|policy_modal) dsgvo datenschutz_ refund_policy"
    )
  ],
  [
    "body",
    words(
      `article_?body article_?text article_?content article_view article_?main article_?detail article_paragraph articletext
      story_?body story_?content story_?text post_?content post_?body post_text entry_?content entry_?text entry_body
      body_?content body_?text body_?copy main_?text main_body content_body content_text content_article text_body
      news_?content news_?text news_?body news_view view_?text view_con view_cont news_?detail_(?:body|content|text)
      rich_?text wysiwyg artikel_?text artikel_?inhalt artikel_?body texto_(?:noticia|nota) cuerpo corpo_?(?:testo|articolo)?_
      contenu_(?:article) read_body reader_body field_name_body field_name_field_body node_content post_entry single_content
      prose_ markdown_body`
    )
  ],
  [
    "related",
    words(
      `related recommend recirc more_(?:from|on|in|stories|news|articles|posts|like|links)_ read_?(?:more|also|next) see_?also also_ you_may
      yarpp jp_related outbrain taboola zergnet trending popular most_(?:read|viewed|popular|recent) mostread
      next_(?:post|article|story) prev(?:ious)?_(?:post|article|story) post_nav latest_ teaser(?!_text) up_next further_ verwandt aehnlich_ weitere_
      passend_ mehr_zum lire_aussi leer_mas onward crosslink internal_link inline_?link linkbox link_box suggest
      top_stories headlines_ hot_news rank_ ranking similar relacionad noticias_rel correlat leggi_ lesen_sie readmore
      promo_ promobox article_list news_list story_list card_list cards_ feed_`
    )
  ],
  ["slides", words("carousel slider swiper")],
  [
    "comments",
    words(
      "comment reviews_ customer_reviews? product_reviews? user_reviews? review_(?:list|item|card|block|box|section|module|author) disqus respond reply replies reactions_ livefyre kommentar leserbrief discussion_ fb_comments reader_comm"
    )
  ],
  [
    "share",
    words(
      "share(?!d) sharing sharedaddy social sns_ addthis addtoany a2a_ shariff follow_ likes_ like_button facebook(?!_post) twitter_(?:share|follow|timeline|link|button|icon) whatsapp pinterest teilen"
    )
  ],
  [
    "newsletter",
    words(
      `newsletter subscribe(?!r) signup sign_up mailchimp mc4wp mailinglist optin opt_in email_(?:form|signup|capture) call_to_action cta
      donat support_us membership join_us push_notif download_app app_promo`
    )
  ],
  [
    "advert",
    words(
      `ad_ ads_ adv_ advert adsense adslot ad_?(?:slot|unit|container|wrapper|box|block|banner|label) banner_ad dfp gpt_ad sponsor
      werbung anzeige_ publicidad pubblicita reklam promotion_ commercial_ affiliate ezoic adbox adsby`
    )
  ],
  [
    "paywall",
    words(
      "paywall_?(?:box|overlay|banner|teaser|modal|message|prompt|barrier|offer|wrapper_inner|cta) piano_ premium_(?:box|teaser|banner|overlay) plus_(?:teaser|box)_ meter_ regwall subscription_"
    )
  ],
  [
    "profile",
    words(
      "message_user_(?:extras|title|banner|details|info) author_pane post_?profile user_?(?:extras|stats|title|details|fields|badges) poster_info member_info author_(?:stats|statistics|fields) user_?info"
    )
  ],
  ["signature", words("signature message_signature post_signature user_signature")],
  [
    "author",
    words(
      `author_?(?:bio|box|info|card|profile|about|description|desc|details|block|widget|meta|container|section) about_?(?:the_)?author bio_ biography
      contributor_ vcard autor_?(?:box|info) autoren writer_(?:info|profile) journalist_ reporter_(?:area|info|box|profile) post_author
      guest_author abbinder`
    )
  ],
  [
    "byline",
    words(
      `byline by_line dateline date_?(?:line|time|published|created)? datetime timestamp time_stamp published pubdate publish_ posted_(?:on|by|in)
      post_?(?:meta|date|info|time|footer) entry_?(?:meta|date|footer|utility|info) article_?(?:meta|date|info|byline|author|time|header_meta) meta_ meta_(?:info|data|line)
      author_ authors_ autor_ autore_ auteur_ writer_ reporter_ read_?time reading_?time time_to_read byarticle dachzeile kicker
      journalist updated_ last_updated submitted views_ view_count hits_ info_news news_?info source_name infoline infobar`
    )
  ],
  [
    "tags",
    words(
      "tag_ tags_ tagged tag_?(?:list|cloud|links) post_?tags article_?tags keywords_ topics_ topic_list categories_ category_ cat_links hashtag schlagw entry_tags labels_"
    )
  ],
  [
    "caption",
    words(
      `caption figcaption image_?(?:caption|credit|source|description|desc|text) photo_?(?:caption|credit|info|desc|text) wp_caption img_?(?:caption|credit|desc|txt)
      picture_?(?:caption|credit) media_?(?:caption|credit) credit_ credits_ copyright_(?:info|image)? bildunterschrift bildtext bildquelle
      lightbox gallery galerie slideshow legende_ foto_(?:info|text) fotocredit`
    )
  ],
  [
    "tools",
    words(
      `print_ printfriendly toolbar tool_?box tools_ font_?size text_?size article_?tools button_ buttons_ btn_ feedback vote_ voting rating_ ratings_ stars_
      poll_ quiz_ survey search_?(?:form|box|bar) login log_in signin sign_in register_ modal popup pop_up overlay_ tooltip
      audio_?player player_ video_?player listen_ tts_ jump_link skip_?(?:to|link|nav) screen_reader sr_only visually_?hidden noprint no_print
      hidden_ invisible_ accessib a11y loading_ spinner placeholder_ error_ alert_ correction_form map_ weather_ embed_newsletter`
    )
  ],
  [
    "navigation",
    words(
      `nav navbar navi_ navigation menu_ menus_ submenu menu breadcrumb brotkrumen bread_crumb pagination pager_ paging page_?(?:numbers|links) toc_ table_of_contents
      inhaltsverzeichnis gnb lnb_ snb_ tabs_?(?:nav|list|menu|bar|header|labels) tablist topbar top_bar site_?header masthead_ global_?header page_header_nav header_nav sitemap_ languages_ language_sw lang_sw`
    )
  ],
  ["filters", words("filter facet sort_ sorting sortby refine")],
  [
    "sidebar",
    words(
      "sidebar side_?(?:bar|box|content|col|area|column)? aside_ aside widget_area widgets_ widget_widget_ rail_ right_?(?:rail|col|column|bar|side) randspalte secondary_ marginal"
    )
  ],
  [
    "footer",
    words("footer foot_ site_?info colophon copyright copy_right impressum disclaimer legal_ imprint bottom_nav fuss")
  ],
  [
    "lead",
    words(
      "lead_ lede standfirst dek_ deck_ sub_?(?:title|headline|head)_ intro_ introduction excerpt_ summary_ vorspann teaser_text chapo sapo_ abstract_ article_?(?:lead|intro|summary|teaser|description|subtitle|dek|excerpt) strapline bajada entradilla ingress"
    )
  ],
  ["headline", words("headline article_?title post_?title entry_?title story_?title news_?title page_?title")],
  ["body", words("article_ story_ post_ entry_ content_ main_ text_ body_ articulo_ artikel_ beitrag_")]
]

/** Class names that say how a thing looks or behaves, not what it is: `md:hidden`, `no-print`, `is-open`, `text-50`. */
const utility =
  /(?:^|\s)(?:[^\s:[\]()/!@]*[:[\]()/!@]\S*|(?:no|is|has|with|without|js|u|not|if|col|row|grid|flex|text|font|bg|border|m|p|mt|mb|px|py)-\S*|\S{60,})/gi
/** A content system marks its post with a list of its categories and tags: they say nothing of the element. */
const postClasses = /(?:^|\s)(?:hentry|status-publish|type-post|type-page|node--type-\S+)(?:\s|$)/

interface Branch {
  readonly pattern: RegExp
  /** The row of `table` that each group of the pattern stands for. */
  readonly rows: ReadonlyArray<number>
}

/** By first letter: one pattern of all alternatives that begin so, with a group per row of the table. */
const branches: ReadonlyMap<string, Branch> = new Map(
  [..."abcdefghijklmnopqrstuvwxyz"].flatMap((letter): Array<[string, Branch]> => {
    const groups = table
      .map(([, list], row) => ({ row, own: list.filter((it) => it.startsWith(letter)) }))
      .filter(({ own }) => own.length > 0)
    if (groups.length === 0) return []
    const source = groups.map(({ own }) => `(${own.map((it) => it.replaceAll("_", " ")).join("|")})`).join("|")
    return [[letter, { pattern: new RegExp(source, "y"), rows: groups.map(({ row }) => row) }]]
  })
)

/** The first row that a part of the names matches, or -1. */
const rowOf = (parts: string): number => {
  let best = table.length
  for (let at = 0; at >= 0 && at < parts.length - 1; at = parts.indexOf(" ", at + 1)) {
    const branch = branches.get(parts.charAt(at + 1))
    if (branch === undefined) continue
    branch.pattern.lastIndex = at + 1
    const found = branch.pattern.exec(parts)
    if (found === null) continue
    const row = branch.rows[found.findIndex((it, i) => i > 0 && it !== undefined) - 1] ?? best
    if (row < best) best = row
  }
  return best === table.length ? -1 : best
}

/** `aB-c_d` → ` a b c d `: the parts of names, each after a blank. */
const partsOf = (names: string): string => {
  const parts = names.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase()
  return ` ${parts.replace(/[^a-z0-9]+/g, " ").trim()} `
}

/** The ids of these are made from what they say, and so is an id of five words that begins to say what stands below it. */
const titled = new Set("h1 h2 h3 h4 h5 h6 span a".split(" "))
const slug = /^[a-z\d]+(?:-[a-z\d]+){4}/u
/** Five words have more characters than this: most ids are told by their length. */
const slugMin = 20
/** The share of its words that the text says; a name has one of them in common with what it is the name of ("newsletter"). */
const slugShare = 0.5
/** Nobody gives a part a name of so many words. */
const sentenceMin = 8
const isSlug = (element: Element, id: string): boolean => {
  if (titled.has(element.tag)) return true
  if (id.length <= slugMin || !slug.test(id)) return false
  const parts = id.split("-")
  if (parts.length >= sentenceMin) return true
  const said = new Set(
    openingOf(element)
      .toLowerCase()
      .split(/[^a-z\d]+/u)
  )
  return parts.filter((it) => said.has(it)).length > parts.length * slugShare
}
/** Parts of an element that are looked at for its first words. */
const openingMax = 12
const openingOf = (element: Element): string => {
  const said: Array<string> = []
  const stack: Array<Node> = [element]
  for (let i = 0, node = stack.pop(); node !== undefined && i < openingMax; i++, node = stack.pop()) {
    if (typeof node === "string") said.push(node.slice(0, namesMax))
    else stack.push(...node.children.slice(0, openingMax).toReversed())
  }
  return said.join(" ")
}
/** Names are cut here before they are matched. */
const namesMax = 200

const signature = (element: Element): string => {
  const list = element.attributes
  let names = ""
  for (let i = 0; i < list.length; i += 2) {
    const name = list[i]
    if (
      name === "class" ||
      (name === "id" && !isSlug(element, list[i + 1] ?? "")) ||
      name === "data-testid" ||
      name === "data-component" ||
      name === "data-qa"
    )
      names = names === "" ? (list[i + 1] ?? "") : `${names} ${list[i + 1]}`
  }
  return names.length > namesMax ? names.slice(0, namesMax) : names
}

const kindOf = (names: string): Kind | null => {
  if (postClasses.test(names)) return "body"
  const parts = partsOf(names.replace(utility, " "))
  return table[rowOf(parts)]?.[0] ?? null
}

/** Names remembered: those of the few sites whose pages are read by turns. */
const rememberedMax = 20_000
const remembered = new Map<string, Kind | null>()

/** Which kind an element's names say it is, or null. Remembers names, as a page and a site repeat them. */
export const kindByName = (element: Element): Kind | null => {
  if (element.attributes.length === 0 || element.tag === "body" || element.tag === "html") return null
  const names = signature(element)
  if (names === "") return null
  const known = remembered.get(names)
  if (known !== undefined) return known
  const kind = kindOf(names)
  if (remembered.size >= rememberedMax) remembered.clear()
  remembered.set(names, kind)
  return kind
}
