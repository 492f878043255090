import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { PropertySelection } from '@caretaker/contract/property-selection.ts'
import type { SelectedHomes } from '@caretaker/rules/actions/home-actions.ts'
import { productCodes } from '@caretaker/rules/devices/products.ts'
import { isReadOnly } from '@caretaker/rules/devices/rights.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hasFeature } from '@caretaker/rules/identity/actor.ts'
import { rowsWanted } from '../../lists/read.ts'
import { wantedOf } from '../../lists/wanted.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { visible, visibleProperties } from '../devices/visible.ts'
import { propertyList } from '../properties/list.ts'
import { findView } from '../views/store.ts'

/** The properties of a selection that the actor may see, as a query of their ids. */
export async function homesIn(tx: TenantTx, actor: Actor, selection: PropertySelection): Promise<RawBuilder<unknown>> {
  if ('propertyIds' in selection) {
    const some = sql<boolean>`property.id = any(${selection.propertyIds}::uuid[])`
    return sql`${visibleProperties(tx, actor).where(some).select('property.id')}`
  }
  const wanted = await wantedOf(propertyList, tx, actor, selection.query, findView)
  const rows = await rowsWanted(propertyList, tx, actor, wanted)
  const left = selection.except.length
    ? rows.where(sql<boolean>`property.id <> all(${selection.except}::uuid[])`)
    : rows
  return sql`${left.select('property.id')}`
}

/** Whether there are devices in `home`. */
const isOccupied = (tx: TenantTx) => sql<boolean>`home.id in (
  select property_id from device where device.tenant_id = ${tx.tenant} and property_id is not null)`

/** Whether `home` has an open case of Awaab's Law, if the client has the feature. */
const hasOpenCase = (
  tx: TenantTx,
  actor: Actor,
) => sql<boolean>`${hasFeature(actor, 'AwaabsLaw')}::boolean and home.id in (
  select id from property where property.tenant_id = ${tx.tenant} and awaabs_law_status <> 'None')`

/** The properties among these that can be archived now. */
export const archivable = (tx: TenantTx, actor: Actor, homes: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`select id from (${homes}) as home where not (${isOccupied(tx)}) and not (${hasOpenCase(tx, actor)})`

/** The counts of a selection of properties, without naming any of them. */
export async function countHomes(tx: TenantTx, actor: Actor, selection: PropertySelection): Promise<SelectedHomes> {
  const homes = await homesIn(tx, actor, selection)
  const products = productCodes.filter((product) => !isReadOnly(actor, { product }))
  const changeable = visible(tx.selectFrom('device'), actor)
    .where(sql<boolean>`device.property_id in (select id from home)`)
    .where(sql<boolean>`device.product = any(${products}::text[])`)
    .select(sql<number>`count(*)::int`.as('count'))
  const { rows } = await sql<SelectedHomes>`
    with home as (${homes})
    select (select count(*)::int from home) as total, (${changeable}) as devices,
      (select count(*)::int from home where ${isOccupied(tx)}) as occupied,
      (select count(*)::int from home where ${hasOpenCase(tx, actor)} and not (${isOccupied(tx)})) as "openCases"`.execute(
    tx,
  )
  return rows[0]!
}
