import { once } from 'node:events'
import type { FastifyReply } from 'fastify'
import type { Row, Table } from '../spreadsheets/table.ts'
import type { Sending } from './sending.ts'
import { begun } from './sending.ts'

/**
 * Sends rows as a file, as fast as the caller takes it, and ends with the last row handed over: what the rows are read
 * with, such as a transaction, is then no longer needed. When the caller goes away, or takes nothing for too long, no more
 * rows are read and the file breaks off.
 */
export async function sendTable<R = Row>(
  reply: FastifyReply,
  file: { name: string; type: string },
  { rows, bytes }: Table,
  read: AsyncIterable<readonly R[]>,
  /** For so many milliseconds the caller may take nothing. */
  patience = 60_000,
): Promise<Sending> {
  void reply
    .type(file.type)
    .header('content-disposition', `attachment; filename="${file.name}"`)
    .header('cache-control', 'no-store')
    .send(bytes)
  const closed = once(bytes, 'close').catch(() => {})
  try {
    for await (const some of read) {
      if (bytes.destroyed) break
      if (!rows.write(some))
        await Promise.race([once(rows, 'drain', { signal: AbortSignal.timeout(patience) }), closed])
    }
    rows.end()
  } catch (error) {
    // The answer may have begun: the caller must see that it is not whole.
    bytes.destroy(error as Error)
  }
  return begun
}
