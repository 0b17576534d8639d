import { expect, test } from "bun:test"
import { signed } from "../../src/infra/s3/signature.ts"

/** @source AWS, "Examples of signature calculations in AWS Signature Version 4" for S3: GET object, and list objects. */
const keys = { id: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" }
const at = new Date("2013-05-24T00:00:00Z")
const ask = (href: string, headers: Record<string, string> = {}) =>
  signed({ method: "GET", url: new URL(href), headers, body: new Uint8Array() }, keys, "us-east-1", at).authorization

test("an object's request is signed as the vendor's example is", () => {
  expect(ask("https://examplebucket.s3.amazonaws.com/test.txt", { range: "bytes=0-9" })).toEndWith(
    "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
  )
})

test("a listing's query is part of the signature, as in the vendor's example", () => {
  expect(ask("https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J")).toEndWith(
    "Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
  )
})
