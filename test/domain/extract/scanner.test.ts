import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { Tokenizer } from "htmlparser2"
import { type Marks, scan } from "../../../src/domain/extract/scanner.ts"
import { law } from "../../support/law.ts"
import { layouts, page } from "./pages.ts"

/** What a scanner said, as lines; texts that follow each other are one. */
class Said {
  readonly lines: Array<string> = []
  private gathered = ""
  say(line: string): void {
    if (this.gathered !== "") this.lines.push(JSON.stringify(this.gathered))
    this.gathered = ""
    if (line !== "") this.lines.push(line)
  }
  text(text: string): void {
    this.gathered += text
  }
  open(tag: string, attributes: ReadonlyArray<string>, closed: boolean): void {
    this.say(
      `<${[tag, ...attributes.map((it, at) => (at % 2 === 0 ? it : `(${it})`))].join(" ")}${closed ? " /" : ""}>`
    )
  }
  close(tag: string): void {
    this.say(`</${tag}>`)
  }
}

const scanned = (html: string, isForeign = false): ReadonlyArray<string> => {
  const said = new Said()
  const marks: Marks = {
    isForeign,
    keepsBlanks: true,
    text: (text) => said.text(text),
    open: (tag, attributes, closed) => said.open(tag, attributes, closed),
    close: (tag) => said.close(tag)
  }
  scan(html, marks)
  said.say("")
  return said.lines
}

/** The same, said by a tokenizer that looks at one character at a time. */
const expected = (html: string): ReadonlyArray<string> => {
  const said = new Said()
  let [tag, name, value] = ["", "", ""]
  let attributes: Array<string> = []
  const ignored = () => {}
  const tokenizer = new Tokenizer(
    {},
    {
      ontext: (from, to) => said.text(html.slice(from, to)),
      ontextentity: (point) => said.text(String.fromCodePoint(point)),
      onopentagname: (from, to) => {
        tag = html.slice(from, to).toLowerCase()
        attributes = []
      },
      onattribname: (from, to) => {
        name = html.slice(from, to).toLowerCase()
        value = ""
      },
      onattribdata: (from, to) => {
        value += html.slice(from, to)
      },
      onattribentity: (point) => {
        value += String.fromCodePoint(point)
      },
      onattribend: () => attributes.push(name, value),
      onopentagend: () => said.open(tag, attributes, false),
      onselfclosingtag: () => said.open(tag, attributes, true),
      onclosetag: (from, to) => said.close(html.slice(from, to).toLowerCase()),
      oncdata: ignored,
      oncomment: ignored,
      ondeclaration: ignored,
      onprocessinginstruction: ignored,
      onend: () => said.say("")
    }
  )
  tokenizer.write(html)
  tokenizer.end()
  return said.lines
}

