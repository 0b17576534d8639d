import { Schema } from "effect"

/** What happens next to a job whose call failed. `output`: the answer itself was no use, so it is asked for differently. */
export type AiChannel = "retry" | "output" | "suspend" | "fatal"

/**
 * Why a job is not done: a closed set, so a code may label a metric; each with what happens next.
 * @source REQUIREMENTS, "AI error codes"; field case B35; bad inputs B214–B229
 */
const channels = {
  rate_limited: "retry",
  server: "retry",
  timeout: "retry",
  network: "retry",
  quota: "suspend",
  balance: "suspend",
  bad_key: "suspend",
  denied: "suspend",
  // The model the settings name does not exist: an operator's business, not every job's end.
  no_model: "suspend",
  bad_request: "fatal",
  too_long: "output",
  refused: "fatal",
  truncated: "output",
  empty: "output",
  fenced: "output",
  unparsable: "output",
  schema: "output",
  language: "output",
  echo: "output",
  not_verbatim: "output",
  options: "output",
  length: "output",
  // A proposed rule that did not hold on stored pages: asked for again with what was wrong.
  rule_refused: "output",
  lease_lost: "retry",
  stuck: "retry",
  crash_loop: "fatal",
  input_missing: "fatal",
  cancelled: "fatal",
  defect: "fatal"
} as const satisfies Record<string, AiChannel>

export const AiCode = Schema.Literals([
  "rate_limited",
  "server",
  "timeout",
  "network",
  "quota",
  "balance",
  "bad_key",
  "denied",
  "no_model",
  "bad_request",
  "too_long",
  "refused",
  "truncated",
  "empty",
  "fenced",
  "unparsable",
  "schema",
  "language",
  "echo",
  "not_verbatim",
  "options",
  "length",
  "rule_refused",
  "lease_lost",
  "stuck",
  "crash_loop",
  "input_missing",
  "cancelled",
  "defect"
])
export type AiCode = typeof AiCode.Type

export const channelOf = (code: AiCode): AiChannel => channels[code]

/** The codes an operator resumes together. @source S3.20, field case B35 */
export const codesOf = {
  QUOTA: ["quota", "balance"],
  AUTH: ["bad_key", "denied", "no_model"]
} as const satisfies Readonly<Record<"QUOTA" | "AUTH", ReadonlyArray<AiCode>>>

/** A provider's answer that is no result. */
export interface Refused {
  /** null: no answer came. */
  readonly status: number | null
  /** `error.code` and `error.type` of the body, where it has them. */
  readonly code: string | null
  readonly type: string | null
  readonly timedOut: boolean
}

const byName: Readonly<Record<string, AiCode>> = {
  insufficient_quota: "quota",
  billing_hard_limit_reached: "quota",
  billing_not_active: "balance",
  insufficient_balance: "balance",
  invalid_api_key: "bad_key",
  invalid_authentication: "bad_key",
  authentication_error: "bad_key",
  account_deactivated: "denied",
  permission_denied: "denied",
  permission_error: "denied",
  access_denied: "denied",
  unsupported_country_region_territory: "denied",
  model_not_found: "no_model",
  rate_limit_exceeded: "rate_limited",
  rate_limit_error: "rate_limited",
  overloaded_error: "server",
  server_error: "server",
  context_length_exceeded: "too_long",
  string_above_max_length: "too_long",
  content_policy_violation: "refused",
  content_filter: "refused"
}

const byStatus = (status: number): AiCode => {
  switch (status) {
    case 401:
      return "bad_key"
    case 402:
      return "balance"
    case 403:
      return "denied"
    case 404:
      return "no_model"
    case 408:
      return "timeout"
    case 413:
      return "too_long"
    case 409:
    case 425:
    case 429:
      return "rate_limited"
    default:
      return status >= 500 ? "server" : "bad_request"
  }
}

/**
 * The body's code beats the status: 429 with `insufficient_quota` is quota, not a rate.
 * @example classify({ status: 429, code: "insufficient_quota", type: null, timedOut: false }) // => "quota"
 */
export const classify = ({ status, code, type, timedOut }: Refused): AiCode => {
  if (timedOut) return "timeout"
  const named = byName[code ?? ""] ?? byName[type ?? ""]
  if (named !== undefined) return named
  return status === null ? "network" : byStatus(status)
}
