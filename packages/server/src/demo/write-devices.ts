import type pg from 'pg'
import { splitSerialNumber } from '@caretaker/rules/devices/serial-number.ts'
import { areaOf, familyOf } from '@caretaker/rules/devices/products.ts'
import { severityOf } from '@caretaker/rules/devices/status.ts'
import { listingOf } from '@caretaker/rules/devices/listings.ts'
import { demoId } from './chance.ts'
import { arrayOf, copyRows, writeRows, type Row } from './copy.ts'
import type { DemoDevice, DemoFault } from './device.ts'
import { isInstalled, statusOfLink } from './device.ts'
import { keyHash, type Keys } from './fleet.ts'
import { historyOf, type SeriesHistory } from './history.ts'
import { testsOf } from './light-tests.ts'
import { accessRightsTagId, type TenantWorld } from './tenants.ts'

/** So many devices at a time: the world of a hundred thousand never stands in memory whole. */
const devicesAtOnce = 5000
/** Lights whose tests have their discharge curves. */
const lightsWithCurves = 100

export interface Written {
  devices: number
  points: number
  tests: number
}

/** Writes the devices of a tenant with all that hangs on them, in the transaction of the client. */
export async function writeDevices(
  client: pg.ClientBase,
  world: TenantWorld,
  keys: Keys,
  now: number,
  historyDays: number,
): Promise<Written> {
  const written: Written = { devices: 0, points: 0, tests: 0 }
  let lights = 0
  for (const devices of chunked(world.devices(), devicesAtOnce)) {
    await writeRows(client, 'device', deviceColumns, map(devices, deviceRow(world, now)))
    await writeLinks(client, world, devices, keys)
    await writeRows(client, 'event', eventColumns, devices.flatMap(eventRows(world)))
    written.points += await writeHistory(
      client,
      world,
      devices.flatMap((device) => historyOf(device, now, historyDays)),
    )
    const tested = devices.filter((device) => familyOf(device.product) === 'emered' && isInstalled(device.status))
    const curvesBefore = lightsWithCurves - lights
    written.tests += await writeRows(client, 'emergency_test', testColumns, testRows(world, tested, curvesBefore, now))
    lights += tested.length
    written.devices += devices.length
  }
  return written
}

/** When the newest of the tests began; undefined for what is no light, or never tested. */
function lastTestOf(device: DemoDevice, now: number): Date | undefined {
  if (familyOf(device.product) !== 'emered' || !isInstalled(device.status)) return undefined
  const times = testsOf(device, now, device.detail === 'none' ? 'latest' : 'two years', false).map(
    (test) => test.startedAt,
  )
  return times.length ? new Date(Math.max(...times)) : undefined
}

function* chunked<T>(items: Iterable<T>, size: number): Iterable<T[]> {
  let chunk: T[] = []
  for (const item of items) {
    chunk.push(item)
    if (chunk.length < size) continue
    yield chunk
    chunk = []
  }
  if (chunk.length) yield chunk
}

function* map<T, R>(items: Iterable<T>, change: (item: T) => R): Iterable<R> {
  for (const item of items) yield change(item)
}

const deviceColumns = [
  'tenant_id',
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
  'updated_at',
  'status_at',
  'last_test_at',
  'building_name',
  'floor_number',
  'floor_name',
  'property_reference',
  'address',
  'postcode',
]

function deviceRow(world: TenantWorld, now: number): (device: DemoDevice) => Row {
  const { plan } = world
  const tagId = accessRightsTagId(plan.id)
  const placeOf = placesOf(world)
  return (device) => [
    plan.id,
    device.id,
    device.serial,
    device.product,
    splitSerialNumber(device.serial).model,
    device.name,
    listingOf(device.product),
    device.status,
    severityOf(device.status),
    statusOfLink(device.link, now),
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
    new Date(device.updatedAt),
    statusSince(device, now),
    lastTestOf(device, now),
    ...placeOf(device),
  ]
}

/** A failed light failed at its last test, a boiler in lockout when its fault began. */
function statusSince(device: DemoDevice, now: number): Date {
  const tested = device.status === 'FailedEquipment' ? lastTestOf(device, now) : undefined
  return tested ?? new Date(device.fault?.since ?? device.updatedAt)
}

/** The copies of a device's place, in the order of their columns, as `refreshPlaces` makes them. */
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

/** What the device last said of itself, in the words of the device link. */
function reportedOf(device: DemoDevice): Record<string, unknown> {
  if (device.link.heardAt === null) return {}
  const { traits, fault, monitoring, relays } = device
  const heats = ['boiler', 'airSourceHeatPump', 'heatInterfaceUnit', 'autofill'].includes(familyOf(device.product))
  return {
    firmware: traits['firmware'],
    ...(monitoring && { monitoring }),
    ...(relays && { relays }),
    ...(traits['installedAs'] && { installedAs: traits['installedAs'] }),
    ...(areaOf(device.product) === 'lighting' && { runningTest: null, networkJoined: true }),
    ...(device.product === 'ZR' && { networkJoined: true }),
    ...(heats && { faultCode: fault?.code ?? 'None', fault: fault ? reportedFault(fault) : null }),
  }
}

