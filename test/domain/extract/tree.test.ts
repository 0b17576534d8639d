import { describe, expect, test } from "bun:test"
import { blockText, inlineText, parse, select } from "../../../src/domain/tree.ts"

/** The tree as nested tags: `p(b)`, text left out. */
const shape = (html: string): string => {
  const tree = parse(html)
  const write = (order: number): string => {
    const element = tree.elements[order]
    if (element === undefined) return ""
    const inner = element.children.filter((it) => typeof it !== "string").map((it) => write(it.order))
    return `${element.tag}${inner.length === 0 ? "" : `(${inner.join(" ")})`}`
  }
  return write(0)
}

describe("the light tree follows the standard where a reader sees it", () => {
  const table: ReadonlyArray<readonly [name: string, html: string, expected: string]> = [
    ["a paragraph ends where a block begins", "<p>a<div>b</div>", "#root(p div)"],
    ["an unclosed inline tag does not keep a paragraph open", "<p><b>a<p>b", "#root(p(b) p)"],
    [
      "list items end each other, inner lists stay inside",
      "<ul><li>1<li>2<ul><li>3</ul><li>4</ul>",
      "#root(ul(li li(ul(li)) li))"
    ],
    ["cells and rows end each other", "<table><tr><td>1<td>2<tr><td>3</table>", "#root(table(tr(td td) tr(td)))"],
    [
      "a stray end tag in a cell closes nothing outside",
      "<div><table><tr><td>1</div>2</table>x</div>",
      "#root(div(table(tr(td))))"
    ],
    ["a link ends an open link", "<a>1<a>2</a>", "#root(a a)"],
    ["a misnested link leaves later blocks outside", "<a><div>1</a>2</div><p>3", "#root(a(div) p)"],
    ["void elements hold nothing", "<br>a<img>b<hr>", "#root(br img hr)"],
    ["the head ends where content begins", "<head><title>t</title><p>x", "#root(head(title) p)"],
    ["a second body opens nothing", "<body><p>1<body><p>2", "#root(body(p p))"],
    ["a CDATA section is a comment up to the next end of a tag", "<p>1</p><![CDATA[ x <b>y</b><p>2", "#root(p p)"],
    ["drawings are skipped, also unclosed ones", "<svg><title>x</title><p>out", "#root(svg p)"],
    [
      "a tag may be called like what every object has",
      "<div><constructor>x</constructor></div>",
      "#root(div(constructor))"
    ],
    ["end tags without a beginning are ignored", "</div></p>a<p>b</p></section>", "#root(p)"]
  ]
  for (const [name, html, expected] of table) test(name, () => expect(shape(html)).toBe(expected))
})

describe("text", () => {
  test("scripts and styles leave none, JSON-LD is kept apart", () => {
    const tree = parse(
      `<script>var a="<p>x</p>"</script><style>p{}</style><script type="application/ld+json">{"a":1}</script><p>t`
    )
    expect(inlineText(tree.root)).toBe("t")
    expect(tree.ld).toEqual(['{"a":1}'])
    expect(tree.scripts).toBe(1)
  })
  test("entities are decoded once", () =>
    expect(inlineText(parse("<p>&amp;amp; &#44032; &hellip;").root)).toBe("&amp; 가 …"))
  test("blocks and line breaks are lines, inline tags are not", () =>
    expect(blockText(parse("<div>a <b>b</b><br>c<p>d</p>e</div>").root)).toBe("a b\nc\nd\ne"))
})

describe("selectors", () => {
  const tree = parse(`<div id=a class="x y"><ul><li>1<li class=z>2</ul><p data-k="v">3</p></div><p>4`)
  const table: ReadonlyArray<readonly [css: string, texts: ReadonlyArray<string>]> = [
    ["#a > ul > li", ["1", "2"]],
    ["li:nth-child(2)", ["2"]],
    [".x.y p[data-k=v]", ["3"]],
    ["div + p", ["4"]],
    ["li:not(.z)", ["1"]],
    ["p:contains(4)", ["4"]],
    ["p[", []]
  ]
  for (const [css, texts] of table) test(css, () => expect(select(tree.root, css).map(inlineText)).toEqual([...texts]))
})

describe("bounds", () => {
  const count = 200_000
  const deep: ReadonlyArray<readonly [name: string, html: string]> = [
    ["nested blocks", `${"<div>".repeat(count)}x${"</div>".repeat(count)}`],
    ["misnested inline tags", `${"<b><div>".repeat(count / 2)}x${"</b>".repeat(count)}`],
    ["unclosed links in blocks", "<a><div></a>".repeat(count / 2)],
    ["unclosed quotes", `<p title="${"<p>".repeat(count)}`]
  ]
  for (const [name, html] of deep) {
    test(`${name} by the hundred thousand are read without recursion`, () => {
      const tree = parse(html)
      expect(Math.max(...tree.elements.slice(0, 1000).map((it) => it.depth))).toBeLessThanOrEqual(300)
      expect(blockText(tree.root).length).toBeLessThan(10)
    })
  }
  test("what was cut is flagged", () => {
    expect(parse(deep[0]![1]).flags).toContain("tree_deep")
    expect(parse("<i></i>".repeat(300_010)).flags).toContain("tree_cut")
  })
})
