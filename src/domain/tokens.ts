import { Tokenizer, type TokenizerCallbacks } from "htmlparser2"

/** What a document is made of, in its order. Texts and values are as written: no reference is decoded. */
export interface Tokens {
  readonly open: (name: string, attributes: Readonly<Record<string, string>>, isEmpty: boolean) => void
  readonly close: (name: string) => void
  readonly text: (text: string) => void
  /** Text of a CDATA section, which is text as it stands. */
  readonly cdata: (text: string) => void
}

/** Attributes kept of one element. */
const ATTRIBUTES_MAX = 200

/** Turns the tokenizer's positions into tokens. Nothing here depends on nesting, so any input takes linear time. */
class Reader implements TokenizerCallbacks {
  private tag = ""
  private attributes: Record<string, string> = {}
  private count = 0
  private name = ""
  private value = ""

  constructor(
    private readonly source: string,
    private readonly tokens: Tokens
  ) {}

  ontext(start: number, end: number): void {
    this.tokens.text(this.source.slice(start, end))
  }
  ontextentity(): void {}
  onopentagname(start: number, end: number): void {
    this.tag = this.source.slice(start, end)
    this.attributes = {}
    this.count = 0
  }
  onattribname(start: number, end: number): void {
    this.name = this.source.slice(start, end)
    this.value = ""
  }
  onattribdata(start: number, end: number): void {
    this.value += this.source.slice(start, end)
  }
  onattribentity(): void {}
  onattribend(): void {
    this.count += 1
    if (this.count <= ATTRIBUTES_MAX && !Object.hasOwn(this.attributes, this.name)) {
      this.attributes[this.name] = this.value
    }
  }
  onopentagend(): void {
    this.tokens.open(this.tag, this.attributes, false)
  }
  onselfclosingtag(): void {
    this.tokens.open(this.tag, this.attributes, true)
  }
  onclosetag(start: number, end: number): void {
    this.tokens.close(this.source.slice(start, end))
  }
  oncdata(start: number, end: number, offset: number): void {
    this.tokens.cdata(this.source.slice(start, end - offset))
  }
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}
}

/** Reads markup as a stream of tokens; never fails. In XML any element may be empty and CDATA counts. */
export const tokenize = (source: string, kind: "xml" | "html", tokens: Tokens): void => {
  const options = { xmlMode: kind === "xml", decodeEntities: false, recognizeSelfClosing: true }
  const tokenizer = new Tokenizer(options, new Reader(source, tokens))
  tokenizer.write(source)
  tokenizer.end()
}
