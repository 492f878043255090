import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { isLimited } from '@caretaker/rules/identity/actor.ts'
import type { Db } from '../../postgres/pool.ts'
import { doDue, inBatches, makeDue } from '../../postgres/due.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { setTagSets } from '../../properties/states.ts'
import { productsReadBy } from './store.ts'

/*
 * The tags of a property's devices are stored with the property as its tag set: a hash of each tag with the product
 * and the access rights tag of its device, because nothing is disclosed about devices that the user does not see.
 * Reading them from the devices took half a second for 200,000 properties.
 * Code that changes a tag set announces it (`postgres/retagged.ts`) in the same transaction; a job rewrites the set.
 * A property without a set, or with a change announced since, is read from its devices, so lists are always current.
 */

/** Maximum number of properties recomputed in one transaction. */
const mostAtOnce = 5000

/** Whether a property has a device that the actor sees and that has one of the tags meeting a condition. */
export function hasTag(meets: RawBuilder<boolean>, tenant: string, actor: Actor): RawBuilder<boolean> {
  const named = sql`select id from tag where tag.tenant_id = ${tenant} and ${meets}`
  return sql`case
    when property.tag_set is null or property.id in (${retaggedHomes(tenant)})
    then property.id in (
      select device.property_id from device
      join device_tag on device_tag.tenant_id = ${tenant} and device_tag.device_id = device.id
      where device.tenant_id = ${tenant} and device_tag.tag_id in (${named}) and ${seenBy(actor, 'device')}
        and device.property_id in (${setsToWrite(tenant)}))
    else property.tag_set in (
      select tag_set.id from tag_set
      where tag_set.tenant_id = ${tenant} and tag_set.tag_id in (${named}) and ${seenBy(actor, 'tag_set')})
    end`
}

/** Whether the actor sees the device of a row. */
export const seenBy = (actor: Actor, of: 'device' | 'tag_set' | 'status_set') =>
  sql<boolean>`${sql.ref(`${of}.product`)} = any(${productsReadBy(actor)}::text[])
    ${isLimited(actor) ? sql`and ${sql.ref(`${of}.access_rights_tag_id`)} = any(${[...actor.tags]}::uuid[])` : sql``}`

/** Properties whose visible devices may differ from those in their stored sets. */
export const retaggedHomes = (tenant: string) =>
  sql`select property_id from property_retagged where property_retagged.tenant_id = ${tenant}`

const setsToWrite = (tenant: string) => sql`
  ${retaggedHomes(tenant)}
  union all
  select id from property as unset where unset.tenant_id = ${tenant} and unset.tag_set is null and unset.archived_at is null`

/** Whether any property needs its set rewritten. */
export async function isRetagged(tx: TenantTx): Promise<boolean> {
  const { rows } = await sql`${setsToWrite(tx.tenant)} limit 1`.execute(tx)
  return rows.length > 0
}

/**
 * Rewrites the tag sets of properties that have none or were retagged, several thousand per transaction; returns how
 * many.
 */
export async function rewriteTagSets(db: Db, tenant: string): Promise<number> {
  return inBatches(() => inTenant(db, tenant, recomputeSome), mostAtOnce)
}

/** Skips locked properties, which are left for the next run. */
async function recomputeSome(tx: TenantTx): Promise<number> {
  const { rows: taken } = await sql<{ id: string }>`
    select id from (${setsToWrite(tx.tenant)}) as pending (id) group by id limit ${mostAtOnce}`.execute(tx)
  const { rows: held } = await sql<{ id: string; former: string | null }>`
    select id, tag_set as former from property
    where tenant_id = ${tx.tenant} and id = any(${taken.map(({ id }) => id)}::uuid[])
    order by id for no key update skip locked`.execute(tx)
  const homes = held.map(({ id }) => id)
  // Changes announced while the sets are computed stay for the next run.
  await sql`
    delete from property_retagged
    where tenant_id = ${tx.tenant} and (property_id = any(${homes}::uuid[]) or not exists (
      select from property where property.tenant_id = ${tx.tenant} and property.id = property_retagged.property_id))`.execute(
    tx,
  )
  await sql`
    with ${setsOf(tx, homes)}
    insert into tag_set (tenant_id, id, tag_id, product, access_rights_tag_id)
    select ${tx.tenant}, new.id, carried.tag_id, carried.product, carried.access_rights_tag_id
    from (select distinct on (id) id, property_id from sets) as new join carried on carried.property_id = new.property_id
    on conflict do nothing`.execute(tx)
  await setTagSets(tx, homes, setsOf(tx, homes))
  await sql`
    delete from tag_set
    where tenant_id = ${tx.tenant} and id = any(${held.flatMap(({ former }) => former ?? [])}::uuid[])
      and not exists (
        select from property where property.tenant_id = ${tx.tenant} and property.tag_set = tag_set.id)`.execute(tx)
  return homes.length
}

/**
 * The tags of the devices in these properties, and the set of each property with a tagged device. Materialized: a
 * distributed database refuses `concat_ws`, which depends on session settings, in an insert or update.
 */
const setsOf = (tx: TenantTx, homes: readonly string[]) => sql`
  carried as materialized (
    select device.property_id, device_tag.tag_id, device.product, device.access_rights_tag_id from device
    join device_tag on device_tag.tenant_id = ${tx.tenant} and device_tag.device_id = device.id
    where device.tenant_id = ${tx.tenant} and device.property_id = any(${homes}::uuid[])
    group by 1, 2, 3, 4
  ), sets as materialized (
    select property_id, md5(string_agg(concat_ws(' ', tag_id, product, access_rights_tag_id), ','
      order by tag_id, product collate "C", access_rights_tag_id))::uuid as id
    from carried group by property_id
  )`

/** Checks the tag sets of all properties for unannounced changes; returns the number of tenants with any. */
export async function lookAtTags(db: Db, now = new Date()): Promise<number> {
  return doDue(db, {
    work: 'look at tags of homes',
    now,
    run: (tenant) =>
      inTenant(db, tenant, async (tx) => {
        await sql`
          insert into property_retagged (tenant_id, property_id)
          select ${tx.tenant}, id from property where tenant_id = ${tx.tenant} and archived_at is null
          on conflict do nothing`.execute(tx)
        await makeDue(tx, 'settle homes', now)
        return 1
      }),
    next: () => Promise.resolve(null),
  })
}
