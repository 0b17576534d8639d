const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i

/**
 * The host an operator means, as URLs write it: lower case, punycode, without a port or a final dot. A whole URL names its host.
 * What is no host stays as it is; the operation then says what it expects.
 * @example hostNamed("뉴스.example.") // => "xn--vg1b002a.example"
 */
export const hostNamed = (text: string): string => {
  const url = URL.parse(withScheme.test(text) ? text : `https://${text}`)
  const name = url === null || url.username !== "" ? "" : url.hostname.replace(/\.$/, "")
  return name === "" ? text.toLowerCase() : name
}
