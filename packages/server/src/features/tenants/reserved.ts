import { reservedSegments } from '@caretaker/rules/links/addresses.ts'
import type { Context } from '../../context.ts'

/**
 * Logs each client whose id is an address of the server or the portal, added before that address was reserved. The
 * other clients of the installation work, so it starts all the same.
 */
export async function warnOfReservedIds({ owner, log }: Pick<Context, 'owner' | 'log'>): Promise<void> {
  const { rows } = await owner.query<{ id: string }>('select id from tenant where id = any($1) order by id', [
    reservedSegments,
  ])
  const mend = `add a client with another ID, bring in its lists there, and remove this one with 'caretaker tenant remove'`
  for (const { id } of rows)
    log.error({ tenant: id, mend }, `pages of the client ${id} cannot be opened: its ID is an address of the portal`)
}
