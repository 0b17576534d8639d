/** A generated document: where it stands, and its text made anew. */
export interface Document {
  /** From the repository's root. */
  readonly path: string
  readonly make: () => string
}

/** Says where a document comes from, so that nobody edits the copy. */
export const made = (from: string): string =>
  `<!-- Made from ${from} by \`make docs\`. Edit that file, not this one. -->`

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ")

export const table = (head: readonly string[], rows: ReadonlyArray<readonly string[]>): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n")
