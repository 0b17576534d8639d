import { type Fields, isFields, listOf, readJson, textOf } from "./json.ts"

/** What the JSON-LD of a page says of its article. */
export interface Linked {
  readonly article: Fields | null
  readonly byId: ReadonlyMap<string, Fields>
  readonly nodes: ReadonlyArray<Fields>
}

/** Nodes read per page. */
const nodesMax = 2000
const articleType = /(?:Article|BlogPosting|LiveBlog|Report|Posting|Review|Analysis)/u
const notArticle = /^(?:JobPosting|ReviewAction|AggregateRating|ClaimReview)$/u
const weakType =
  /^(?:WebPage|ItemPage|VideoObject|NewsVideo|AudioObject|Podcast|PodcastEpisode|Recipe|Event|Product|CreativeWork|WebContent|AboutPage|FAQPage|Question|HowTo)/u

export const typesOf = (node: Fields): ReadonlyArray<string> =>
  listOf(node["@type"])
    .filter((it): it is string => typeof it === "string")
    .map((it) => it.replace(/^.*[/#:]/u, ""))

const isArticle = (node: Fields): boolean => typesOf(node).some((it) => articleType.test(it) && !notArticle.test(it))

/** Flattens `@graph`s, lists and nested nodes, breadth first, without recursion. */
const flatten = (roots: ReadonlyArray<unknown>): Array<Fields> => {
  const nodes: Array<Fields> = []
  const queue: Array<unknown> = [...roots]
  for (let i = 0; i < queue.length && nodes.length < nodesMax; i++) {
    const it = queue[i]
    if (Array.isArray(it)) for (const inner of it.slice(0, nodesMax)) queue.push(inner)
    else if (isFields(it)) {
      nodes.push(it)
      for (const value of Object.values(it)) if (typeof value === "object" && value !== null) queue.push(value)
    }
  }
  return nodes
}

const sameAddress = (a: string, b: string): boolean => bare(a) === bare(b)
const bare = (url: string): string =>
  url
    .replace(/^https?:\/\/(?:www\.|m\.|amp\.)?/u, "")
    .replace(/[?#].*$/u, "")
    .replace(/\/$/u, "")

const addressesOf = (node: Fields): ReadonlyArray<string> => {
  const entity = node.mainEntityOfPage
  return [node.url, node["@id"], isFields(entity) ? (entity["@id"] ?? entity.url) : entity].filter(
    (it): it is string => typeof it === "string" && it !== ""
  )
}

/** The node that speaks of this very page: an article with its address, else the article that says most. */
const pick = (nodes: ReadonlyArray<Fields>, urls: ReadonlyArray<string>): Fields | null => {
  const worth = (node: Fields): number => {
    const own = addressesOf(node).some((it) => urls.some((url) => sameAddress(it, url)))
    const says = ["headline", "datePublished", "author", "articleBody"].filter((it) => node[it] !== undefined).length
    // The posts of a live blog are articles with its address.
    const isWhole = typesOf(node).includes("LiveBlogPosting")
    return (isArticle(node) ? 20 : 0) + (own ? 10 : 0) + (isWhole ? 10 : 0) + says * 2
  }
  const candidates = nodes.filter(
    (it) =>
      (isArticle(it) || typesOf(it).some((type) => weakType.test(type))) &&
      (it.headline ?? it.datePublished ?? it.author) !== undefined
  )
  const [first] = candidates
    .map((node, i) => ({ node, value: worth(node) - i * 0.01 }))
    .toSorted((a, b) => b.value - a.value)
  return first?.node ?? null
}

export const readLinked = (scripts: ReadonlyArray<string>, urls: ReadonlyArray<string>): Linked => {
  const nodes = flatten(scripts.map(readJson))
  const byId = new Map<string, Fields>()
  for (const node of nodes) {
    const id = node["@id"]
    // A reference has nothing but its id; the node itself says more.
    if (typeof id === "string" && Object.keys(node).length > Object.keys(byId.get(id) ?? {}).length) byId.set(id, node)
  }
  return { article: pick(nodes, urls), byId, nodes }
}

/** Follows `{"@id": …}` to the node it names. */
export const deref = (linked: Linked, value: unknown): unknown => {
  if (!isFields(value)) return value
  const id = value["@id"]
  return typeof id === "string" && value.name === undefined ? (linked.byId.get(id) ?? value) : value
}

/** Names of the people or bodies a field states, references followed. */
export const namesOf = (linked: Linked, value: unknown): ReadonlyArray<string> =>
  listOf(value).flatMap((it) => {
    const node = deref(linked, it)
    if (Array.isArray(node)) return namesOf(linked, node)
    if (isFields(node)) {
      const name = node.name
      if (Array.isArray(name)) return name.filter((each): each is string => typeof each === "string")
      if (name === undefined && (node.givenName ?? node.familyName) !== undefined)
        return [[textOf(node.givenName), textOf(node.familyName)].filter((each) => each !== null).join(" ")]
      return textOf(name) === null ? [] : [textOf(name) ?? ""]
    }
    return typeof node === "string" && node.trim() !== "" ? [node.trim()] : []
  })

/** The address of the first image a field states. */
export const imageOf = (linked: Linked, value: unknown): string | null => {
  for (const it of listOf(value)) {
    const node = deref(linked, it)
    if (typeof node === "string" && node !== "") return node
    if (!isFields(node)) continue
    const url = textOf(node.url) ?? textOf(node.contentUrl)
    if (url !== null) return url
  }
  return null
}
