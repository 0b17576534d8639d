import { Effect } from "effect"
import { fetcherNamed } from "../../domain/fetcherrules.ts"
import { Control } from "../control.ts"
import { Refusal } from "../exit.ts"
import { visible } from "../logging.ts"
import type { Command } from "./commands.ts"
import { hostNamed } from "./host.ts"
import { dated, doneIf, print, type Work } from "./print.ts"
import { facts, table } from "./table.ts"

export type Ruling = Extract<Command, { name: `fetcher-rules ${string}` | "rules" }>

const shown = <R extends { readonly updated_at: number }>(rule: R) => ({ ...rule, updated_at: dated(rule.updated_at) })

const fetcherOf = (text: string): Effect.Effect<"http" | "browser" | "auto", Refusal> => {
  const name = fetcherNamed(text)
  const message = `FETCHER ${JSON.stringify(text)}: expected http, browser or auto`
  return name === null ? Effect.fail(new Refusal({ exit: "usage", message })) : Effect.succeed(name)
}

const switchOf = (text: string): Effect.Effect<boolean, Refusal> =>
  text === "on" || text === "off"
    ? Effect.succeed(text === "on")
    : Effect.fail(new Refusal({ exit: "usage", message: `${JSON.stringify(text)}: expected on or off` }))

const upgradesNow = (it: { readonly active: boolean; readonly setting: boolean }): string =>
  it.active
    ? "hosts whose articles come empty get a browser"
    : `no host gets a browser by itself${it.setting ? "" : " (FETCHER_AUTO_UPGRADE_ENABLED=false)"}`

/** `crawler fetcher-rules …`, `crawler rules HOST` */
export const askRules = (command: Ruling): Work =>
  Effect.gen(function* () {
    const control = yield* Control
    const { flags, name, words } = command
    const host = hostNamed(words[0] ?? "")
    switch (name) {
      case "fetcher-rules list": {
        const { limit } = command.flags
        const { rules } = yield* control["fetcher-rules.list"](limit === null ? {} : { limit })
        yield* print(flags.json, rules, () => table(rules.map(shown), ["host", "fetcher", "updated_at", "reason"]))
        return "done"
      }
      case "fetcher-rules show": {
        const rule = yield* control["fetcher-rules.show"]({ host })
        yield* print(flags.json, rule, () => facts(shown(rule)))
        return "done"
      }
      case "fetcher-rules set": {
        const fetcher = yield* fetcherOf(words[1] ?? "")
        const { reason } = command.flags
        const rule = yield* control["fetcher-rules.set"]({ host, fetcher, ...(reason === null ? {} : { reason }) })
        yield* print(flags.json, rule, () => `${visible(rule.host)} is fetched by ${rule.fetcher}`)
        return "done"
      }
      case "fetcher-rules unset": {
        const answer = yield* control["fetcher-rules.unset"]({ host })
        yield* print(flags.json, answer, () =>
          answer.changed ? `${visible(host)} has no rule any more` : `${visible(host)} had no rule`
        )
        return doneIf(answer.changed ? 1 : 0)
      }
      case "fetcher-rules upgrades": {
        const [word] = words
        const answer = yield* word === undefined
          ? control["fetcher-rules.upgrades"]({})
          : Effect.flatMap(switchOf(word), (enabled) => control["fetcher-rules.switch"]({ enabled }))
        yield* print(flags.json, answer, () => upgradesNow(answer))
        return "done"
      }
      case "rules": {
        const all = yield* control["rules.show"]({ host })
        yield* print(flags.json, all, () =>
          facts({ ...all, fetcher: all.fetcher === null ? null : shown(all.fetcher) })
        )
        return "done"
      }
    }
  })
