import { expect, test } from "bun:test"
import { existsSync, mkdirSync, openSync } from "node:fs"
import { tmpdir } from "node:os"
import { saidIn, saidOf } from "../../src/infra/descriptor.ts"

const error = (work: () => unknown): unknown => {
  try {
    work()
    return null
  } catch (cause) {
    return cause
  }
}

const table: ReadonlyArray<readonly [why: string, cause: unknown, said: string]> = [
  ["a missing folder", error(() => openSync("/no such folder/x", "w")), "no such file or directory (ENOENT)"],
  ["a folder", error(() => openSync("/", "w")), "is a directory (EISDIR)"],
  ["a full disk", Object.assign(new Error("write"), { code: "ENOSPC" }), "no space left on the disk (ENOSPC)"],
  ["a broken disk", Object.assign(new Error("write"), { code: "EIO" }), "the disk cannot be read or written (EIO)"],
  ["a folder's place taken", error(() => mkdirSync(import.meta.path)), "something else of that name is there (EEXIST)"],
  [
    "a file on the way",
    error(() => openSync(`${import.meta.path}/x`, "a")),
    "a file stands where a directory is needed (ENOTDIR)"
  ],
  ["a code without words", Object.assign(new Error("write"), { code: "ENXIO" }), "ENXIO"],
  ["what is no system error", new Error("lost"), "Error: lost"]
]
test.each(table)("%s is told in words where there are some, else by its code", (_, cause, said) => {
  expect(saidOf(cause)).toBe(said)
})

test("a library that hides why it could not write is asked no further where the disk is full", () => {
  // A file system without a byte of room, as the system counts it.
  if (existsSync("/proc/self"))
    expect(saidIn("/proc", new Error("ReadError"))).toBe("no space left on the disk (Error: ReadError)")
  expect(saidIn(tmpdir(), new Error("ReadError"))).toBe("Error: ReadError")
  expect(saidIn("/proc", Object.assign(new Error("open"), { code: "EACCES" }))).toBe("permission denied (EACCES)")
})
