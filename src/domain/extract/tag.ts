const set = (names: string): ReadonlySet<string> => new Set(names.split(" "))

/** Elements that begin a new line of text. */
const blocks = set(
  "#root html body address article aside blockquote canvas center dd details dialog dir div dl dt fieldset figcaption " +
    "figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing main menu nav noscript ol " +
    "optgroup option p plaintext pre search section select summary table tbody td template textarea tfoot th thead " +
    "tr ul video audio object iframe xmp"
)
/** Elements whose text is none of the page's, and those whose text is none of the elements around them. */
const unread = set(
  "title script style template noscript textarea svg math iframe object embed select option datalist head button " +
    "input canvas audio video map dialog progress meter rt rp"
)
const silent = set("script style template noscript textarea svg iframe object select rt rp")
/** Inline elements that stand within words: in what begins or ends with others, a style sheet may part the words. */
const within = set("b strong i em u sub sup small big mark font ins del s abbr wbr br")

const voids = set("area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr")
/** An open `<p>` ends where one of these begins. */
const endsParagraph = set(
  "address article aside blockquote center details dialog dir div dl dd dt fieldset figcaption figure footer form " +
    "h1 h2 h3 h4 h5 h6 header hgroup hr li main menu nav ol p pre section table ul"
)
/** Elements whose end an inline end tag does not cross, and at which the search for an open `<p>` stops. */
const special = set(
  "#root html body address article aside blockquote center details dialog div dl dd dt fieldset figcaption figure " +
    "footer form header li main menu nav ol section summary table tbody td tfoot th thead tr ul template h1 h2 h3 h4 " +
    "h5 h6 button object"
)
/** A cell is a wall: an end tag inside it closes nothing outside, unless it belongs to the table itself. */
const walls = set("td th caption template")
const ofTable = set("table tbody thead tfoot tr td th caption")
const formatting = set("a b big code em font i nobr s small span strike strong tt u ins del mark abbr label sub sup q")
const inHead = set("title meta link base script style noscript template basefont bgsound")
/** Tags that break out of an unclosed `<svg>` or `<math>` (HTML, 13.2.6.5). */
const breaksOut = set("body div p h1 h2 h3 h4 h5 h6 ul ol li table section article main footer header nav figure img")
/** Bodies that are never text. `noembed`, `noframes` and `iframe` hold markup as text. */
const dropped = set("script style iframe noembed noframes xmp")

interface Ends {
  readonly ends: ReadonlySet<string>
  readonly within: ReadonlySet<string>
}
/** The tag begun, and which open siblings it ends, up to the given parents. */
const siblings: ReadonlyMap<string, Ends> = new Map(
  Object.entries({
    li: { ends: set("li"), within: set("ul ol menu dir") },
    dt: { ends: set("dt dd"), within: set("dl") },
    dd: { ends: set("dt dd"), within: set("dl") },
    tr: { ends: set("tr"), within: set("table tbody thead tfoot") },
    td: { ends: set("td th"), within: set("tr table") },
    th: { ends: set("td th"), within: set("tr table") },
    tbody: { ends: set("tbody thead tfoot"), within: set("table") },
    tfoot: { ends: set("tbody thead tfoot"), within: set("table") },
    thead: { ends: set("tbody thead tfoot"), within: set("table") },
    option: { ends: set("option"), within: set("select optgroup datalist") },
    optgroup: { ends: set("option optgroup"), within: set("select") },
    a: { ends: set("a"), within: set("td th table object template") }
  })
)

/** What is known of a tag: asked of these sets once, not for each element. */
class Traits {
  readonly isBlock: boolean
  readonly isUnread: boolean
  readonly isSilent: boolean
  readonly isWithin: boolean
  readonly isVoid: boolean
  readonly isSpecial: boolean
  readonly isWall: boolean
  readonly isOfTable: boolean
  readonly isFormatting: boolean
  readonly isDropped: boolean
  readonly isForeign: boolean
  readonly staysInHead: boolean
  readonly breaksOut: boolean
  readonly endsParagraph: boolean
  readonly ends: Ends | undefined
  /** h1..h6 as 1..6, else 0. */
  readonly heading: number
  readonly isItem: boolean
  readonly isCell: boolean
  constructor(name: string) {
    this.isBlock = blocks.has(name)
    this.isUnread = unread.has(name)
    this.isSilent = silent.has(name)
    this.isWithin = within.has(name)
    this.isVoid = voids.has(name)
    this.isSpecial = special.has(name)
    this.isWall = walls.has(name)
    this.isOfTable = ofTable.has(name)
    this.isFormatting = formatting.has(name)
    this.isDropped = dropped.has(name)
    this.isForeign = name === "svg" || name === "math"
    this.staysInHead = inHead.has(name)
    this.breaksOut = breaksOut.has(name)
    this.endsParagraph = endsParagraph.has(name)
    this.ends = siblings.get(name)
    this.heading = /^h[1-6]$/u.test(name) ? Number(name.slice(1)) : 0
    this.isItem = name === "li" || name === "dd" || name === "dt"
    this.isCell = name === "td" || name === "th"
  }
}

export type { Traits }

const told: ReadonlyMap<string, Traits> = new Map(
  [
    blocks,
    unread,
    silent,
    within,
    voids,
    endsParagraph,
    special,
    walls,
    ofTable,
    formatting,
    inHead,
    breaksOut,
    dropped
  ]
    .flatMap((it) => [...it])
    .map((name) => [name, new Traits(name)])
)
const plain = new Traits("")

/** What is known of a tag, by its name in lower case; nothing is known of names that are not HTML's. */
export const traitsOf = (name: string): Traits => told.get(name) ?? plain
