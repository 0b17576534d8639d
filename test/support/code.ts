/** What a slash may follow when it starts a regular expression rather than a division. */
const beforePattern = /(?:^|[=(,:;!&|?{}[+\-*%<>~^]|\b(?:return|typeof|case|in|of|yield|await|void|delete))\s*$/

/** The end (exclusive) of what is quoted from `from` on by `quote`; escapes are skipped. */
const endOfQuoted = (text: string, from: number, quote: string): number => {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === "\\") at += 1
    else if (text[at] === quote) return at + 1
    else if (text[at] === "\n" && quote !== "`") return at
  }
  return text.length
}

/** The end (exclusive) of a regular expression with its flags: a slash inside a class does not end it. */
const endOfPattern = (text: string, from: number): number => {
  let inClass = false
  for (let at = from + 1; at < text.length && text[at] !== "\n"; at++) {
    if (text[at] === "\\") at += 1
    else if (text[at] === "[") inClass = true
    else if (text[at] === "]") inClass = false
    else if (text[at] === "/" && !inClass) return at + 1 + (/^[a-z]*/.exec(text.slice(at + 1))?.[0].length ?? 0)
  }
  return text.length
}

/** A template literal from its backtick on: its text is dropped, the code of its `${…}` is kept. */
const template = (text: string, from: number): { readonly end: number; readonly code: string } => {
  let code = '""'
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === "\\") at += 1
    else if (text[at] === "`") return { end: at + 1, code }
    else if (text.startsWith("${", at)) {
      const inner = scan(text, at + 2, true)
      code += ` ${inner.code} `
      at = inner.end - 1
    }
  }
  return { end: text.length, code }
}

const scan = (text: string, from: number, untilBrace: boolean): { readonly end: number; readonly code: string } => {
  let code = ""
  let depth = 0
  for (let at = from; at < text.length; ) {
    const char = text[at] ?? ""
    if (text.startsWith("//", at)) at = text.indexOf("\n", at) < 0 ? text.length : text.indexOf("\n", at)
    else if (text.startsWith("/*", at)) at = text.indexOf("*/", at) < 0 ? text.length : text.indexOf("*/", at) + 2
    else if (char === '"' || char === "'") {
      const end = endOfQuoted(text, at, char)
      code += /\bfrom\s*$|\bimport\s*\(?\s*$/.test(code.slice(-20)) ? text.slice(at, end) : '""'
      at = end
    } else if (char === "`") {
      const inner = template(text, at)
      code += inner.code
      at = inner.end
    } else if (char === "/" && beforePattern.test(code.slice(-40))) {
      code += '""'
      at = endOfPattern(text, at)
    } else {
      if (untilBrace && char === "}" && depth === 0) return { end: at + 1, code }
      depth += char === "{" ? 1 : char === "}" ? -1 : 0
      code += char
      at += 1
    }
  }
  return { end: text.length, code }
}

/**
 * The code of a TypeScript source: comments are gone, texts and patterns are empty; only module names stay.
 * A reading by eye, not by grammar: good enough to find a word where it is code and not where it is talked about.
 */
export const codeOf = (source: string): string => scan(source, 0, false).code

/** The modules a source imports or re-exports, statically or not. */
export const importsOf = (source: string): ReadonlyArray<string> =>
  [...codeOf(source).matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)(["'])([^"']+)\1/g)].map((match) => match[2] ?? "")
