#!/usr/bin/env bun
/**
 * Lists the proofs, or runs one: each is a program `bench/proofs/NAME.ts` whose docstring opens with its claim and its bar. It
 * sets up what it needs, prints a table and its figure last, and exits 0 only if the bar holds.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

export interface Listed {
  readonly name: string
  readonly bar: string
}

const folder = join(import.meta.dir, "proofs")

/** The first docstring of a file as one line, up to its first empty line. */
const opening = (text: string): string =>
  (/\/\*\*([\s\S]*?)\*\//.exec(text)?.[1] ?? "")
    .split("\n")
    .map((it) => it.replace(/^\s*\*? ?/, "").trim())
    .join("\n")
    .trim()
    .split("\n\n", 1)
    .join("")
    .replaceAll("\n", " ")

/** A file whose docstring opens with `Proof NAME: …`, or that states a `Claim:` and its `Bar:`, is a proof. */
export const listed = (): ReadonlyArray<Listed> =>
  readdirSync(folder)
    .sort()
    .flatMap((file) => {
      const name = file.replace(/\.ts$/, "")
      const bar = /^(?:Proof [\w-]+|Claim): (.+)$/.exec(opening(readFileSync(join(folder, file), "utf8")))?.[1]
      return bar === undefined ? [] : [{ name, bar }]
    })

const main = async (name: string | undefined, rest: readonly string[]): Promise<number> => {
  const proofs = listed()
  const wide = Math.max(...proofs.map((it) => it.name.length))
  if (name === undefined) {
    for (const it of proofs) console.log(`${it.name.padEnd(wide)}  ${it.bar}`)
    return 0
  }
  if (!proofs.some((it) => it.name === name)) {
    console.error(`There is no proof ${JSON.stringify(name)}; there are ${proofs.map((it) => it.name).join(", ")}.`)
    return 64
  }
  return Bun.spawn([process.execPath, join(folder, `${name}.ts`), ...rest], { stdio: ["ignore", "inherit", "inherit"] })
    .exited
}

if (import.meta.main) process.exit(await main(process.argv[2], process.argv.slice(3)))
