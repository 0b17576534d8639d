#!/usr/bin/env bun
/**
 * Lists the proofs, or runs one: each is a program `bench/proofs/NAME.ts` whose first line is its name and its bar. It
 * sets up what it needs, prints a table and its figure last, and exits 0 only if the bar holds.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

export interface Listed {
  readonly name: string
  readonly bar: string
}

const folder = join(import.meta.dir, "proofs")

/** `/** Proof NAME: the bar. ` as the first line of a file makes it a proof. */
export const listed = (): ReadonlyArray<Listed> =>
  readdirSync(folder)
    .sort()
    .flatMap((file) => {
      const text = readFileSync(join(folder, file), "utf8")
      const [, name, bar] = /^(?:#!.*\n)?\/\*\*\s*(?:\*\s*)?Proof ([\w-]+): (.+?)(?:\s*\*\/)?\s*$/m.exec(text) ?? []
      return name === undefined || bar === undefined || `${name}.ts` !== file ? [] : [{ name, bar }]
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
