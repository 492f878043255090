import type pg from 'pg'
import type { Db } from '../../postgres/pool.ts'

export async function recordClientError(
  db: Db,
  error: { tenant: string | null; personId: string; message: string; stack: string; componentStack: string },
): Promise<void> {
  await db
    .insertInto('client_error')
    .values({
      tenant_id: error.tenant,
      person_id: error.personId,
      message: error.message,
      stack: error.stack,
      component_stack: error.componentStack,
    })
    .execute()
}

/** Milliseconds for which errors of browsers are kept. */
const errorsKeptFor = 30 * 86_400_000

/** Deletes old browser errors; returns how many. */
export async function forgetClientErrors(owner: pg.Pool, now = new Date()): Promise<number> {
  const before = new Date(now.getTime() - errorsKeptFor)
  return (await owner.query('delete from client_error where at < $1', [before])).rowCount ?? 0
}
