import { hash } from 'node:crypto'
import { splitSerialNumber } from '@caretaker/rules/devices/serial-number.ts'
import { areaOf, familyOf } from '@caretaker/rules/devices/products.ts'
import { isOpen, standingOf } from '@caretaker/rules/conditions/conditions.ts'
import { reasonOf } from '@caretaker/rules/conditions/words.ts'
import { severityOf } from '@caretaker/rules/devices/status.ts'
import { listingOf } from '@caretaker/rules/devices/list.ts'
import { demoId } from '../chance.ts'
import type { Row } from '../copy.ts'
import { arrayOf, map } from '../copy.ts'
import { keyHash } from '../fleet.ts'
import type { DemoDevice, DemoFault } from '../plan/device.ts'
import { heatingOf } from '../plan/heating.ts'
import { statusOfLink } from '../plan/device.ts'
import type { TenantWorld } from '../plan/tenants.ts'
import { accessRightsTagId } from '../plan/tenants.ts'
import type { DeviceSeeder } from '../seeding.ts'
import { complianceColumns, complianceOf } from './compliance.ts'
import { conditionsOf } from './conditions.ts'
import { lastTestOf } from './light-tests.ts'

/** Creates the devices with their device link data and tags. */
export const seedDevices: DeviceSeeder = async ({ write, world, keys, now }, devices) => {
  await write('device', deviceColumns, map(devices, deviceRow(world, now)))
  await write(
    'device_link',
    ['device_id', 'heard_at', 'drops'],
    map(devices, ({ id, link }) => [
      id,
      link.heardAt === null ? null : new Date(link.heardAt),
      arrayOf(link.drops.map((drop) => `"${new Date(drop).toISOString()}"`)),
    ]),
  )
  await write(
    'device_route',
    ['device_id', 'parent_id', 'key_hash', 'reporting_interval'],
    map(devices, ({ id, parentId, link }) => {
      const key = keys.get(id)
      return [id, parentId, key === undefined ? null : keyHash(key), link.interval]
    }),
  )
  await write(
    'device_tag',
    ['device_id', 'tag_id'],
    devices.flatMap(({ id, tags }) => tags.map((name) => [id, demoId(`${world.plan.id} tag ${name}`)])),
  )
}

const deviceColumns = [
  'id',
  'serial',
  'product',
  'model',
  'name',
  'listing',
  'status',
  'severity',
  'connection_status',
  'in_wholesale',
  'building_id',
  'floor_id',
  'property_id',
  'parent_id',
  'access_rights_tag_id',
  'room',
  'location',
  'location_details',
  'power_clamps',
  'latitude',
  'longitude',
  'monitoring',
  'reported',
  'reporting_interval',
  'created_at',
  'status_at',
  'status_reason',
  'status_reason_folded',
  'connection_at',
  'last_test_at',
  'last_full_test_at',
  'building_name',
  'floor_number',
  'floor_name',
  'property_reference',
  'address',
  'postcode',
  ...complianceColumns,
]

function deviceRow(world: TenantWorld, now: number): (device: DemoDevice) => Row {
  const tagId = accessRightsTagId(world.plan.id)
  const placeOf = placesOf(world)
  return (device) => {
    const conditions = conditionsOf(device, now)
    const { status, since } = standingOf(conditions)
    const reason = reasonOf(conditions.filter(isOpen))
    const connection = statusOfLink(device.link, now)
    return [
      device.id,
      device.serial,
      device.product,
      splitSerialNumber(device.serial).model,
      device.name,
      listingOf(device.product),
      status,
      severityOf(status),
      connection,
      device.inWholesale,
      device.buildingId,
      device.floorId,
      device.propertyId,
      device.parentId,
      device.patch && tagId(device.patch),
      device.room,
      device.location,
      device.locationDetails,
      device.powerClamps,
      device.place?.latitude,
      device.place?.longitude,
      device.monitoring,
      reportedOf(device),
      device.link.interval,
      new Date(device.createdAt),
      new Date(since ?? device.updatedAt),
      reason,
      reason?.toLowerCase() ?? null,
      // The start of the outage is known for offline devices.
      connection === 'NotConnected' && device.link.heardAt !== null ? new Date(device.link.heardAt) : null,
      lastTestOf(device, now),
      lastTestOf(device, now, 'T180'),
      ...placeOf(device),
      ...complianceOf(device, now),
    ]
  }
}

/** The copied location columns of a device, in the order of `refreshPlaces`. */
function placesOf({ buildings, properties }: TenantWorld): (device: DemoDevice) => Row {
  const buildingOf = new Map(buildings.map((building) => [building.id, building]))
  const floorOf = new Map(buildings.flatMap((building) => building.floors).map((floor) => [floor.id, floor]))
  const propertyOf = new Map(properties.map((property) => [property.id, property]))
  return ({ buildingId, floorId, propertyId }) => {
    const building = buildingId ? buildingOf.get(buildingId) : undefined
    const floor = floorId ? floorOf.get(floorId) : undefined
    const property = propertyId ? propertyOf.get(propertyId) : undefined
    const home = property && [property.line, property.town, property.county].filter(Boolean).join(', ')
    return [
      building?.name,
      floor?.number,
      floor?.name,
      property?.reference,
      home || building?.address || undefined,
      property?.postcode || building?.postcode || undefined,
    ]
  }
}

/** The reported state of a device, in the format of the device link. */
export function reportedOf(device: DemoDevice): Record<string, unknown> {
  if (device.link.heardAt === null) return {}
  const { traits, fault, monitoring, relays } = device
  const heating = heatingOf(device)
  const heatingFields = Object.keys(heating).map((name) => [name, traits[name] ?? heating[name]])
  const heats = ['boiler', 'airSourceHeatPump', 'heatInterfaceUnit', 'autofill'].includes(familyOf(device.product))
  return {
    firmware: traits['firmware'],
    ...(monitoring && { monitoring }),
    ...Object.fromEntries(heatingFields),
    ...(radios.includes(familyOf(device.product)) && { eui64: eui64Of(device.serial) }),
    ...(relays && { relays }),
    ...(traits['installedAs'] && { installedAs: traits['installedAs'] }),
    ...(areaOf(device.product) === 'lighting' && { runningTest: null, networkJoined: true }),
    ...(device.product === 'ZR' && { networkJoined: true }),
    ...(heats && { faultCode: fault?.code ?? 'None', fault: fault ? reportedFault(fault) : null }),
  }
}

/** The device families that use a property's or building's radio network. */
const radios = ['multiDot', 'enviroDot', 'vStat', 'powerSwitch', 'powerMeter', 'autofill']

/** A radio's address: sixteen hexadecimal digits, derived from its serial number. */
const eui64Of = (serial: string) => `00124b00${hash('sha256', serial, 'hex').slice(0, 8)}`

function reportedFault(fault: DemoFault) {
  return {
    faultCode: fault.code,
    description: fault.description,
    timestamp: new Date(fault.since).toISOString(),
    faultSource: fault.source,
    isResettable: fault.isResettable,
  }
}
