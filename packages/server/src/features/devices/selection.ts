import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { DeviceSelection } from '@caretaker/contract/devices.ts'
import type { Tag } from '@caretaker/contract/tags.ts'
import { productCodes } from '@caretaker/rules/devices/products.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { isReadOnly } from '@caretaker/rules/devices/rights.ts'
import { rowsWanted } from '../../lists/read.ts'
import type { Rows } from '../../lists/source.ts'
import { wantedOf } from '../../lists/wanted.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { findView } from '../views/store.ts'
import { deviceList } from './list.ts'
import { visible } from './visible.ts'
import { naturally } from '../../postgres/natural-order.ts'

/** A selection in which properties are resolved to a query of their ids. */
export type ResolvedSelection = Exclude<DeviceSelection, { properties: unknown }> | { inHomes: RawBuilder<unknown> }

/** Devices of a selection that the actor may see: the picked ones that exist, or everything the query finds now. */
async function selected(tx: TenantTx, actor: Actor, selection: ResolvedSelection): Promise<Rows<'device'>> {
  if ('deviceIds' in selection)
    return visible(tx.selectFrom('device'), actor).where(sql<boolean>`device.id = any(${selection.deviceIds}::uuid[])`)
  if ('inHomes' in selection)
    return visible(tx.selectFrom('device'), actor).where(sql<boolean>`device.property_id in (${selection.inHomes})`)
  const wanted = await wantedOf(deviceList, tx, actor, selection.query, findView)
  const rows = await rowsWanted(deviceList, tx, actor, wanted)
  return selection.except.length ? rows.where(sql<boolean>`device.id <> all(${selection.except}::uuid[])`) : rows
}

/**
 * The devices of a selection that the actor may change, as a query of their ids; limited to these statuses if given.
 */
export async function changeable(
  tx: TenantTx,
  actor: Actor,
  selection: ResolvedSelection,
  statuses?: readonly DeviceStatus[],
) {
  const products = productCodes.filter((product) => !isReadOnly(actor, { product }))
  return (await selected(tx, actor, selection))
    .where(sql<boolean>`device.product = any(${products}::text[])`)
    .$if(statuses !== undefined, (rows) => rows.where(sql<boolean>`device.status = any(${statuses}::text[])`))
    .select('device.id')
}

/** Devices that are equal with regard to available actions, and their number. */
export interface Alike {
  product: Product
  status: DeviceStatus
  count: number
}

export async function countSelected(tx: TenantTx, actor: Actor, selection: ResolvedSelection): Promise<Alike[]> {
  return (await selected(tx, actor, selection))
    .select(['device.product', 'device.status', sql<number>`count(*)`.as('count')])
    .groupBy(['device.product', 'device.status'])
    .execute()
}

/** The tags of the devices in a selection that the actor may change, by name, with the number of devices for each. */
export async function tagsOfSelected(
  tx: TenantTx,
  actor: Actor,
  selection: ResolvedSelection,
): Promise<(Tag & { devices: number })[]> {
  return tx
    .selectFrom('device_tag')
    .innerJoin('tag', (join) => join.on('tag.tenant_id', '=', tx.tenant).onRef('tag.id', '=', 'device_tag.tag_id'))
    .where('device_tag.tenant_id', '=', tx.tenant)
    .where('device_tag.device_id', 'in', await changeable(tx, actor, selection))
    .select(['tag.id', 'tag.name', sql<number>`count(*)`.as('devices')])
    .groupBy(['tag.id', 'tag.name'])
    .orderBy(naturally(sql`tag.name`))
    .execute()
}
