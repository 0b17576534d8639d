/** The hosts of the web and what they publish: facts only, no markup. */

import { headline, type Language, paragraph, reporter, section, subheading } from "./prose.ts"
import { dice, fraction } from "./random.ts"

/** How a host lays out its articles. `portal` resembles the large Korean news portal. */
export const layouts = ["semantic", "breaks", "microdata", "soup", "sections", "table", "portal"] as const
export type Layout = (typeof layouts)[number]

export interface Host {
  /** 0 is the first. */
  readonly index: number
  readonly address: string
  readonly origin: string
  readonly name: string
  readonly language: Language
  readonly charset: "utf-8" | "euc-kr"
  /** Where an EUC-KR host says so: in the header too, or in the page alone. */
  readonly declares: "header" | "meta"
  readonly layout: Layout
}

export interface Block {
  readonly kind: "paragraph" | "heading" | "quote"
  readonly text: string
}

export interface Article {
  readonly host: Host
  /** Counts up with time: the newest article of a host has the highest number. */
  readonly number: number
  readonly path: string
  readonly url: string
  readonly title: string
  readonly author: string
  readonly section: string
  readonly published: Date
  readonly blocks: readonly Block[]
}

const PER_OCTET = 250
/** 127.0.1.1 … 127.0.1.250, 127.0.2.1 …: all of 127/8 is loopback on Linux. */
export const address = (index: number): string =>
  `127.0.${1 + Math.floor(index / PER_OCTET)}.${1 + (index % PER_OCTET)}`

/** Korea has had no daylight saving time since 1988: nine hours, always. */
const KST_MS = 9 * 3_600_000
/** Local Korean time with its offset, as news pages write it. */
export const korea = (instant: Date): string =>
  `${new Date(instant.getTime() + KST_MS).toISOString().slice(0, 19)}+09:00`

export const host = (
  seed: number,
  index: number,
  port: number,
  eucKrShare: number,
  layout: Layout | undefined
): Host => {
  const legacy = fraction(seed, `charset ${index}`) < eucKrShare
  const chosen = layout ?? layouts[index % layouts.length] ?? "semantic"
  const korean = legacy || chosen === "portal" || fraction(seed, `language ${index}`) < 0.5
  const language: Language = korean ? "ko" : "en"
  return {
    index,
    address: address(index),
    origin: `http://${address(index)}:${port}`,
    name: language === "ko" ? `새벽일보 ${index + 1}` : `The Fixture Courier ${index + 1}`,
    language,
    charset: legacy ? "euc-kr" : "utf-8",
    declares: fraction(seed, `declares ${index}`) < 0.5 ? "meta" : "header",
    layout: chosen
  }
}

const blocksOf = (seed: number, name: string, language: Language): Block[] => {
  const throws = dice(seed, `body ${name}`)
  return Array.from({ length: 7 + throws.whole(16) }, (_, at): Block[] => [
    ...(at > 2 && throws.chance(0.12) ? [{ kind: "heading" as const, text: subheading(throws, language) }] : []),
    { kind: throws.chance(0.06) ? "quote" : "paragraph", text: paragraph(throws, language) }
  ]).flat()
}

/** The portal names an article by publisher and article, others by day and number. */
const pathOf = (host: Host, number: number, published: Date): string =>
  host.layout === "portal"
    ? `/article/${String(host.index % 1000).padStart(3, "0")}/${String(number).padStart(10, "0")}`
    : `/news/${korea(published).slice(0, 10).replaceAll("-", "/")}/${100_000 + number}`

/** `revision` 0 is the text as first published; each later one adds a paragraph. */
export const article = (seed: number, host: Host, number: number, published: Date, revision: number): Article => {
  const name = `${host.index}/${number}`
  const throws = dice(seed, `article ${name}`)
  const path = pathOf(host, number, published)
  const added = Array.from(
    { length: revision },
    (_, at): Block => ({
      kind: "paragraph",
      text: paragraph(dice(seed, `revision ${name}/${at}`), host.language)
    })
  )
  return {
    host,
    number,
    path,
    url: host.origin + path,
    title: headline(throws, host.language, number),
    author: reporter(throws, host.language),
    section: section(throws, host.language),
    published,
    blocks: [...blocksOf(seed, name, host.language), ...added]
  }
}

export const bodyOf = (article: Article): string => article.blocks.map(({ text }) => text).join("\n\n")
