/** SQL through a running crawler's API: the embedded store has one owner, and a command's start would cost more than its work. */

export type Ask = <Row = Record<string, unknown>>(sql: string) => Promise<ReadonlyArray<Row>>

interface Reply<Row> {
  readonly success: boolean
  readonly data: { readonly rows: ReadonlyArray<Row> }
}

export const overApi =
  (port: number, token: string): Ask =>
  async <Row>(text: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/sql`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ text })
    })
    const body = (await answer.json()) as Reply<Row>
    if (!body.success) throw new Error(JSON.stringify(body))
    return body.data.rows
  }
