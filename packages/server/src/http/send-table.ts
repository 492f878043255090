import { once } from 'node:events'
import type { FastifyReply } from 'fastify'
import type { Row, Table } from '../spreadsheets/table.ts'
import type { Sending } from './sending.ts'
import { begin, begun } from './sending.ts'

/**
 * Sends rows as a file, at the caller's speed. Resolves when the last row is handed over, after which the transaction
 * that reads them is no longer needed. If the caller disconnects or reads nothing for too long, reading stops and the
 * file is truncated.
 */
export async function sendTable<R = Row>(
  reply: FastifyReply,
  file: { name: string; type: string },
  { rows, bytes }: Table,
  read: AsyncIterable<readonly R[]>,
  /** How long the caller may read nothing, in ms. */
  patience = 60_000,
): Promise<Sending> {
  begin(reply)
  void reply
    .type(file.type)
    .header('content-disposition', `attachment; filename="${file.name}"`)
    .header('cache-control', 'no-store')
    .send(bytes)
  let sent: number | null = 0
  const closed = once(bytes, 'close').catch(() => {})
  try {
    for await (const some of read) {
      if (bytes.destroyed) break
      sent = some.every((row) => Array.isArray(row)) && sent !== null ? sent + some.length : null
      if (!rows.write(some))
        await Promise.race([once(rows, 'drain', { signal: AbortSignal.timeout(patience) }), closed])
    }
    rows.end()
  } catch (error) {
    // The response may have started: the caller must notice that it is incomplete.
    bytes.destroy(error as Error)
  }
  // The first row is the heading. For other files, the number of rows in their parts is unknown.
  return begun(sent && sent - 1)
}
