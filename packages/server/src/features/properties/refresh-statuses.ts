import { sql } from 'kysely'
import { doDue, inBatches } from '../../postgres/due.ts'
import type { Db } from '../../postgres/pool.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { setWorstStatuses } from '../../properties/states.ts'
import { homesWithOtherFacts, recomputeAllCompliance, recomputeChangedHomes } from '../compliance/compliance-states.ts'
import { recomputeCases } from './law-cases.ts'
import { refreshHeating } from '../heating/refresh.ts'
import { isRetagged, rewriteTagSets } from './tags.ts'

/**
 * Stores the worst status of each property's devices, and its status set, where they changed; returns how many. A job
 * does this to avoid deadlocks: code that writes a status locks the device, while a change of the void flag locks the
 * property before its devices.
 */
export async function refreshHomeStatuses(db: Db, now = new Date()): Promise<number> {
  let refreshed = 0
  return doDue(db, {
    work: 'settle homes',
    now,
    run: async (tenant) => {
      await inBatches(() => inTenant(db, tenant, (tx) => recomputeChangedHomes(tx, now)), checkedAtOnce)
      await inTenant(db, tenant, refreshHeating)
      refreshed = await inBatches(() => inTenant(db, tenant, recomputeSome), mostAtOnce)
      return refreshed + (await rewriteTagSets(db, tenant))
    },
    // Locked properties are left for the next run, so no run waits for others to finish.
    next: async (tx) => {
      if (refreshed || (await isRetagged(tx))) return now
      const { rows } = await sql`${differing(tx)} limit 1`.execute(tx)
      const { rows: others } = await sql`${homesWithOtherFacts(tx)} limit 1`.execute(tx)
      return rows.length + others.length ? now : null
    },
  })
}

/** Maximum number of properties recomputed in one transaction. */
const mostAtOnce = 5000
const checkedAtOnce = 1000

/**
 * For each property the worst status of its devices, and its status set: a hash of the worst status per product and
 * access rights tag, in order; a user's status is the first of those that the user sees.
 */
const worstOf = (tx: TenantTx, homes?: readonly string[]) => sql`
  select property_id, (array_agg(status order by severity desc, status_at, id))[1] as status, max(severity) as severity,
    md5(string_agg(concat_ws(' ', product, access_rights_tag_id, status), ',' order by severity desc, status_at, id))::uuid as set
  from (${kindsOf(tx, homes)}) as kind group by property_id`

const kindsOf = (tx: TenantTx, homes?: readonly string[]) => sql`
  select distinct on (property_id, product, access_rights_tag_id)
    property_id, product, access_rights_tag_id, severity, status, status_at, id
  from device
  where tenant_id = ${tx.tenant} and property_id is not null
    ${homes ? sql`and property_id = any(${homes}::uuid[])` : sql``}
  order by property_id, product, access_rights_tag_id, severity desc, status_at, id`

/** Properties whose stored status or set differs from that of their devices. */
const differing = (tx: TenantTx) => sql`
  select property.id from property
  left join (${worstOf(tx)}) as worst on worst.property_id = property.id
  where property.tenant_id = ${tx.tenant} and property.archived_at is null
    and (property.device_status is distinct from worst.status or property.status_set is distinct from worst.set)`

/** Skips locked rows, so that it never blocks other work. */
async function recomputeSome(tx: TenantTx): Promise<number> {
  // Materialized: as a subquery with a limit it may run again for each locked property.
  const { rows: held } = await sql<{ id: string; former: string | null }>`
    with differing as materialized (${differing(tx)} limit ${mostAtOnce})
    select property.id, property.status_set as former from property
    where property.tenant_id = ${tx.tenant} and property.id in (select id from differing)
    order by property.id for no key update skip locked`.execute(tx)
  if (!held.length) return 0
  const homes = held.map(({ id }) => id)
  // Materialized: a distributed database refuses `concat_ws`, which depends on session settings, in an
  // insert or update.
  await sql`
    with kinds as materialized (${kindsOf(tx, homes)}), sets as materialized (${worstOf(tx, homes)})
    insert into status_set (tenant_id, id, place, product, access_rights_tag_id, status, severity)
    select ${tx.tenant}, new.set, row_number() over (
        partition by new.set order by kinds.severity desc, kinds.status_at, kinds.id),
      kinds.product, kinds.access_rights_tag_id, kinds.status, kinds.severity
    from (select distinct on (set) set, property_id from sets) as new join kinds on kinds.property_id = new.property_id
    on conflict do nothing`.execute(tx)
  // A property whose devices changed since then is left for the next run, because its set is no longer right.
  const count = await setWorstStatuses(tx, homes, worstOf(tx, homes))
  await sql`
    delete from status_set
    where tenant_id = ${tx.tenant} and id = any(${held.flatMap(({ former }) => former ?? [])}::uuid[])
      and not exists (
        select from property where property.tenant_id = ${tx.tenant} and property.status_set = status_set.id)`.execute(
    tx,
  )
  return count
}

/** Recomputes due dates in tenants whose time zone or figures changed; returns the number of tenants. */
export async function countDueDays(db: Db, now = new Date()): Promise<number> {
  return doDue(db, {
    work: 'count due days',
    now,
    run: (tenant) =>
      inTenant(db, tenant, async (tx) => {
        await recomputeAllCompliance(tx, now)
        await recomputeCases(tx)
        return 1
      }),
    next: () => Promise.resolve(null),
  })
}
