import { expect, test } from "bun:test"
import { page, readText } from "./extract/pages.ts"

const lines = (n: number, of: string) =>
  Array.from(
    { length: n },
    (_, at) => `<p>${of} ${at}: 이 상품은 가볍고 튼튼하며 물에 강하다고 제조사가 밝혔다.</p>`
  ).join("")
const product = (description = "") =>
  `<script type="application/ld+json">${JSON.stringify({ "@type": "Product", name: "Zero", offers: { price: 3 }, description })}</script>`
const read = (body: string, head: string) =>
  readText(page(body, head), { url: "https://shop.example/p/zero", expected: "article" }).content?.text ?? ""

test("a shop's page speaks of its thing from the name on, up to reviews and other things", () => {
  const text = read(
    `<p>무료 배송 안내 문구가 위에 있다</p><h1>Zero</h1>${lines(8, "설명")}<h2>Customer Reviews</h2>${lines(8, "후기")}`,
    product()
  )
  expect(text).toContain("설명 7")
  expect(text).not.toContain("후기 0")
  expect(text).not.toContain("무료 배송")
})
test("a description that is stated and not shown is taken, one that is shown is not taken twice", () => {
  const stated = "Light shoes for long walks, made of wool and cork. ".repeat(4).trim()
  expect(read("<h1>Zero</h1><p>Only a few left</p>", product(stated))).toContain(stated)
  const shown = read(`<h1>Zero</h1><p>${stated}</p>${lines(3, "설명")}`, product(stated))
  expect(shown.split("Light shoes for long walks").length).toBe(5)
})
test("a shelf of things is read whole", () => {
  const shelf = { "@type": "CollectionPage", mainEntity: [{ "@type": "Product", name: "a" }] }
  const head = `<script type="application/ld+json">${JSON.stringify(shelf)}</script>`
  expect(read(`<h1>Boots</h1>${lines(8, "장화")}<h2>Reviews</h2>${lines(8, "후기")}`, head)).toContain("후기 7")
})
test("what a forum writes around a post is not what was posted", () => {
  const post = (at: number) =>
    `<div class=post><p>Joined: 5. Nov 2014</p><p>1,591 3 silver badges</p><p>The ${at}. thing to try is to restart the machine, and then to wait for it to come back.</p><p>Link to comment</p></div>`
  const { content } = readText(
    `<html id=XF><body><h1>How to do it</h1>${[1, 2, 3, 4].map(post).join("")}</body></html>`,
    {
      url: "https://forum.example/threads/how.1/",
      expected: "article"
    }
  )
  expect(content?.text).toContain("The 3. thing")
  for (const line of ["Joined", "silver badges", "Link to comment"]) expect(content?.text).not.toContain(line)
})
