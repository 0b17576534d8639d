import { shapeOf } from "../list/looks.ts"
import { type Linked, typesOf } from "./linked.ts"
import { type Meta, metaOf } from "./meta.ts"

/** What a page says of itself in its head, its structured data and its address. */
export interface Said {
  readonly meta: Meta
  readonly linked: Linked
}

const articleTypes = /Article|BlogPosting|^Report/u
const generatorOf = ({ meta }: Said): string => metaOf(meta, "generator") ?? ""
/** Whether structured data, in a script or in the markup, names one of these types. */
const names = ({ linked, meta }: Said, ...types: ReadonlyArray<string>): boolean =>
  types.some((it) => meta.types.has(it)) || linked.nodes.some((node) => typesOf(node).some((it) => types.includes(it)))

/** The page's own node in JSON-LD is an article. */
export const isLinkedArticle = ({ linked }: Said): boolean =>
  linked.article !== null && typesOf(linked.article).some((it) => articleTypes.test(it))
/** Its markup says that something in it is an article. */
export const isMarkedArticle = ({ meta }: Said): boolean =>
  meta.props.has("articlebody") || [...meta.types].some((it) => articleTypes.test(it))

const forumSoftware = /phpbb|vbulletin|xenforo|discourse|discuz|mybb|invision|vanilla|nodebb|flarum|bbpress/iu
/** Classes and ids that forum software gives a page. */
const forumNames =
  /\s(?:#XF|#phpbb|#vbulletin_html|ipsApp|template-thread\w*|template-topic|single-topic|question-page)\s/iu
/** It says that it is a discussion, or its software does. */
export const isDiscussion = (said: Said): boolean =>
  names(said, "DiscussionForumPosting", "QAPage") ||
  forumSoftware.test(generatorOf(said)) ||
  forumNames.test(said.meta.names)

const forumAddress =
  /^https?:\/\/(?:www\.)?(?:forums?|community|discuss(?:ions?)?|boards?|discourse|talk)\.|\/(?:forums?|threads?|topics?\/\d|viewtopic|showthread|discussions?(?!-)|questions)(?:[/.?-]|\d|$)|\/thread-\d|\/t\/(?:[\w-]+\/\d|\d+\/)/iu
/** Its address is one of a discussion. */
export const isForumAddress = (url: string): boolean => forumAddress.test(url)

/** Something is sold here, and it is what the page is about. */
export const isProduct = (said: Said): boolean =>
  /product/iu.test(metaOf(said.meta, "og:type") ?? "") ||
  said.linked.nodes.some((it) => typesOf(it).includes("Product"))
/** One thing is sold here, not a shelf of them: a thing with a price or a number, in a few variants or in a group of them. */
export const isOneProduct = (said: Said, url: string): boolean => {
  if (thingAddress.test(url) && !writing.test(url)) return true
  const kind = metaOf(said.meta, "og:type") ?? ""
  if (/product\.group|product:group/iu.test(kind) || namesCollection(said)) return false
  const { nodes } = said.linked
  if (nodes.filter((it) => typesOf(it).includes("ProductGroup")).length === 1) return true
  const all = nodes.filter((it) => typesOf(it).includes("Product"))
  if (all.length > productsMax) return false
  return (
    /product/iu.test(kind) || said.meta.types.has("Product") || all.some((it) => (it.offers ?? it.sku) !== undefined)
  )
}
/** Where shops file things one by one ("product detail page", "item"). */
const thingAddress = /\/(?:pdp|dp|itm|ip|gp\/product)\/./u
/** A page of one thing may name its variants or a few things beside it. */
const productsMax = 4
export const namesProduct = (said: Said): boolean => names(said, "Product", "ProductGroup")
export const namesCollection = (said: Said): boolean =>
  names(said, "CollectionPage", "ItemList", "SearchResultsPage", "OfferCatalog")

const manualSoftware = /docusaurus|sphinx|docutils|mkdocs|gitbook|bookdown|vuepress|vitepress|doxygen|javadoc/iu
export const isManual = (said: Said): boolean =>
  manualSoftware.test(generatorOf(said)) || /\sdocs-(?:wrapper|doc-page)\s/iu.test(said.meta.names)

const postNames =
  /\s(?:single-post|post-template\S*|single-format-\S+|(?:page-)?node-type-(?:article|blog|news|story|post)\S*)\s/iu
const listNames = /\s(?:archive|category|tag|blog|search-results|post-type-archive\S*|tax-\S+|path-taxonomy)\s/iu
/** The classes by which a content system names a post, or a list of posts or goods. */
export const isPostPage = ({ meta }: Said): boolean => postNames.test(meta.names)
export const isListPage = ({ meta }: Said): boolean => listNames.test(meta.names)

const manualAddress =
  /^https?:\/\/(?:docs?|developers?|learn|api|help|support)\.|\/(?:docs?|documentation|reference|manual|api)(?:\/|$)/iu
const serviceAddress =
  /\/(?:services?|solutions?|products?|pages|pricing|plans|about(?:-us)?|contact|coupons|departments?|courses?|tools?|support|programs?)(?:\/|$)|\/(?:reviews|testimonials)\/?$/iu
const shopAddress =
  /\/(?:products?|shop|store|dp|items?|collections|c|cat|category|categories|app|market|browse|brands?)(?:\/|$)/iu
/** What stands below these is written to be read, whatever it stands in. */
const writing =
  /\/(?:(?:blogs?|news|nachrichten|noticias|notizie|actualites|articles?|artikel|magazine?|press(?:-releases?)?|insights|stories|posts?|advice|guides?|journal)\/.|(?:news|article)_?view\b)/iu

/** What an address says a page is. */
export interface Place {
  readonly article: boolean
  readonly sure: boolean
  readonly root: boolean
  /** Filed under a forum, a manual, services or goods: the headline that it seems to end in is their name then. */
  readonly filed: boolean
}
export const placeOf = (address: string): Place => {
  const url = URL.parse(address)
  const path = url?.pathname ?? "/"
  const shape = url === null ? null : shapeOf(url)
  const isOffer = (serviceAddress.test(path) || shopAddress.test(path)) && !writing.test(path)
  const filed = isOffer || manualAddress.test(address) || isForumAddress(address)
  const article = shape?.looks === "article" && !filed
  return {
    article,
    sure: article && shape.sure,
    root: path === "/" || /^\/(?:index|home|main)(?:\.\w+)?$/iu.test(path),
    filed
  }
}

/** What forum software writes around each post: who wrote it, since when they are there, what can be done with it. */
const furniture =
  /^[-\s]*(?:[\d.,k]+\s?)?\d+ (?:gold|silver|bronze) badges?|^[-\s]*(?:asked|answered|edited|modified|joined|location|posts?|messages|reaction score|points|trophy points|likes|reputation|member since|registered|thanks|rating|threads|beiträge|registriert|dabei seit|messages postés|inscrit)\b[:\s].{0,40}$|^[-\s]*(?:link to (?:comment|post)|share on other sites|sorted by.*|reset to default|highest score.*|reply|quote|report|share|like|multi-?quote|back to top|top|solution|op|author|new member|member|members|senior member|moderator|administrator|guest|active member|well-known member|distinguished|zitieren|antworten|melden)$|^[-\s]*\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?(?: [+]\d\d:\d\d)?$|^[-\s]*#?\d{1,5}$/iu
/** Such a line is no longer than this, in characters. */
const furnitureMax = 80
export const isFurniture = (text: string): boolean => text.length <= furnitureMax && furniture.test(text)
