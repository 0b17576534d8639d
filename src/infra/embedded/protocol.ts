/** What the store's thread is told, and what it tells. Rows travel over its socket, not here. */
export type ToWorker =
  | { readonly tag: "start"; readonly dataDir: string; readonly socket: string }
  | { readonly tag: "stop" }
export type FromWorker =
  | { readonly tag: "ready" }
  | { readonly tag: "stopped" }
  | { readonly tag: "failed"; readonly message: string }
  | { readonly tag: "aborted"; readonly message: string }
