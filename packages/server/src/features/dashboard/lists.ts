import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Bcm, ListedDevice, VStat } from '@caretaker/contract/dashboard.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import { relayStates } from '@caretaker/rules/boilers/power-switch.ts'
import { faultIn } from '@caretaker/rules/devices/fault.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { products } from '@caretaker/rules/devices/products.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import { bcmFilterIn, conditionsOf, monitoringIn } from '@caretaker/rules/devices/monitoring.ts'
import type { Database } from '../../postgres/database.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { findDevice } from '../devices/store.ts'
import { visible } from '../devices/visible.ts'
import { rowsOf, rowsWanted } from '../../lists/read.ts'
import type { Rows } from '../../lists/source.ts'
import { deviceList } from '../devices/list.ts'

export interface Paging {
  page: number
  pageSize: number
}
interface Page<T> extends Paging {
  results: T[]
  total: number
}
type DeviceRecord = Selectable<Database['device']>
type Devices = Rows<'device'>

/** A page of some devices, by serial number. */
async function pageOf(devices: Devices, { page, pageSize }: Paging): Promise<Page<DeviceRecord>> {
  const { total } = await devices.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const results = await devices
    .selectAll('device')
    .orderBy('device.serial')
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute()
  return { results, total, page, pageSize }
}

/** The devices of some products that the actor may see. */
export async function listProducts(
  tx: TenantTx,
  actor: Actor,
  shown: readonly Product[],
  paging: Paging,
): Promise<Page<ListedDevice>> {
  const page = await pageOf(
    visible(tx.selectFrom('device'), actor).where('product', 'in', [...shown]) as Devices,
    paging,
  )
  return { ...page, results: page.results.map(listed) }
}

/** The thermostats, as in their listing. */
export async function listVstats(tx: TenantTx, actor: Actor, paging: Paging): Promise<Page<VStat>> {
  const page = await listProducts(tx, actor, listings.VStats.products, paging)
  const found = new Map(page.results.map((one) => [one.deviceId, one]))
  const rows = await rowsOf(deviceList, tx, actor, [...found.keys()])
  const results = rows.map((row) => ({
    ...found.get(row.deviceId)!,
    productId: row.deviceProductId,
    product: products[row.deviceProductId].name,
    propertyReference: row.devicePropertyReference,
    postcode: row.devicePostcode,
    address: row.deviceBuildingAddress,
    location: row.deviceLocation,
    locationDetails: row.deviceLocationDetails,
    tags: row.deviceTags,
    firmwareVersion: row.deviceFirmware,
    accessRightTag: row.deviceAccessRightsTag?.displayName ?? null,
  }))
  return { ...page, results }
}

/** Home hubs and gateways, as far as the actor may see their listings. */
export async function listGateways(tx: TenantTx, actor: Actor, paging: Paging): Promise<Page<ListedDevice>> {
  const seen: Product[] = [
    ...(can(actor, listings.NetworkingDevices.may) ? (['MG', 'ZG'] as const) : []),
    ...(can(actor, listings.HomeHubs.may) ? listings.HomeHubs.products : []),
  ]
  if (seen.length === 0) throw refuse('forbidden')
  return listProducts(tx, actor, seen, paging)
}

function listed(row: DeviceRecord): ListedDevice {
  return {
    deviceId: row.id,
    name: row.name,
    product: row.product,
    serialNumber: row.serial,
    deviceStatus: row.status,
    connectionStatus: row.connection_status,
    propertyId: row.property_id,
    propertyLocationId: row.location,
    accessRightsTagId: row.access_rights_tag_id,
  }
}

/** The Bcms listing, with the filter in the page's URL. */
export async function listBcms(
  tx: TenantTx,
  actor: Actor,
  filter: string | undefined,
  paging: Paging,
): Promise<Page<Bcm>> {
  const filters = conditionsOf(bcmFilterIn(filter))
  const page = await pageOf(
    await rowsWanted(deviceList, tx, actor, { listing: 'Bcms', filters, sorts: [], search: '' }),
    paging,
  )
  return { ...page, results: await withTags(tx, page.results) }
}

/** One BCM; a device of another kind is not found, like one that the actor does not see. */
export async function findBcm(tx: TenantTx, actor: Actor, id: string): Promise<Bcm> {
  const known = await findDevice(tx, actor, id)
  if (!(listings.Bcms.products as readonly Product[]).includes(known.product)) throw refuse('not found')
  const [bcm] = await withTags(tx, [await recordOf(tx, id)])
  return bcm!
}

const recordOf = (tx: TenantTx, id: string): Promise<DeviceRecord> =>
  tx.selectFrom('device').selectAll().where('tenant_id', '=', tx.tenant).where('id', '=', id).executeTakeFirstOrThrow()

async function withTags(tx: TenantTx, rows: readonly DeviceRecord[]): Promise<Bcm[]> {
  const ids = rows.map((row) => row.id)
  const tags = await tx
    .selectFrom('device_tag')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${ids}::uuid[])`)
    .select(['device_id', 'tag_id'])
    .execute()
  const tagsOf = Map.groupBy(tags, (tag) => tag.device_id)
  return rows.map((row) =>
    bcmOf(
      row,
      (tagsOf.get(row.id) ?? []).map((tag) => tag.tag_id),
    ),
  )
}

function bcmOf(row: DeviceRecord, tagIds: string[]): Bcm {
  const { reported, desired } = row
  const dhw = desired['dhwSetPoint']
  return {
    deviceId: row.id,
    serialNumber: row.serial,
    product: row.product,
    status: row.status,
    connectionStatus: row.connection_status,
    monitoring: monitoringIn(row.monitoring) ?? 'Unknown',
    boilerManufacturer: textIn(reported['boilerManufacturer']),
    boilerModel: textIn(reported['boilerModel']),
    boilerGc: textIn(reported['boilerGc']),
    firmwareVersion: textIn(reported['firmware']),
    faultCode: faultIn(reported)?.code ?? null,
    propertyId: row.property_id,
    propertyLocationId: row.location,
    accessRightsTagId: row.access_rights_tag_id,
    tagIds,
    supportsDhwSetPoint: reported['supportsDhwSetPoint'] === true,
    hasBuzzer: reported['hasBuzzer'] === true,
    bcmSettings: { desiredDhwSetPoint: typeof dhw === 'number' ? dhw : null },
  }
}

const textIn = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/** One power switch with its relays. */
export async function findPowerSwitch(tx: TenantTx, actor: Actor, id: string) {
  const known = await findDevice(tx, actor, id)
  if (known.product !== 'PS') throw refuse('not found')
  const row = await recordOf(tx, id)
  return { ...listed(row), relays: relayStates(row.desired, row.reported) }
}
