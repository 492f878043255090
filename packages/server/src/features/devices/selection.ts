import { sql } from 'kysely'
import type { DeviceSelection, SelectedDevice } from '@caretaker/contract/devices.ts'
import { bulkLimit } from '@caretaker/rules/actions/actions.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { productCodes } from '@caretaker/rules/devices/products.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { isReadOnly } from '@caretaker/rules/devices/rights.ts'
import { orderOf, orderParts } from '../../lists/order.ts'
import type { Wanted } from '../../lists/read.ts'
import { rowsWanted } from '../../lists/read.ts'
import type { Rows } from '../../lists/source.ts'
import { wantedOf } from '../../lists/wanted.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { findView } from '../views/store.ts'
import { deviceList } from './list.ts'
import { visible } from './visible.ts'

/** Devices of a selection that the actor may see: those that are there, of those picked; or all that the question finds now. */
async function selected(tx: TenantTx, actor: Actor, selection: DeviceSelection): Promise<Rows<'device'>> {
  if ('deviceIds' in selection)
    return visible(tx.selectFrom('device'), actor).where(sql<boolean>`device.id = any(${selection.deviceIds}::uuid[])`)
  const wanted = await wantedOf(deviceList, tx, actor, selection.query, findView)
  const rows = await rowsWanted(deviceList, tx, actor, wanted)
  return selection.except.length ? rows.where(sql<boolean>`device.id <> all(${selection.except}::uuid[])`) : rows
}

/** The devices of a selection that the actor may change, as a query of their ids. */
export async function changeable(tx: TenantTx, actor: Actor, selection: DeviceSelection) {
  const products = productCodes.filter((product) => !isReadOnly(actor, { product }))
  return (await selected(tx, actor, selection))
    .where(sql<boolean>`device.product = any(${products}::text[])`)
    .select('device.id')
}

/** Devices that are alike as far as choosing an action for them goes, and how many there are. */
export interface Alike {
  product: Product
  status: DeviceStatus
  count: number
}

export async function countSelected(tx: TenantTx, actor: Actor, selection: DeviceSelection): Promise<Alike[]> {
  return (await selected(tx, actor, selection))
    .select(['device.product', 'device.status', sql<number>`count(*)`.as('count')])
    .groupBy(['device.product', 'device.status'])
    .execute()
}

/** Every device of a listing that the actor may select, at most `bulkLimit`, and how many are read-only for them. */
export async function selectable(
  tx: TenantTx,
  actor: Actor,
  wanted: Wanted<ListingName>,
): Promise<{ devices: SelectedDevice[]; readOnly: number }> {
  const rows = await (
    await rowsWanted(deviceList, tx, actor, wanted)
  )
    .orderBy(orderOf(orderParts(deviceList, wanted.sorts), false))
    .select(['device.id', 'product', 'status', 'serial', 'device.name'])
    .limit(bulkLimit)
    .execute()
  const devices = rows
    .filter((row) => !isReadOnly(actor, row))
    .map((row) => ({
      deviceId: row.id,
      deviceProductId: row.product,
      deviceStatus: row.status,
      deviceSerial: row.serial,
      deviceDisplayName: row.name,
    }))
  return { devices, readOnly: rows.length - devices.length }
}
