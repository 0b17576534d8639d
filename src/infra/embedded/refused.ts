import { Schema } from "effect"

/**
 * The store cannot be opened, and trying again will not help: `exit` is the code the process ends with.
 * 74: the disk (read-only, full, unwritable); 75: the data dir is held by another process; 78: its schema is newer
 * than this program, or a setting does not fit.
 */
export class StoreRefused extends Schema.TaggedError<StoreRefused>()("StoreRefused", {
  exit: Schema.Literals([74, 75, 78]),
  message: Schema.String
}) {}
