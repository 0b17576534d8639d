import { Effect, Layer } from "effect"
import { ParsingRules, type Ruling, ruleFor } from "../domain/ruling.ts"

/** Parsing rules in memory, for one process and its tests. */
export const layer: Layer.Layer<ParsingRules> = Layer.sync(ParsingRules, () => {
  const all = new Map<string, Ruling>()
  return ParsingRules.of({
    find: (url, expected) => Effect.sync(() => ruleFor([...all.values()], url, expected)),
    list: Effect.sync(() => [...all.values()]),
    put: (rules) =>
      Effect.sync(() => {
        for (const given of rules) {
          const rest = {
            path_pattern: "",
            version: 1,
            enabled: true,
            priority: null,
            identity_pattern: null,
            zone: null,
            origin: "operator" as const
          }
          const rule = { ...rest, ...given }
          const key = [rule.host_pattern, rule.path_pattern, rule.target_type, rule.version].join(" ")
          all.set(key, { ...rule, id: all.get(key)?.id ?? String(all.size + 1) })
        }
        return rules.length
      }),
    enable: (id, enabled) =>
      Effect.sync(() => {
        const found = [...all].find(([, it]) => it.id === id)
        if (found !== undefined) all.set(found[0], { ...found[1], enabled })
        return found !== undefined
      }),
    propose: ({ host_pattern, selectors, source_name }) =>
      Effect.sync(() => {
        const versions = [...all.values()].filter(
          (it) => it.host_pattern === host_pattern && it.path_pattern === "" && it.target_type === "page"
        )
        const rule: Ruling = {
          id: String(all.size + 1),
          source_name,
          host_pattern,
          path_pattern: "",
          target_type: "page",
          version: Math.max(0, ...versions.map((it) => it.version)) + 1,
          enabled: false,
          priority: null,
          identity_pattern: null,
          zone: null,
          selectors,
          origin: "learned"
        }
        all.set([host_pattern, "", "page", rule.version].join(" "), rule)
        return rule
      })
  })
})
