import { createHash, randomUUID } from 'node:crypto'
import { listingOf } from '@caretaker/rules/devices/list.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import { severityOf } from '@caretaker/rules/devices/status.ts'
import { begun } from '../../features/conditions/begun.ts'
import { happened } from '../../features/conditions/store.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../app.ts'
import type { Furnishing } from './context.ts'
import { nextNumber, write } from './context.ts'

export interface NewDevice {
  product?: Product
  status?: DeviceStatus
  serial?: string
  name?: string
  inWholesale?: boolean
  parentId?: string
  accessRightsTagId?: string
  /** The key with which it may connect; none by default. */
  key?: string
}

/** Adds a device to a tenant, with its route on the device link. */
export async function addDevice(test: TestApp, tenant: string, given: NewDevice = {}): Promise<string> {
  const { product = 'EM', status = 'Ok' } = given
  const id = randomUUID()
  const serial = given.serial ?? `${product}1${String(nextNumber()).padStart(6, '0')}X`
  await inTenant(test.database.db, tenant, async (tx) => {
    await tx
      .insertInto('device')
      .values({
        tenant_id: tenant,
        id,
        serial,
        product,
        model: '1',
        name: given.name ?? `Device ${serial}`,
        listing: listingOf(product) ?? null,
        // Long ago, so that its tests may be of any age.
        created_at: new Date('2020-01-01'),
        status,
        severity: severityOf(status),
        in_wholesale: given.inWholesale ?? false,
        parent_id: given.parentId ?? null,
        access_rights_tag_id: given.accessRightsTagId ?? null,
      })
      .execute()
    await tx
      .insertInto('device_route')
      .values({
        device_id: id,
        tenant_id: tenant,
        parent_id: given.parentId ?? null,
        key_hash: given.key ? createHash('sha256').update(given.key).digest() : null,
      })
      .execute()
    // A device in service has been in contact and, if it is a light, was tested before the test starts.
    const before = begun(status, product, { id: null, name: 'A test' }).filter(({ what }) => what !== 'installed')
    await happened(
      tx,
      before.map((occurrence) => ({ deviceId: id, occurrence })),
    )
  })
  return id
}

export async function addAccessRightsTag(test: TestApp, tenant: string, displayName: string): Promise<string> {
  const id = randomUUID()
  await inTenant(test.database.db, tenant, (tx) =>
    tx.insertInto('access_rights_tag').values({ tenant_id: tenant, id, display_name: displayName }).execute(),
  )
  return id
}

export type Devices = Awaited<ReturnType<typeof furnishDevices>>

/** Devices of every kind that a call names. */
export async function furnishDevices(furnishing: Furnishing) {
  const { test, tenant, secret, accessRightsTag: tag } = furnishing
  const add = (product: Product, name: string, more: NewDevice = {}) =>
    addDevice(test, tenant, { product, name: `${secret} ${name}`, accessRightsTagId: tag, ...more })
  const gateway = await add('MG', 'gateway')
  const lightSerial = `EM1-${secret}`
  const light = await add('EM', 'light', { serial: lightSerial, parentId: gateway })
  const failedLight = await add('EM', 'failed light', { status: 'FailedEquipment' })
  const sensors = [await add('MD', 'sensor'), await add('TH', 'sensor')]
  const thermostat = sensors[1]!
  const boiler = await add('BX', 'boiler')
  const liftMonitor = await add('LM', 'lift monitor')
  const peopleCounter = await add('PC', 'people counter')
  const powerMeter = await add('PM', 'power meter', { parentId: boiler })
  const powerSwitch = await add('PS', 'power switch', { parentId: boiler })
  await write(furnishing, async (tx) => {
    await tx
      .insertInto('device_link')
      .values({ tenant_id: tenant, device_id: light, heard_at: new Date(), drops: [new Date()] })
      .execute()
  })
  const newLight = (more: NewDevice = {}) => add('EM', 'light', { key: secret, ...more })
  return {
    ...{
      gateway,
      light,
      failedLight,
      sensors,
      thermostat,
      boiler,
      liftMonitor,
      peopleCounter,
      powerMeter,
      powerSwitch,
    },
    /** The serial number of `light`. */
    lightSerial,
    newLight,
    newLightInStock: () => newLight({ status: 'Inventory' }),
  }
}
