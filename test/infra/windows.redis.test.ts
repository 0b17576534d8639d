import { Layer } from "effect"
import { layer } from "../../src/infra/windows.redis.ts"
import { windowsSuite } from "../support/conformance/windows.ts"
import { withService } from "../support/services.ts"
import { settingsOf } from "../support/store.ts"

withService("REDIS_URL", (url) =>
  windowsSuite(
    "windows in Redis",
    Layer.suspend(() =>
      layer.pipe(Layer.provide(settingsOf({ REDIS_URL: url, REDIS_PREFIX: `test:${crypto.randomUUID()}:` })))
    )
  )
)
