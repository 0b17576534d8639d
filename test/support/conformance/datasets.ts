import { expect } from "bun:test"
import { Effect, type Layer } from "effect"
import { Datasets } from "../../../src/domain/research.ts"
import { sentences } from "./clock.ts"

const path = "research/datasets/country=sg/category=news/2026-01-25_0001.json"

export interface DatasetsOptions {
  /** False: the other side puts an object even where one came into being a moment ago (it knows no `If-None-Match`). */
  readonly decides: boolean
}

/** What every store of datasets promises. The layer is built anew for each sentence and must start empty. */
export const datasetsSuite = <E>(name: string, layer: Layer.Layer<Datasets, E>, { decides }: DatasetsOptions): void => {
  const it = sentences(name, "live", layer)
  published(it)
  if (decides) race(it)
  others(it)
}

type It = ReturnType<typeof sentences<Datasets, unknown>>

const published = (it: It) => {
  it("what is published stays: the same bytes are present, others are refused (P8)", () =>
    Effect.gen(function* () {
      const datasets = yield* Datasets
      expect(yield* datasets.publish(path, "하나")).toBe("published")
      expect(yield* datasets.publish(path, "하나")).toBe("present")
      expect(yield* datasets.publish(path, "other")).toBe("taken")
      expect(yield* datasets.read(path)).toBe("하나")
    }))
}

const race = (it: It) =>
  it("of many that publish one path at once, one wins and nobody sees half a file", () =>
    Effect.gen(function* () {
      const datasets = yield* Datasets
      const texts = Array.from({ length: 20 }, (_, at) => String(at).repeat(50_000))
      const all = yield* Effect.forEach(texts, (text) => datasets.publish(path, text), { concurrency: 20 })
      expect(all.filter((it) => it === "published").length).toBe(1)
      expect(yield* datasets.read(path)).toBe(texts[all.indexOf("published")] ?? "")
    }))

const others = (it: It) => {
  it("summaries are replaced; what is not there reads as null", () =>
    Effect.gen(function* () {
      const datasets = yield* Datasets
      yield* datasets.replace(path, "one")
      yield* datasets.replace(path, "two")
      expect(yield* datasets.read(path)).toBe("two")
      expect(yield* datasets.read(`${path}.not`)).toBeNull()
    }))

  it("a folder's files are listed sorted, one that is nowhere is empty", () =>
    Effect.gen(function* () {
      const datasets = yield* Datasets
      yield* datasets.replace(path, "one")
      yield* datasets.replace("research/datasets/a.json", "a")
      yield* datasets.replace("research/datasets-not/b.json", "b")
      expect(yield* datasets.list("research/datasets")).toEqual(["research/datasets/a.json", path])
      expect(yield* datasets.list("research/nowhere")).toEqual([])
    }))

  it("what is removed is gone, and may be removed again", () =>
    Effect.gen(function* () {
      const datasets = yield* Datasets
      yield* datasets.replace(path, "one")
      yield* datasets.remove(path)
      yield* datasets.remove(path)
      expect(yield* datasets.read(path)).toBeNull()
      expect(yield* datasets.list("research/datasets")).toEqual([])
    }))

  it("a path that leaves the tree is never touched", () =>
    Effect.gen(function* () {
      const datasets = yield* Datasets
      for (const bad of ["../x", "research/../../x", "admin-token", "/etc/passwd"]) {
        expect((yield* Effect.exit(datasets.read(bad)))._tag).toBe("Failure")
        expect((yield* Effect.exit(datasets.replace(bad, "x")))._tag).toBe("Failure")
      }
    }))
}
