import { sql } from 'kysely'
import type { Boiler, ConnectedDevice } from '@caretaker/contract/boilers.ts'
import type { Occupancy } from '@caretaker/rules/boilers/details.ts'
import {
  flagIn,
  heatingMaxOf,
  heatingUnitOf,
  numberIn,
  textIn,
  thermostatIn,
} from '@caretaker/rules/boilers/details.ts'
import { relayName, relayStates } from '@caretaker/rules/boilers/power-switch.ts'
import { faultIn } from '@caretaker/rules/devices/fault.ts'
import { monitoringIn } from '@caretaker/rules/devices/monitoring.ts'
import { products } from '@caretaker/rules/devices/products.ts'
import { isReadOnly } from '@caretaker/rules/devices/rights.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { reasonsOf } from '../conditions/store.ts'
import { idsBelow } from '../devices/below.ts'
import { deviceInFull } from '../devices/store.ts'
import { joined } from '../devices/visible.ts'
import { readSeries } from '../telemetry/store.ts'

/** Everything on the page of a boiler or heat pump; refuses as `deviceInFull` does. */
export async function boilerInFull(tx: TenantTx, actor: Actor, deviceId: string): Promise<Boiler> {
  const device = await deviceInFull(tx, actor, deviceId, 'Boilers')
  const row = await tx
    .selectFrom('device')
    .leftJoin('property', (join) =>
      join.on('property.tenant_id', '=', tx.tenant).onRef('property.id', '=', 'device.property_id'),
    )
    .where('device.tenant_id', '=', tx.tenant)
    .where('device.id', '=', deviceId)
    .select([
      'device.monitoring',
      'device.desired',
      'device.reporting_interval',
      'device.created_at',
      'property.reference',
      'property.void_flag',
    ])
    .executeTakeFirstOrThrow()
  const { reported } = device
  const { desired } = row
  const monitoring = monitoringIn(row.monitoring)
  const heatingUnit = heatingUnitOf({ product: device.productId, monitoring })
  const occupancy: Occupancy | null = row.void_flag === null ? null : row.void_flag === 'Void' ? 'Void' : 'Occupied'
  const numberOf = (name: string) => ({ desired: numberIn(desired, name), reported: numberIn(reported, name) })
  const flagOf = (name: string) => ({ desired: flagIn(desired, name), reported: flagIn(reported, name) })
  const settings = {
    chMax: numberOf('chMax'),
    dhwSetPoint: numberOf('dhwSetPoint'),
    chLimit: flagOf('chLimit'),
    buzzer: flagOf('buzzer'),
  }
  const connected = await connectedDevices(tx, actor, deviceId)
  const { flowTemperature, dhwTemperature } = await latestOf(tx, { id: deviceId, interval: row.reporting_interval })
  return {
    ...device,
    gcNumber: textIn(reported, 'boilerGc'),
    manufacturer: textIn(reported, 'boilerManufacturer'),
    model: textIn(reported, 'boilerModel'),
    heatingUnit,
    monitoring,
    firmwareVersion: textIn(reported, 'firmware'),
    hotWaterTemp: dhwTemperature,
    flowTemp: flowTemperature,
    thermostatKind: thermostatIn(reported),
    heatingMax: heatingMaxOf(settings.chMax.desired ?? settings.chMax.reported, occupancy),
    occupierId: row.reference,
    occupancy,
    chPropertyAccess: settings.chLimit.desired ?? settings.chLimit.reported,
    buzzerPropertyAccess: settings.buzzer.desired ?? settings.buzzer.reported,
    chMaxSupported: reported['chMaxSupported'] === true,
    supportsDhwSetPoint: reported['supportsDhwSetPoint'] === true,
    hasBuzzer: reported['hasBuzzer'] === true,
    settings,
    powerSwitch:
      heatingUnit === 'air source heat pump'
        ? (connected.find(({ powerSwitch }) => powerSwitch)?.powerSwitch ?? null)
        : null,
    connectedDevices: connected.map(({ connectedDevice }) => connectedDevice),
    installedAt: row.created_at.toISOString(),
  }
}

async function latestOf(tx: TenantTx, { id, interval }: { id: string; interval: number }) {
  const now = new Date()
  const metrics = ['flowTemperature', 'dhwTemperature'] as const
  const [series = []] = await readSeries(tx, [{ id, reportingInterval: interval, metrics }], { from: now, to: now })
  const [flowTemperature = null, dhwTemperature = null] = series.map(({ latest }) => latest?.value ?? null)
  return { flowTemperature, dhwTemperature }
}

/** The devices connected through a boiler's module that the actor may see, by serial number. */
async function connectedDevices(tx: TenantTx, actor: Actor, deviceId: string) {
  const below = await idsBelow(tx, deviceId)
  if (!below.length) return []
  const rows = await joined(tx)
    .where(sql<boolean>`device.id = any(${below}::uuid[])`)
    .selectAll('device')
    .orderBy('device.serial')
    .execute()
  const reasons = await reasonsOf(tx, below)
  return rows.flatMap((row) => {
    const accessRightsTags = row.access_rights_tag_id ? [row.access_rights_tag_id] : []
    const subject = { product: row.product, status: row.status, inWholesale: row.in_wholesale, accessRightsTags }
    if (!can(actor, 'see device', subject)) return []
    const shared = {
      deviceId: row.id,
      deviceName: row.name,
      serialNumber: row.serial,
      location: row.location,
      status: row.status,
      connectionStatus: row.connection_status,
      inWholesale: row.in_wholesale,
      reported: row.reported,
      userHasReadOnlyAccess: isReadOnly(actor, subject),
    }
    const connectedDevice: ConnectedDevice = {
      ...shared,
      productId: row.product,
      deviceType: products[row.product].name,
      statusReason: reasons.get(row.id) ?? null,
      lastHeard: row.heard_at?.toISOString() ?? null,
      eui64: textIn(row.reported, 'eui64'),
      locationDetails: row.location_details,
      powerClamps: row.power_clamps as Record<string, string> | null,
      fault: faultIn(row.reported),
      parentId: row.parent_id,
      parentProductId: row.parent_product,
      accessRightsTag: row.access_rights_tag_id
        ? { id: row.access_rights_tag_id, displayName: row.access_rights_name ?? '' }
        : null,
    }
    const relays = relayStates(row.desired, row.reported).map((relay) => ({ ...relay, name: relayName(relay.relayId) }))
    const powerSwitch = row.product === 'PS' ? { ...shared, accessRightsTags, relays } : undefined
    return [{ connectedDevice, powerSwitch }]
  })
}
