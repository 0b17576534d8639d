import { Layer } from "effect"
import type { Hosts } from "../domain/ports.ts"
import * as audit from "../infra/audit.git.ts"
import * as dial from "../infra/dial.ts"
import * as discovery from "../infra/discovery.ts"
import * as dns from "../infra/dns.ts"
import * as guard from "../infra/guard.ts"
import * as prober from "../infra/liveness.http.ts"
import * as robots from "../infra/robots.http.ts"
import * as sites from "../infra/sites.http.ts"

const dialler = dial.layer().pipe(Layer.provide(guard.layer), Layer.provide(dns.layer))

/** What the researcher needs beside the store and the host state: discovery sources, the prober, sites, the audit trail. */
export const researching = Layer.mergeAll(discovery.layer, prober.layer(), sites.layer, audit.layer).pipe(
  Layer.provide(dialler)
)

/** The same for a command that crawls nothing: no fetcher, no browser. */
export const researchAlone = <E, R>(hosts: Layer.Layer<Hosts, E, R>) =>
  researching.pipe(Layer.provideMerge(Layer.merge(robots.layer.pipe(Layer.provide(dialler)), hosts)))