describe("a page is split into text and tags by the rules of the standard", () => {
  const table: ReadonlyArray<readonly [name: string, html: string, lines: ReadonlyArray<string>]> = [
    ["a `<` before no letter is text", "a < b <3 <", ['"a < b <3 <"']],
    ["`</` at the end is text, `</>` is nothing", "a</>b</", ['"ab</"']],
    ["names are in lower case", "<P CLASS=A>x</P>", ["<p class (A)>", '"x"', "</p>"]],
    ["attributes without value, quotes or blanks", `<a b c=d e='f>'g="h&amp;i"/>`, ["<a b () c (d) e (f>) g (h&i) />"]],
    ["a slash in a value without quotes is part of it", "<a href=/x/>y", ["<a href (/x/)>", '"y"']],
    ["a name may begin with `=`", "<a =b =c>", ["<a =b (c)>"]],
    [
      "a reference without semicolon ends at a letter in a value only",
      `<a b="?x&copy=1&copy">&copyx`,
      ["<a b (?x&copy=1©)>", '"©x"']
    ],
    ["references without meaning stay", "&; &x; &#; &#x; &nope;", ['"&; &x; &#; &#x; &nope;"']],
    ["bad code points", "&#0;&#x110000;&#128;", ['"\ufffd\ufffd€"']],
    [
      "comments end at the first end",
      "a<!-->b<!--->c<!-- x --!>d<!-- -- -->e<!x>f<?x>g</ x>h<!doctype html>i",
      ['"abcdefghi"']
    ],
    ["a CDATA section is a comment up to the next `>`", "a<![CDATA[x>b]]>c", ['"ab]]>c"']],
    [
      "a body of raw text ends at its own end tag only",
      "<script>a</b></scripts><!--</SCRIPT >c",
      ["<script>", '"a</b></scripts><!--"', "</script>", '"c"']
    ],
    [
      "references count in a title, not in a style",
      "<title>&lt;b></title><style>&lt;</style>",
      ["<title>", '"<b>"', "</title>", "<style>", '"&lt;"', "</style>"]
    ],
    ["a reference behind a `<` in a title counts", "<title><&amp;</title>", ["<title>", '"<&"', "</title>"]],
    [
      "a script within a script's comment ends first, and the comment's end ends both",
      "<script><!-- <script> </script> a --></script>b<script><!--><script></script>c",
      [
        "<script>",
        '"<!-- <script> </script> a -->"',
        "</script>",
        '"b"',
        "<script>",
        '"<!--><script>"',
        "</script>",
        '"c"'
      ]
    ],
    [
      "a script's comment that begins none ends with it",
      "<script><!-- <scripts> </script>a",
      ["<script>", '"<!-- <scripts> "', "</script>", '"a"']
    ],
    ["nothing ends plain text", "<plaintext>a</plaintext>&amp;", ["<plaintext>", '"a</plaintext>&amp;"']],
    ["what ends before its `>` is dropped", "a<b c=d", ['"a"']],
    ["a tag cut at its slash is dropped", "a<b /", ['"a"']],
    ["an end tag cut behind its name leaves nothing", "a</b x", ['"a"', "</b>"]],
    ["an open comment hides the rest", "a<!-- <b>", ['"a"']],
    ["an open quote hides the rest", `a<b c="d><e>`, ['"a"']]
  ]
  for (const [name, html, lines] of table) test(name, () => expect(scanned(html)).toEqual(lines))
  test("in a drawing no body is raw text, and a CDATA section is one", () =>
    expect(scanned("<title><b></title><![CDATA[><p>]]>", true)).toEqual(["<title>", "<b>", "</title>"]))
})

const bits = [
  ..."<>\"'&=/ \n\t\0é",
  ..."&amp &amp; &copy= &#x &#0; &#128; <!-- --> --!> <! <? </ /> <script> </script <style> </style> <title> </title>".split(
    " "
  ),
  ..."<textarea> </textarea> <iframe> </iframe> <SCRIPT/ </p <p/ <a <b=c <xmp </xmp <!-> <!---> -- <svg> </svg> <a/".split(
    " "
  )
]
/** The other one overlooks a reference right behind the beginning of an end tag in a title, and comments in scripts. */
const agreed = (html: string): string =>
  html.replaceAll(/(<\/?[a-z]*)&/gi, "$1 &").replace(/<script[\s\S]*$/i, (it) => it.replaceAll(/<!-+/g, "<!"))
/** Closes whatever is open, as what a tokenizer does with a tag that the page's end cuts is not at issue. */
const ending = `"'>"'> --></title></textarea></script></style></iframe></xmp><br>`

describe("another tokenizer hears the same", () => {
  const pages = layouts.map(([, html]) => page(html))
  for (const [at, [name]] of layouts.entries())
    test(`on a page of the layout ${name}`, () => expect(scanned(pages[at] ?? "")).toEqual(expected(pages[at] ?? "")))
  const cut = 400
  law(
    "on pages of which pieces are missing, with pieces of markup put in anywhere",
    Schema.Array(Schema.Int),
    (numbers) => {
      const pieces = numbers.flatMap((it) => {
        const [n, [, html]] = [Math.abs(it), layouts[Math.abs(it) % layouts.length] ?? ["", ""]]
        return [html.slice(n % html.length, (n % html.length) + (n % cut)), bits[n % bits.length] ?? ""]
      })
      for (const some of [pieces, pieces.filter((_, at) => at % 2 === 1)]) {
        const html = agreed(some.join("")) + ending
        expect(scanned(html)).toEqual(expected(html))
      }
      return true
    },
    { runs: 1000, size: 40 }
  )
})
