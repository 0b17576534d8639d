/** A host name as certificates and zone files may hold it, in ASCII: labels of letters, digits and inner hyphens. */
const HOST = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const NAME_CHARS_MAX = 253

/** Is this name the domain itself or below it? `evil-a.example` is not below `a.example`. */
export const isWithin = (name: string, domain: string): boolean => name === domain || name.endsWith(`.${domain}`)

/**
 * Hosts of a domain among the name fields of certificates: one field may hold many lines; `*.` is stripped; e-mail addresses,
 * names of other domains and what is no host name are left out. Each once, sorted.
 * @source field case B45
 * @example namesIn(["*.a.example\nb.a.example\nadmin@a.example"], "a.example") // => ["a.example", "b.a.example"]
 */
export const namesIn = (fields: ReadonlyArray<string>, domain: string): ReadonlyArray<string> => {
  const names = fields
    .flatMap((field) => field.split(/\r\n|[\r\n]|\\n/))
    .map((line) =>
      line
        .trim()
        .toLowerCase()
        .replace(/^(?:\*\.)+/, "")
        .replace(/\.$/, "")
    )
    .filter((name) => name.length <= NAME_CHARS_MAX && HOST.test(name) && isWithin(name, domain))
  return [...new Set(names)].toSorted()
}
