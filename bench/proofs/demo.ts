/** Proof demo: `make demo` in a fresh clone prints at least 20 articles within 60 s, set-up included. */
import { join } from "node:path"
import { prove, root, run } from "./proof.ts"

const ARTICLES_MIN = 20
const SECONDS_MAX = 60

await prove(async ({ folder }) => {
  const clone = join(folder, "clone")
  const cloned = await run(["git", "clone", "--quiet", root, clone])
  if (cloned.code !== 0) throw new Error(cloned.stderr)
  const demo = await run(["make", "demo"], { cwd: clone, seconds: 300 })
  if (demo.code !== 0) console.error(demo.stderr.slice(-2000))
  const articles = demo.stdout.split("\n").filter((it) => /^\d{4}-\d\d-\d\d \d\d:\d\d {2}\S/.test(it)).length
  return {
    rows: [{ step: "make demo", exit: demo.code, articles, seconds: demo.seconds.toFixed(1) }],
    figure: `demo: ${articles} dated articles in ${demo.seconds.toFixed(1)} s from a fresh clone`,
    holds: demo.code === 0 && articles >= ARTICLES_MIN && demo.seconds <= SECONDS_MAX
  }
})
