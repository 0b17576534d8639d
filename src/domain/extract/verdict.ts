import type { Verdict } from "../article.ts"
import type { Hints } from "../reading.ts"

/** What is looked at to judge a fetched document. Lengths in code points. */
export interface Facts {
  readonly hints: Hints
  readonly title: string
  readonly text: string
  /** The article's text and what stands right after it: looked at only where it counts. */
  readonly around: () => string
  /** All visible text of the page, cut. */
  readonly visible: string
  readonly visibleChars: number
  /** `visible` without lines that are links. */
  readonly said: string
  readonly scripts: number
  /** Whether JSON-LD says that the article is not free. */
  readonly locked: boolean
  /** What the markup names as a challenge, and as a wall: looked for only where it counts. */
  readonly challenge: () => string | null
  readonly wall: () => string | null
  readonly charsetConfidence: number
  readonly replaced: number
  /** Lines that are links. */
  readonly links: number
}
export type Evidence = Readonly<Record<string, unknown>>
export interface Judgement {
  readonly verdict: Verdict
  readonly evidence: Evidence
}

/** A page that shows this many characters is judged by its content, not by words it happens to contain. */
const wallChars = 1500
/** S4.7: fewer characters are an empty body. */
const emptyChars = 100

const challenging =
  /\b(?:just a moment|checking your browser|verify(?:ing)? (?:that )?you are (?:a )?human|are you a robot|unusual traffic|enable javascript and cookies to continue|press (?:&|and) hold|you have been blocked|pardon our interruption)\b|자동화된 (?:접근|요청)|비정상적인 (?:접근|접속)|접근이 (?:차단|거부)|로봇이 아닙니다/i
/** Words that news tells of as well. */
const challengeWord =
  /\b(?:access denied|request blocked|attention required|captcha|ddos protection|security check|bot detection)\b|보안문자/i
const consent =
  /\b(?:before you continue|we (?:and our (?:\d+ )?partners )?(?:use|value|need) (?:cookies|your (?:privacy|consent))|accept (?:all )?cookies|manage (?:cookies|consent)|your privacy (?:choices|matters)|consent to (?:the use|cookies))\b|wir (?:verwenden|nutzen) cookies|zustimmen (?:und|&) weiter|mit werbung (?:weiter)?lesen|accepter (?:et|les cookies)|쿠키 (?:사용|수집)에 동의|개인정보 (?:수집|처리).{0,20}동의/i
const walling =
  /\b(?:subscribe (?:now )?to (?:continue|read|unlock|keep)|to continue reading|this (?:article|content|story) is (?:for|only|exclusive|available)\b.{0,40}(?:subscriber|member)|already a subscriber|subscribers? only|(?:free|remaining) articles? (?:left|remaining|this month)|log ?in to (?:read|continue)|become a (?:member|subscriber))\b|weiterlesen mit|nur für abonnenten|jetzt abonnieren|jetzt weiterlesen|réservé aux abonnés|il vous reste \d+%|exclusivo para suscriptores|contenido exclusivo|riservato agli abbonati|유료\s?(?:회원|기사|구독)|구독(?:자|회원)\s?(?:전용|만)|로그인 ?(?:후|하시면).{0,15}(?:볼|읽|이용)/i

/** A challenge has few links (help, contact); a page of so many is a list. */
const challengeLinks = 20
/** A page that shows more than so many characters outside of links has something to say besides such a word. */
const challengeWordChars = 400
/** A page with an article of so many characters shows it. */
const challengeText = 800

/** The number of characters of a text, or `max` if it has more. */
const charsOf = (text: string, max: number): number => {
  let count = 0
  for (let at = 0; at < text.length && count < max; at++) {
    count += 1
    if ((text.codePointAt(at) ?? 0) > 0xffff) at += 1
  }
  return count
}
const excerpt = (pattern: RegExp, text: string): string | null => pattern.exec(text)?.[0]?.slice(0, 80) ?? null

/** Statuses by which a server refuses. */
const refusals: ReadonlySet<number> = new Set([401, 403, 429, 451])

/**
 * Words of a challenge count outside of links only (a headline leads to another page), and only where nothing else makes
 * the page: neither a list of links nor an article.
 */
const blocked = ({ challenge, hints, links, said, text, visibleChars }: Facts): Evidence | null => {
  const isRefused = refusals.has(hints.status)
  if (!isRefused && visibleChars >= wallChars) return null
  const word = said.length < challengeWordChars ? excerpt(challengeWord, said) : null
  const sign = excerpt(challenging, said) ?? word
  const isBare = visibleChars < wallChars && links < challengeLinks && text.length < challengeText
  const marker = challenge() ?? (isBare ? sign : null)
  return isRefused || marker !== null ? { status: hints.status, marker } : null
}
/** A wall leaves no article, or is itself what was read as one; a banner beside an article is no wall. */
const consented = ({ text, visible, visibleChars }: Facts): Evidence | null => {
  const marker =
    text.length < emptyChars ? excerpt(consent, visible) : text.length < wallChars ? excerpt(consent, text) : null
  return marker === null ? null : { marker, chars: visibleChars }
}
const walled = ({ around, locked, text, wall }: Facts): Evidence | null => {
  const chars = charsOf(text, wallChars * 2)
  if (chars >= (locked ? wallChars * 2 : wallChars)) return null
  const marker =
    wall() ?? (chars < wallChars ? excerpt(walling, around()) : null) ?? (locked ? "isAccessibleForFree" : null)
  return marker === null ? null : { marker, chars }
}

/** The rules in order: the first that speaks is the verdict. Its order is the policy. */
const rules: ReadonlyArray<{ readonly verdict: Verdict; readonly rule: (facts: Facts) => Evidence | null }> = [
  { verdict: "partial", rule: ({ hints }) => (hints.truncated ? { truncated: true } : null) },
  { verdict: "blocked", rule: blocked },
  {
    verdict: "soft_404",
    rule: ({ hints }) => (hints.status === 404 || hints.status === 410 ? { status: hints.status } : null)
  },
  { verdict: "consent", rule: consented },
  { verdict: "paywall", rule: walled },
  {
    verdict: "charset_uncertain",
    rule: ({ charsetConfidence, replaced, visibleChars }) =>
      charsetConfidence < 0.5 && visibleChars > 0 ? { confidence: charsetConfidence, replaced } : null
  }
]

/** The one verdict on an HTML document that was read as an article. */
export const judge = (facts: Facts): Judgement => {
  for (const { rule, verdict } of rules) {
    const evidence = rule(facts)
    if (evidence !== null) return { verdict, evidence }
  }
  const chars = charsOf(facts.text, emptyChars)
  if (chars < emptyChars)
    return {
      verdict: "empty",
      evidence: { chars, title: facts.title.length, scripts: facts.scripts, visible: facts.visibleChars }
    }
  return { verdict: "ok", evidence: {} }
}
