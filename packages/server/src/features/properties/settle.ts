import { sql } from 'kysely'
import { changed } from '../../changes/changed.ts'
import { doDue } from '../../postgres/due.ts'
import type { Db } from '../../postgres/pool.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { settleGasChecks } from '../compliance/homes.ts'
import { settleAll } from '../compliance/standing.ts'
import { settleCases } from './awaabs-law.ts'
import { isRetagged, settleTags } from './tags.ts'

/**
 * Writes on homes the worst status of their devices, wherever it is another one by now, and their tag sets; returns of how many. A job does it
 * because whoever writes a status holds the device, and whoever turns a home void holds the home before its devices.
 */
export async function settleHomes(db: Db, now = new Date()): Promise<number> {
  return doDue(db, {
    work: 'settle homes',
    now,
    run: async (tenant) => (await inTenant(db, tenant, settle)) + (await settleTags(db, tenant)),
    // Homes that somebody held are left for the next time.
    next: async (tx) => {
      const { rows } = await sql`${differing(tx)} limit 1`.execute(tx)
      return rows.length || (await isRetagged(tx)) ? now : null
    },
  })
}

/** Homes of which another status is written than their devices have, read from an index of devices alone. */
const differing = (tx: TenantTx) => sql`
  select property.id, worst.status, coalesce(worst.severity, 0) as severity from property
  left join (
    select distinct on (property_id) property_id, severity, status from device
    where tenant_id = ${tx.tenant} and property_id is not null
    order by property_id, severity desc, status_at, id
  ) as worst on worst.property_id = property.id
  where property.tenant_id = ${tx.tenant} and property.archived_at is null and property.device_status is distinct from worst.status`

/** Waits for nobody, so that it is in nobody's way. */
async function settle(tx: TenantTx): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    with differing as materialized (${differing(tx)}), held as materialized (
      select property.id from property
      where property.tenant_id = ${tx.tenant} and property.id in (select id from differing)
      order by property.id for no key update skip locked
    )
    update property set device_status = differing.status, device_severity = differing.severity
    from differing join held on held.id = differing.id
    where property.tenant_id = ${tx.tenant} and property.id = differing.id
    returning property.id`.execute(tx)
  await changed(
    tx,
    'property',
    rows.map(({ id }) => id),
  )
  return rows.length
}

/** Counts anew what is due in the homes of tenants whose clocks or figures are others now; returns of how many tenants. */
export async function countDueDays(db: Db, now = new Date()): Promise<number> {
  return doDue(db, {
    work: 'count due days',
    now,
    run: (tenant) =>
      inTenant(db, tenant, async (tx) => {
        await settleAll(tx, now)
        await settleGasChecks(tx)
        await settleCases(tx)
        return 1
      }),
    next: () => Promise.resolve(null),
  })
}
