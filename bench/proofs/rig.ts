/** The rig that measures crawlers beside each other: a news site of its own and peers to compare with. */
import { cpSync, existsSync } from "node:fs"
import { join } from "node:path"
import { Missing, root, run, shared } from "./proof.ts"

const DEBIAN = [
  "python3-scrapy",
  "python3-readability",
  "golang-github-puerkitobio-goquery-dev",
  "golang-golang-x-text-dev"
]

/** The folder of the measuring rig, with the peers that can be installed; one that stays missing has no figures, and the rest still run. */
export const rig = async (): Promise<string> => {
  const bench = join(root, ".bench")
  const source = join(shared, "bench")
  if (!existsSync(source)) throw new Missing(`the rig (${source}) is not on this machine`)
  if (!existsSync(bench)) cpSync(source, bench, { recursive: true })
  await run(["chmod", "-R", "u+w", bench])
  const attempts: ReadonlyArray<readonly [boolean, readonly string[]]> = [
    [!existsSync(join(bench, "node_modules", "crawlee")), ["npm", "install", "--no-audit", "--no-fund"]],
    [
      (await run(["/usr/bin/python3", "-c", "import scrapy, readability"])).code !== 0 ||
        !existsSync("/usr/share/gocode/src/github.com/PuerkitoBio/goquery"),
      ["apt-get", "install", "-y", "-q", ...DEBIAN, ...(Bun.which("go") === null ? ["golang-go"] : [])]
    ],
    [
      !existsSync(join(bench, "peers", "goquery")),
      ["sh", "-c", "cd peers && GO111MODULE=off GOPATH=/usr/share/gocode go build -o goquery goquery.go"]
    ]
  ]
  for (const [needed, command] of attempts) {
    if (!needed) continue
    const done = await run(command, { cwd: bench, seconds: 900 })
    if (done.code !== 0) console.error(`${command.slice(0, 3).join(" ")} failed: ${done.stderr.slice(-500)}`)
  }
  return bench
}
