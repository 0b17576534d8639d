import { Layer } from "effect"
import * as audit from "../infra/audit.git.ts"
import * as dial from "../infra/dial.ts"
import * as discovery from "../infra/discovery.ts"
import * as dns from "../infra/dns.ts"
import * as guard from "../infra/guard.ts"
import * as prober from "../infra/liveness.http.ts"

/** What the researcher needs beside the store and the host state: discovery sources, the prober, the audit trail. */
export const researching = Layer.mergeAll(discovery.layer, prober.layer(), audit.layer).pipe(
  Layer.provide(dial.layer().pipe(Layer.provide(guard.layer), Layer.provide(dns.layer)))
)
