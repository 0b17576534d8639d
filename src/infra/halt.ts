import { Context } from "effect"

/**
 * Ends the process at once: no finalizer runs, because the store under them would never answer again (a full disk).
 * A reference, so that a test may see the code instead of dying of it.
 */
export const Halt = Context.Reference<(code: number, message: string) => void>("crawler/Halt", {
  defaultValue: () => (code, message) => {
    if (message !== "") process.stderr.write(`${message}\n`)
    process.exit(code)
  }
})
