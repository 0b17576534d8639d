/** Texts and comments in which a semicolon or a keyword means nothing: 'a', E'a\'', "a", $x$a$x$, and both kinds of comment. */
const OPAQUE =
  /e'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$(?:[a-z_]\w*)?\$)[\s\S]*?\1|--[^\n]*|\/\*[\s\S]*?\*\//gi

/** Statements that change the session which every part of the program shares, or that need a protocol of their own. */
const SESSION =
  /^(?:begin|start|commit|end|rollback|abort|savepoint|release|prepare|deallocate|set|reset|discard|listen|unlisten|copy|lock|declare|fetch|close)\b/i

/**
 * Why this text is not one statement that may run on the shared session, or null. A guard against accidents, not against
 * an administrator.
 * @example sessionFault("select 1; begin") // => "one statement is expected, not 2"
 */
export const sessionFault = (text: string): string | null => {
  const bare = text.replace(OPAQUE, (it) => (it.startsWith("-") || it.startsWith("/") ? " " : "''"))
  const statements = bare.split(";").filter((it) => it.trim() !== "")
  if (statements.length !== 1) return `one statement is expected, not ${statements.length}`
  return SESSION.test((statements[0] ?? "").trim()) || /\bset_config\s*\(/i.test(bare)
    ? "transactions and session settings are not taken: the session is shared"
    : null
}
