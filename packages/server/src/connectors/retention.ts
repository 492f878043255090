import { sql } from 'kysely'
import { keptDays } from '@caretaker/rules/connections/connections.ts'
import { deletedAtOnce, doDue, inBatches } from '../postgres/due.ts'
import type { Db } from '../postgres/pool.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { inTenant } from '../postgres/tenant.ts'

const keptFor = keptDays * 86_400_000
/** How long counts per hour are kept, in ms: enough to compare a whole week. */
const countsKeptFor = 8 * 86_400_000

/** Deletes expired sensor messages and counts of connections; returns the number of messages. */
export async function forgetSensorMessages(db: Db, now = new Date()): Promise<number> {
  const [oldest, oldestCounts] = [new Date(+now - keptFor), new Date(+now - countsKeptFor)]
  return doDue(db, {
    work: 'forget sensor messages',
    now,
    run: async (tenant) => {
      await inTenant(db, tenant, (tx) =>
        tx.deleteFrom('connection_hour').where('tenant_id', '=', tx.tenant).where('hour', '<', oldestCounts).execute(),
      )
      return inBatches(() => inTenant(db, tenant, (tx) => deleteBefore(tx, oldest)))
    },
    next: async (tx) => {
      const { first } = await tx
        .selectFrom('sensor_message')
        .select((eb) => eb.fn.min('received_at').as('first'))
        .where('tenant_id', '=', tx.tenant)
        .executeTakeFirstOrThrow()
      return first && new Date(+first + keptFor)
    },
  })
}

async function deleteBefore(tx: TenantTx, oldest: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from sensor_message where tenant_id = ${tx.tenant} and id in (
      select id from sensor_message where tenant_id = ${tx.tenant} and received_at <= ${oldest}
      limit ${deletedAtOnce})`.execute(tx)
  return Number(numAffectedRows)
}
