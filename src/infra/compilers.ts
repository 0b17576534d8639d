/**
 * Counts that code must reach before the runtime's last compilers, of JavaScript and of WebAssembly, work on it again. A crawler's
 * code is wide and its profile flat: at the runtime's own counts (64,000 and 50,000) they compile for minutes what is then run for
 * little, up to a tenth of the first pages' CPU in every process. What is really hot passes these as well, a little later.
 */
const counts = {
  BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: "640000",
  BUN_JSC_thresholdForOMGOptimizeAfterWarmUp: "200000"
}

type Environment = Readonly<Record<string, string | undefined>>

/** The environment to start again with, or null where it says all of that already. What somebody set stays as it is. */
export const patientEnvironment = (env: Environment): Environment | null =>
  Object.keys(counts).every((name) => env[name] !== undefined) ? null : { ...counts, ...env }

/**
 * Puts the executable in its own place, in the same process, with patient compilers: the runtime reads its options only as it starts.
 * Returns where that was done before, where this is no executable (a source tree may be watched by a parent), or where it failed.
 */
export const startPatiently = (words: ReadonlyArray<string>): void => {
  const env = patientEnvironment(process.env)
  if (env === null || !Bun.main.startsWith("/$bunfs/")) return
  try {
    process.execve?.(process.execPath, [process.execPath, ...words], env)
  } catch {
    // It works without, at a price.
  }
}
