import { Layer } from "effect"
import * as dial from "../infra/dial.ts"
import * as dns from "../infra/dns.ts"
import * as fetcher from "../infra/fetcher.http.ts"
import * as guard from "../infra/guard.ts"
import * as hosts from "../infra/hosts.memory.ts"
import * as reader from "../infra/reader.worker.ts"
import * as robots from "../infra/robots.http.ts"

/** The way to the outside: guarded dialling, robots.txt, host state, fetching and reading. */
export const network = (options: hosts.Options) => {
  const dialler = dial.layer().pipe(Layer.provide(guard.layer), Layer.provide(dns.layer))
  const manners = Layer.mergeAll(robots.layer.pipe(Layer.provide(dialler)), hosts.layer(options))
  const fetching = fetcher.layer.pipe(Layer.provide(dialler), Layer.provideMerge(manners))
  return Layer.merge(fetching, reader.layer)
}
