import store from "../../sql/0001_store.sql" with { type: "text" }

export interface Migration {
  readonly version: number
  readonly name: string
  readonly text: string
}

/** Every step of the schema, in order, embedded in the executable. Forward only; a step never changes once released. */
export const migrations: ReadonlyArray<Migration> = [{ version: 1, name: "store", text: store }]
