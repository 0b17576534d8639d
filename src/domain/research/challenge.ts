/** What of an answer is looked at. */
interface Looked {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Headers by which protection services mark a challenge of theirs. */
const HEADERS: ReadonlyArray<readonly [name: string, value: RegExp]> = [
  ["cf-mitigated", /challenge/i],
  ["x-datadome", /captcha|challenge|protected/i],
  ["x-amzn-waf-action", /captcha|challenge/i],
  ["x-sucuri-block", /./],
  ["x-vercel-mitigated", /challenge|deny/i]
]

/** Paths of the pages that such services redirect to. */
const PATH =
  /\/(?:cdn-cgi\/challenge-platform|captcha|_captcha|validatecaptcha|sorry\/index|showcaptcha|geo\.captcha-delivery)/i

/** What stands in a challenge page and in no article: the widget's own markup, or its sentence. */
const BODY: ReadonlyArray<RegExp> = [
  /<(?:div|iframe|form|script)\b[^>]{0,300}(?:g-recaptcha|h-captcha|hcaptcha\.com\/captcha|cf-turnstile|cf-chl-|captcha-delivery\.com|arkoselabs|px-captcha)/i,
  /<title>\s*(?:just a moment|attention required|are you (?:a )?(?:human|robot)|security check|access denied|verify (?:that )?you are human|bot verification)/i,
  /(?:checking your browser before accessing|enable javascript and cookies to continue|verify(?:ing)? (?:that )?you are (?:a )?human|complete the (?:captcha|security check))/i
]

/** A page with a newsletter form may carry a captcha too: beyond this length (characters) only a title tells a challenge. */
const SHORT = 12_000

/** What tells that this answer is a challenge to prove oneself human; null: nothing does. */
export const challengeIn = ({ url, headers, body }: Looked): string | null => {
  const header = HEADERS.find(([name, value]) => value.test(headers[name] ?? ""))
  if (header !== undefined) return `captcha: header ${header[0]}`
  if (PATH.test(URL.parse(url)?.pathname ?? "")) return "captcha: its address"
  const [widget, title, sentence] = BODY
  if (title?.test(body) === true) return "captcha: its title"
  if (body.length > SHORT) return null
  return widget?.test(body) === true || sentence?.test(body) === true ? "captcha: its page" : null
}
