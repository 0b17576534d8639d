import { tokenize } from "../tokens.ts"

/** Elements that act instead of saying something: dropped with all inside. */
const ACTIVE = new Set([
  "script",
  "style",
  "iframe",
  "object",
  "embed",
  "applet",
  "noscript",
  "template",
  "form",
  "frameset",
  "link",
  "meta",
  "base"
])
/** Of these the ones that have no inside. */
const EMPTY_ACTIVE = new Set(["link", "meta", "base", "embed"])
const VOID = new Set(["area", "br", "col", "hr", "img", "input", "source", "track", "wbr", "param"])
/** Attributes that can act. */
const ACTIVE_ATTRIBUTE = /^(?:on|style$|srcdoc$|formaction$|ping$)/i
const ACTIVE_ADDRESS = /^[\s\u0000-\u001f]*(?:javascript|vbscript|data)\s*:/i
/** Mathematics and drawings need their namespaces to stay what they are. */
export const SPACES: Readonly<Record<string, string>> = {
  svg: "http://www.w3.org/2000/svg",
  math: "http://www.w3.org/1998/Math/MathML"
}
const XLINK = "http://www.w3.org/1999/xlink"

const ADDRESSES = new Set(["href", "src", "cite", "longdesc", "poster", "action", "background", "usemap"])

const resolved = (key: string, value: string, base: string): string =>
  ADDRESSES.has(key) && base !== "" && !/^[a-z][a-z0-9+.-]*:/i.test(value.trim())
    ? (URL.parse(value.trim().replaceAll("&amp;", "&"), base)?.href.replaceAll("&", "&amp;") ?? value)
    : value

const attributesOf = (name: string, attributes: Readonly<Record<string, string>>, base: string): string => {
  const space = SPACES[name]
  const link = Object.keys(attributes).some((it) => it.startsWith("xlink:")) ? { "xmlns:xlink": XLINK } : {}
  const all = { ...attributes, ...(space === undefined ? {} : { xmlns: space }), ...link }
  const safe = Object.entries(all).filter(([key, value]) => {
    const isImage = name === "img" && /^\s*data:image\/(?:png|jpe?g|gif|webp);/i.test(value)
    return !ACTIVE_ATTRIBUTE.test(key) && (!ACTIVE_ADDRESS.test(value) || isImage)
  })
  return safe
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => ` ${key}="${resolved(key, value, base).replaceAll('"', "&quot;")}"`)
    .join("")
}

/** Windows' bytes as numbers, and the capital X that some readers do not know. */
const references = (text: string): string =>
  text.replace(/&#X([0-9a-fA-F]+);/g, "&#x$1;").replace(/&#(1[2-5]\d);/g, (whole: string, digits: string) => {
    const point = Number(digits)
    if (point < 128 || point > 159) return whole
    const char = new TextDecoder("windows-1252").decode(new Uint8Array([point]))
    return `&#x${(char.codePointAt(0) ?? point).toString(16)};`
  })

/**
 * HTML of a feed made harmless and uniform: no scripts, styles, frames or event handlers, attributes in order, empty
 * elements closed, relative addresses resolved. Text without a tag comes back as it is; nothing is closed that the feed left open.
 */
export const cleanHtml = (html: string, base: string): string => {
  const first = html.indexOf("<")
  if (first < 0 || html.lastIndexOf(">") < first) return references(html)
  const pieces: Array<string> = []
  let active = ""
  const text = (it: string) => {
    if (active === "") pieces.push(it)
  }
  tokenize(references(html).replace(/<!(?!--|doctype|\[)/gi, "&lt;!"), "html", {
    open: (written, attributes, isEmpty) => {
      const name = written.toLowerCase()
      if (active !== "" || (ACTIVE.has(name) && EMPTY_ACTIVE.has(name))) return
      if (ACTIVE.has(name)) active = isEmpty ? "" : name
      else pieces.push(`<${name}${attributesOf(name, attributes, base)}${VOID.has(name) ? " />" : ">"}`)
    },
    close: (written) => {
      const name = written.toLowerCase()
      if (active === "" && !VOID.has(name) && !ACTIVE.has(name)) pieces.push(`</${name}>`)
      if (name === active) active = ""
    },
    text,
    cdata: text
  })
  return pieces.join("").trim()
}
