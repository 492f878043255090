import { sql } from 'kysely'
import { doDue } from '../../postgres/due.ts'
import type { Db } from '../../postgres/pool.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'

/** Series deleted per transaction: one may have tens of thousands of readings. */
const batch = 5
/** Milliseconds after which all ingest processes know that a series was removed. */
const knownEverywhereAfter = 600_000

/** Removes the series of devices at once; the job that their events make due deletes their points and roll-ups. */
export async function forgetReadings(tx: TenantTx, deviceIds: readonly string[]): Promise<void> {
  await sql`
    with gone as (
      delete from series where tenant_id = ${tx.tenant} and device_id = any(${deviceIds}::uuid[]) returning id
    )
    insert into erasure (tenant_id, series_id) select ${tx.tenant}, id from gone on conflict do nothing`.execute(tx)
}

/**
 * Deletes the readings of removed series, and their sums, and does so once more a while later, because ingest processes
 * may not know of the removal at once. Returns how many series.
 */
export async function eraseReadings(db: Db, now = new Date()): Promise<number> {
  return doDue(db, {
    work: 'erase readings',
    now,
    run: async (tenant) => {
      let erased = 0
      for (;;) {
        const count = await inTenant(db, tenant, (tx) => eraseSome(tx, now))
        erased += count
        if (count < batch) return erased
      }
    },
    next: nextErasure,
  })
}

async function eraseSome(tx: TenantTx, now: Date): Promise<number> {
  const forGood = new Date(now.getTime() - knownEverywhereAfter)
  const rows = await tx
    .selectFrom('erasure')
    .select('series_id')
    .where('tenant_id', '=', tx.tenant)
    .where((eb) => eb.or([eb('erased_at', 'is', null), eb('asked_at', '<', forGood)]))
    .orderBy('series_id')
    .limit(batch)
    .forUpdate()
    .skipLocked()
    .execute()
  if (!rows.length) return 0
  const series = rows.map((row) => row.series_id)
  const these = sql<boolean>`series_id = any(${series}::bigint[])`
  // Points before the tables that they are packed into, because the packing job locks them in that order.
  for (const table of ['point', 'packed_day', 'hourly', 'packed_roll_up', 'packed_hours', 'daily'] as const)
    await tx.deleteFrom(table).where('tenant_id', '=', tx.tenant).where(these).execute()
  const ours = tx.deleteFrom('erasure').where('tenant_id', '=', tx.tenant).where(these)
  await ours.where('asked_at', '<', forGood).execute()
  await tx.updateTable('erasure').set({ erased_at: now }).where('tenant_id', '=', tx.tenant).where(these).execute()
  return rows.length
}

/** At once for series not deleted yet, and later for those deleted once. */
async function nextErasure(tx: TenantTx): Promise<Date | null> {
  const rows = await tx
    .selectFrom('erasure')
    .select((eb) => eb.fn.min('asked_at').as('asked_at'))
    .select(sql<boolean>`erased_at is null`.as('fresh'))
    .where('tenant_id', '=', tx.tenant)
    .groupBy('fresh')
    .execute()
  const times = rows.map(({ asked_at, fresh }) => asked_at.getTime() + (fresh ? 0 : knownEverywhereAfter))
  return times.length ? new Date(Math.min(...times)) : null
}
