/** Texts and comments in which a semicolon or a keyword means nothing: 'a', E'a\'', "a", $x$a$x$, and both kinds of comment. */
const OPAQUE =
  /e'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$(?:[a-z_]\w*)?\$)[\s\S]*?\1|--[^\n]*|\/\*[\s\S]*?\*\//gi

/** What would not do here what it does in a session of one's own, by its first word, and why. The first row that knows the word counts. */
const REFUSED: ReadonlyArray<readonly [words: RegExp, why: string]> = [
  [
    /^(?:begin|start|commit|end|rollback|abort|savepoint|release|prepare\s+transaction)\b/i,
    "a statement is a transaction of its own here, since the session is shared"
  ],
  [/^lock\b/i, "a lock ends with its statement, so it would hold nothing"],
  [/^(?:set|reset|discard)\b/i, "the session is shared, so its settings are not changed"],
  [
    /^(?:prepare|deallocate|execute|declare|fetch|move|close|listen|unlisten)\b/i,
    "the session is shared, so nothing is kept in it from one statement to the next"
  ],
  [
    /^copy\b/i,
    "rows are not copied to or from files or streams here: `select` with --json writes them, `articles export` writes articles"
  ]
]

const firstWord = (statement: string): string => (/^\w+/.exec(statement)?.[0] ?? "").toLowerCase()

/**
 * Why this text is not one statement that may run on the shared session, or null. A guard against accidents, not against
 * an administrator.
 * @example sessionFault("select 1; begin") // => "one statement is expected, not 2"
 */
export const sessionFault = (text: string): string | null => {
  const bare = text.replace(OPAQUE, (it) => (it.startsWith("-") || it.startsWith("/") ? " " : "''"))
  const statements = bare.split(";").filter((it) => it.trim() !== "")
  if (statements.length !== 1) return `one statement is expected, not ${statements.length}`
  const statement = (statements[0] ?? "").trim()
  const refused = REFUSED.find(([words]) => words.test(statement))
  if (refused !== undefined) return `${firstWord(statement)} is not taken: ${refused[1]}`
  return /\bset_config\s*\(/i.test(bare)
    ? "set_config is not taken: the session is shared, so its settings are not changed"
    : null
}
