import { attribute, type Element } from "./element.ts"

const hiddenStyle =
  /(?:^|[;/])\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*(?:0|0?\.0+)%?\s*(?:;|!|$)|font-size\s*:\s*0(?:px|em|rem|%)?\s*(?:;|!|$)|content-visibility\s*:\s*hidden|transform\s*:\s*scale(?:3d)?\(\s*0\s*[,)]|clip-path\s*:\s*(?:inset\(\s*(?:50|100)%|circle\(\s*0)|clip\s*:\s*rect\(\s*[01](?:px)?[\s,]+[01](?:px)?)/iu
const offScreen = /(?:^|[;/])\s*(?:left|top|right|text-indent|margin-left|margin-top)\s*:\s*-\d{3,}/iu
const zeroSize = /(?:^|[;/])\s*(?:max-)?(?:height|width)\s*:\s*[01](?:px)?\s*(?:;|!|$)/iu
const clipped = /overflow\s*:\s*hidden/iu

/** By a convention of structured data (`hasPart.cssSelector`) the paid part of a text is named so: it is the text's own. */
const isPaid = (element: Element): boolean => /(?:^|\s)paywall(?:\s|$)/iu.test(attribute(element, "class") ?? "")

/**
 * Whether a person with a browser would not see it. Style sheets are not read; inline styles and attributes are. What is
 * kept from screen readers only is decoration or a second wording in an article, and may be shown all the same.
 */
export const isHidden = (element: Element, aria = true): boolean => {
  const list = element.attributes
  for (let i = 0; i < list.length; i += 2) {
    const value = list[i + 1] ?? ""
    switch (list[i]) {
      case "hidden":
        if (value !== "until-found") return true
        break
      case "aria-hidden":
        if (aria && value === "true" && !isPaid(element)) return true
        break
      case "style":
        if (hiddenStyle.test(value) || offScreen.test(value) || (zeroSize.test(value) && clipped.test(value)))
          return true
        break
      case "type":
        if (element.tag === "input" && value === "hidden") return true
        break
    }
  }
  return element.tag === "template" && attribute(element, "shadowrootmode") === undefined
}

/** A hidden part of so many elements is one that scripts bring in; what is planted is small. */
const foldElements = 50

/** Whether an element says that it is the panel of a tab or a fold. */
const isPanel = (element: Element): boolean => {
  const role = attribute(element, "role")
  if (role === "dialog" || role === "alertdialog") return false
  return role === "tabpanel" || attribute(element, "aria-labelledby") !== undefined
}

/** Whether a person would not come to see it: not even by turning over tabs, folds and slides. */
export const isAway = (element: Element): boolean =>
  isHidden(element, false) &&
  !isPanel(element) &&
  (element.last - element.order < foldElements || /display\s*:\s*none/iu.test(attribute(element, "style") ?? ""))
