import type { Hints, Link } from "../reading.ts"
import type { XmlElement } from "../xml.ts"

/** What reading a feed needs to know besides its text. */
export interface FeedHints extends Pick<typeof Hints.Type, "url" | "fetched_at" | "zone" | "country"> {
  /** What the answer's `Content-Language` says: used where the feed is silent. */
  readonly language?: string
}

/** The document an item stands in: its root tells the vocabulary, its base what relative addresses mean. */
export interface Source {
  readonly root: XmlElement
  /** Where no `xml:base` is in force. */
  readonly base: string
}

/** One item. Texts are as the feed gives them (possibly HTML), decoded once; instants are ISO 8601 in UTC. */
export interface FeedEntry {
  readonly title: string | null
  /** Absolute where it could be resolved. */
  readonly link: string | null
  readonly id: string | null
  readonly published: string | null
  readonly updated: string | null
  readonly author: string | null
  readonly summary: string | null
  readonly content: string | null
  readonly language: string | null
  readonly tags: ReadonlyArray<string>
}

export interface Feed {
  readonly kind: "rss" | "rdf" | "atom" | "json" | "unknown"
  readonly title: string | null
  readonly subtitle: string | null
  readonly link: string | null
  readonly language: string | null
  readonly id: string | null
  readonly author: string | null
  readonly published: string | null
  readonly updated: string | null
  readonly entries: ReadonlyArray<FeedEntry>
  /** The items' pages, in the feed's order, without repetition. */
  readonly links: ReadonlyArray<typeof Link.Type>
  /** Faults that were repaired, and `feed_items_capped`. */
  readonly flags: ReadonlyArray<string>
}