function reportedFault(fault: DemoFault) {
  return {
    faultCode: fault.code,
    description: fault.description,
    timestamp: new Date(fault.since).toISOString(),
    faultSource: fault.source,
    isResettable: fault.isResettable,
  }
}

async function writeLinks(client: pg.ClientBase, { plan }: TenantWorld, devices: DemoDevice[], keys: Keys) {
  await writeRows(
    client,
    'device_link',
    ['tenant_id', 'device_id', 'heard_at', 'drops'],
    map(devices, ({ id, link }) => [
      plan.id,
      id,
      link.heardAt === null ? null : new Date(link.heardAt),
      arrayOf(link.drops.map((drop) => `"${new Date(drop).toISOString()}"`)),
    ]),
  )
  await writeRows(
    client,
    'device_route',
    ['device_id', 'tenant_id', 'parent_id', 'key_hash', 'reporting_interval'],
    map(devices, ({ id, parentId, link }) => {
      const key = keys.get(id)
      return [id, plan.id, parentId, key === undefined ? null : keyHash(key), link.interval]
    }),
  )
  await writeRows(
    client,
    'device_tag',
    ['tenant_id', 'device_id', 'tag_id'],
    devices.flatMap(({ id, tags }) => tags.map((name) => [plan.id, id, demoId(`${plan.id} tag ${name}`)])),
  )
}

const eventColumns = ['tenant_id', 'id', 'device_id', 'start_at', 'end_at', 'severity', 'category', 'description']

function eventRows({ plan }: TenantWorld): (device: DemoDevice) => Row[] {
  return ({ id, fault, pastFaults = [] }) =>
    [...pastFaults, ...(fault ? [{ ...fault, until: null }] : [])].map((fault) => [
      plan.id,
      fault.eventId,
      id,
      new Date(fault.since),
      fault.until === null ? null : new Date(fault.until),
      'High',
      fault.source === 'boiler' ? 'Boiler' : 'Autofill',
      `${fault.code}: ${fault.description}`,
    ])
}

/** Readings travel as one row a series and are taken apart by the database, which also makes the roll-ups of them. */
async function writeHistory(client: pg.ClientBase, { plan }: TenantWorld, series: SeriesHistory[]): Promise<number> {
  if (!series.length) return 0
  await client.query(
    `create temporary table seed_history (
       device_id uuid, metric text, start_at timestamptz, step double precision, readings double precision[])`,
  )
  await copyRows(
    client,
    'seed_history',
    ['device_id', 'metric', 'start_at', 'step', 'readings'],
    map(series, ({ deviceId, metric, start, step, values }) => [
      deviceId,
      metric,
      new Date(start),
      step / 1000,
      arrayOf(values),
    ]),
  )
  await client.query('analyze seed_history')
  await client.query(
    'insert into series (tenant_id, device_id, metric) select $1, device_id, metric from seed_history',
    [plan.id],
  )
  const readings = `
    select series.id as series_id, start_at + (step * (n - 1)) * interval '1 second' as at, value
    from seed_history
    join series on series.tenant_id = $1
      and series.device_id = seed_history.device_id and series.metric = seed_history.metric
    cross join lateral unnest(readings) with ordinality as reading (value, n)
    where value is not null`
  const { rowCount } = await client.query(
    `insert into point (tenant_id, series_id, at, value) select $1, series_id, at, value from (${readings}) as reading`,
    [plan.id],
  )
  // As the device link makes them, so that the next reading goes on where these end.
  await client.query(
    `insert into hourly (tenant_id, series_id, hour, n, total, low, high, last_at, last_value)
     select $1, series_id, date_bin('1 hour', at, timestamptz 'epoch') as hour,
       count(*), sum(value), min(value), max(value), max(at), (array_agg(value order by at desc))[1]
     from (${readings}) as reading group by series_id, hour order by series_id, hour`,
    [plan.id],
  )
  await client.query('drop table seed_history')
  return rowCount ?? 0
}

const testColumns = [
  'tenant_id',
  'event_id',
  'device_id',
  'test_type',
  'started_at',
  'result',
  'reason',
  'component_states',
  'series',
]

function* testRows({ plan }: TenantWorld, lights: DemoDevice[], withCurves: number, now: number): Iterable<Row> {
  for (const [index, light] of lights.entries())
    for (const test of testsOf(light, now, light.detail === 'none' ? 'latest' : 'two years', index < withCurves))
      yield [
        plan.id,
        test.eventId,
        test.deviceId,
        test.testType,
        new Date(test.startedAt),
        test.result,
        test.reason,
        test.componentStates,
        test.series,
      ]
}
