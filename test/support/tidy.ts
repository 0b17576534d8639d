import { posix } from "node:path"
import { codeOf, importsOf } from "./code.ts"

/** A source file: its path from the root of the repository, and its text. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

/** Longest a file may be, in lines; and what the middle one should not exceed. */
export const fileLinesMax = 300
export const medianLinesMax = 120

/** The layers, inner first: a layer imports itself and the ones named. */
const layers: Readonly<Record<string, ReadonlyArray<string>>> = {
  "src/domain": ["src/domain"],
  "src/streams": ["src/domain", "src/streams"],
  // `dist` holds files made by the build that the executable embeds.
  "src/infra": ["src/domain", "src/infra", "sql", "prompts", "dist"],
  // What `main.ts` is made of: it puts stages and adapters together.
  "src/program": ["src/domain", "src/streams", "src/infra", "src/program", "sql"]
}

/** The modules `domain` and `streams` may use, each with the reason why it does not spoil their purity. */
export const pureModules: Readonly<Record<string, string>> = {
  effect: "values, schemas and descriptions of effects; running them is the caller's business",
  "node:crypto": "hashing only: the same text gives the same key",
  "node:zlib": "inflating bytes in memory, with a bound (gzipped sitemaps)",
  htmlparser2: "an XML tokenizer: text in, events out",
  entities: "HTML's names of characters",
  domhandler: "node classes of the parsed tree",
  "css-select": "CSS selectors over a tree",
  tldts: "the public suffix list, compiled in"
}

const forbiddenNames = /^(?:utils?|commons?|helpers?|types?|index|misc)$/

/** What code of `domain` and `streams` never holds, and what to do instead. */
const forbiddenCode: ReadonlyArray<readonly [pattern: RegExp, name: string, instead: string]> = [
  [/\basync\b/, "async", "an Effect"],
  [/(?<!\.)\bawait\b/, "await", "yield*"],
  [/\btry\s*\{/, "try {", "Effect.try or Result.try"],
  [/\bthrow\b/, "throw", "a failure in the type"],
  [/\bDate\.now\b/, "Date.now", "the instant as an argument, or Clock"],
  [/\bnew Date\(\s*\)/, "new Date()", "the instant as an argument, or Clock"],
  [/\bMath\.random\b/, "Math.random", "the draw as an argument, or Random"],
  [/\bprocess\s*\.\s*env\b/, "process.env", "a setting"],
  [/\bBun\b\s*\./, "Bun.", "a port with an adapter"],
  [/(?<![.\w])any\b(?!\s*[:(])/, "any", "unknown and a schema"],
  [/[\w)\]}>"]\s+as\s+(?!const\b)/, "a cast", "a schema or a type guard"]
]

const layerOf = (path: string): string | undefined => Object.keys(layers).find((layer) => path.startsWith(`${layer}/`))
const isPure = (layer: string | undefined): boolean => layer === "src/domain" || layer === "src/streams"
const packageOf = (module: string): string =>
  module
    .split("/")
    .slice(0, module.startsWith("@") ? 2 : 1)
    .join("/")

const importComplaint = (path: string, module: string): ReadonlyArray<string> => {
  const layer = layerOf(path)
  if (layer === undefined) return []
  if (!module.startsWith(".")) {
    return isPure(layer) && pureModules[module] === undefined && pureModules[packageOf(module)] === undefined
      ? [`imports ${module}, which is no listed pure module`]
      : isPure(layer) && module.startsWith("effect/")
        ? [`imports ${module}: only \`effect\` itself is for domain and streams`]
        : []
  }
  const target = posix.normalize(posix.join(posix.dirname(path), module))
  if (target.startsWith("node_modules/")) return isPure(layer) ? [`imports ${module}`] : []
  return (layers[layer] ?? []).some((allowed) => target.startsWith(`${allowed}/`))
    ? []
    : [`imports ${target}: ${layer} may import ${(layers[layer] ?? []).join(", ")}`]
}

/** Import and export lists rename with `as`, which is no cast. */
const withoutLists = (code: string): string =>
  code.replace(/\b(?:import|export)\b(?:\s+type)?\s*(?:\*\s*as\s+\w+|(?:\w+\s*,\s*)?\{[^}]*\})/g, "")

const codeComplaints = (file: SourceFile): ReadonlyArray<string> => {
  if (!isPure(layerOf(file.path))) return []
  const code = withoutLists(codeOf(file.text))
  return forbiddenCode.flatMap(([pattern, name, instead]) =>
    pattern.test(code) ? [`has ${name}; instead: ${instead}`] : []
  )
}

const nameComplaints = ({ path }: SourceFile): ReadonlyArray<string> => {
  const parts = posix.basename(path).split(".").slice(0, -1)
  const folders = posix.dirname(path).split("/")
  const bad = [...parts, ...folders].filter((part) => forbiddenNames.test(part))
  const odd = /^[a-z][a-z0-9]*(?:[-.][a-z0-9]+)*\.tsx?$/.test(posix.basename(path)) ? [] : ["is not lower case"]
  return [...bad.map((part) => `is named ${part}, which says nothing`), ...odd]
}

/** Lines of a text; an end of line at its end opens no new one. */
export const linesOf = ({ text }: SourceFile): number => text.split("\n").length - (text.endsWith("\n") ? 1 : 0)

/** All that is wrong with one source file, each as a sentence that starts with its path. */
export const complaintsAbout = (file: SourceFile): ReadonlyArray<string> => {
  const lines = linesOf(file)
  return [
    ...(lines > fileLinesMax ? [`has ${lines} lines, at most ${fileLinesMax}`] : []),
    ...nameComplaints(file),
    ...importsOf(file.text).flatMap((module) => importComplaint(file.path, module)),
    ...codeComplaints(file)
  ].map((complaint) => `${file.path} ${complaint}`)
}

/** Traces of the machine a file was written on, and hosts of package registries other than npm's own. */
const traces: ReadonlyArray<readonly [pattern: RegExp, name: string]> = [
  [/(?<![\w.])\/(?:home|Users)\/[a-z][\w-]*\//i, "a home directory"],
  [/(?<![\w.:/])\/work\//, "a path of this machine"],
  [/(?<![\w.:/])\/tmp\/\w/, "a temporary path"],
  [
    /https?:\/\/(?!registry\.npmjs\.org\b)(?:[\w-]+\.)*(?:registry|artifactory|nexus|verdaccio|mirrors?)\b[\w.-]*/i,
    "a registry host"
  ]
]
export const tracesIn = ({ path, text }: SourceFile): ReadonlyArray<string> =>
  traces.flatMap(([pattern, name]) => {
    const found = pattern.exec(text)
    return found === null ? [] : [`${path} has ${name}: ${found[0]}`]
  })

/** What is wrong with the migrations: numbers without gaps from 0001, each with its way back. */
export const migrationComplaints = (files: ReadonlyArray<SourceFile>): ReadonlyArray<string> =>
  files
    .toSorted((left, right) => (left.path < right.path ? -1 : 1))
    .flatMap(({ path, text }, at) => {
      const number = String(at + 1).padStart(4, "0")
      const named = new RegExp(`^sql/${number}_[a-z0-9_]+\\.sql$`).test(path)
      return [
        ...(named ? [] : [`${path} should be sql/${number}_name.sql`]),
        ...(/^--.*\bway back\b/im.test(text) ? [] : [`${path} documents no way back (a comment "-- Way back: …")`])
      ]
    })
