import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import { deletedAtOnce, doDue, inBatches } from '../../postgres/due.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'

/** Deletes events that began before the retention period; returns how many. Test results are not events. */
export async function forgetEvents({ config, db }: Pick<Context, 'config' | 'db'>, now = new Date()): Promise<number> {
  const keptFor = config.eventDays * 86_400_000
  const oldest = new Date(now.getTime() - keptFor)
  return doDue(db, {
    work: 'forget events',
    now,
    run: (tenant) => inBatches(() => inTenant(db, tenant, (tx) => deleteBefore(tx, oldest))),
    next: async (tx) => {
      const { first } = await tx
        .selectFrom('event')
        .select((eb) => eb.fn.min<Date | null>('start_at').as('first'))
        .where('tenant_id', '=', tx.tenant)
        .executeTakeFirstOrThrow()
      return first && new Date(first.getTime() + keptFor)
    },
  })
}

async function deleteBefore(tx: TenantTx, oldest: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from event where tenant_id = ${tx.tenant} and id in (
      select id from event where tenant_id = ${tx.tenant} and start_at <= ${oldest} limit ${deletedAtOnce})`.execute(tx)
  return Number(numAffectedRows)
}

/** Deletes the events of uninstalled devices. */
export async function deleteEventsOf(tx: TenantTx, deviceIds: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('event')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${deviceIds}::uuid[])`)
    .execute()
}
