import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { furthestAhead, oldestReading } from '@caretaker/rules/calendar/device-clock.ts'
import type { TestDevice, TestLink } from '../testing/device-link.ts'
import { eventually, testLink } from '../testing/device-link.ts'

let world: TestLink
beforeAll(async () => {
  world = await testLink()
  await world.addTenant('north')
  await world.addTenant('south')
})
afterAll(() => world.close())

const points = (device: TestDevice) =>
  world.rows<{ tenant_id: string; metric: string; at: Date; value: number }>(
    `select point.tenant_id, metric, at, value from point join series on series.tenant_id = point.tenant_id and series.id = series_id
     where device_id = $1 order by metric, at`,
    [device.id],
  )
const hours = (device: TestDevice) =>
  world.rows<{ hour: Date; n: number; total: number; low: number; high: number; last_at: Date; last_value: number }>(
    `select hour, n, total, low, high, last_at, last_value from hourly join series on series.tenant_id = hourly.tenant_id and series.id = series_id
     where device_id = $1 order by metric, hour`,
    [device.id],
  )

test('an acknowledged reading is in the database: points, roll-up and latest value', async () => {
  const device = await world.addDevice('north')
  const client = await world.connect(device)
  const ts = Date.now() - 1000
  await world.publish(client, device.id, 'telemetry', { ts, values: { temperature: 20.5, humidity: 40 } })
  assert.deepEqual(await points(device), [
    { tenant_id: 'north', metric: 'humidity', at: new Date(ts), value: 40 },
    { tenant_id: 'north', metric: 'temperature', at: new Date(ts), value: 20.5 },
  ])
  const [humidity, temperature] = await hours(device)
  const hour = new Date(Math.floor(ts / 3_600_000) * 3_600_000)
  const at = new Date(ts)
  assert.deepEqual(humidity, { hour, n: 1, total: 40, low: 40, high: 40, last_at: at, last_value: 40 })
  assert.equal(temperature!.last_value, 20.5)
})

test('a reading is not acknowledged before the commit', async () => {
  const device = await world.addDevice('north')
  const client = await world.connect(device)
  await world.publish(client, device.id, 'telemetry', { ts: Date.now() - 5000, values: { co2: 500 } })
  const lock = await world.database.owner.connect()
  await lock.query('begin; lock table point in access exclusive mode')
  let acknowledged = false
  const sent = world
    .publish(client, device.id, 'telemetry', { ts: Date.now() - 4000, values: { co2: 501 } })
    .then(() => (acknowledged = true))
  const waits = () =>
    world.rows<{ n: number }>(`select count(*)::int as n from pg_locks
      where not granted and database = (select oid from pg_database where datname = current_database())`)
  await eventually(waits, ([row]) => row!.n > 0)
  assert.equal(acknowledged, false)
  await lock.query('commit')
  lock.release()
  await sent
  assert.equal((await points(device)).length, 2)
})

test('a reading sent twice, immediately or later, is stored and counted once; the first value stays', async () => {
  const device = await world.addDevice('north')
  const client = await world.connect(device)
  const ts = Date.now()
  const reading = (temperature: number) => ({ ts, values: { temperature } })
  await Promise.all([1, 2, 3].map(() => world.publish(client, device.id, 'telemetry', reading(20))))
  await world.publish(client, device.id, 'telemetry', [reading(21), reading(22)])
  assert.deepEqual(
    (await points(device)).map((point) => point.value),
    [20],
  )
  const [hour] = await hours(device)
  assert.deepEqual([hour!.n, hour!.total, hour!.high], [1, 20, 20])
})

test('a late reading corrects the roll-up of its hour and does not change the latest value', async () => {
  const device = await world.addDevice('north')
  const client = await world.connect(device)
  const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 7_200_000
  const publish = (minute: number, temperature: number) =>
    world.publish(client, device.id, 'telemetry', { ts: hour + minute * 60_000, values: { temperature } })
  await publish(30, 20)
  await publish(10, 10)
  await publish(20, 30)
  await publish(45, 24)
  const [row, ...others] = await hours(device)
  assert.deepEqual(row, {
    hour: new Date(hour),
    n: 4,
    total: 84,
    low: 10,
    high: 30,
    last_at: new Date(hour + 45 * 60_000),
    last_value: 24,
  })
  assert.deepEqual(others, [])
})

test('500 readings in one message are stored to the millisecond, including the oldest and newest that are accepted', async () => {
  const device = await world.addDevice('south')
  const client = await world.connect(device)
  const now = Date.now()
  const [oldest, newest] = [now - oldestReading + 5000, now + furthestAhead - 1]
  const step = Math.floor((newest - oldest) / 499)
  const sent = Array.from({ length: 500 }, (_, n) => (n === 499 ? newest : oldest + n * step))
  const readings = sent.map((ts, n) => ({ ts, values: { co2: n } }))
  await world.publish(client, device.id, 'telemetry', readings)
  const stored = await points(device)
  assert.deepEqual(
    stored.map((point) => +point.at),
    sent,
  )
  const sum = (await hours(device)).reduce((total, hour) => total + hour.n, 0)
  assert.equal(sum, 500)
})

test('a gateway publishes for its children and for no other device', async () => {
  const gateway = await world.addDevice('north', { product: 'ZG' })
  const child = await world.addDevice('north', { parent: gateway, silent: true })
  const stranger = await world.addDevice('north')
  const client = await world.connect(gateway)
  const reading = { ts: Date.now(), values: { temperature: 19 } }
  await world.publish(client, child.id, 'telemetry', reading)
  await world.publish(client, stranger.id, 'telemetry', reading)
  assert.equal((await points(child)).length, 1)
  assert.equal((await points(stranger)).length, 0)
})

test('messages of a device that moved to another tenant, or was created again under its id, are stored in its current tenant', async () => {
  const device = await world.addDevice('north')
  const client = await world.connect(device)
  const publish = (value: number) =>
    world.publish(client, device.id, 'telemetry', { ts: Date.now(), values: { co2: value } })
  await publish(1)
  await publish(2)
  // Deleted with its series and created again in the other tenant: the cached data is outdated.
  await world.rows('delete from device where id = $1', [device.id])
  await world.rows(
    `insert into device (tenant_id, id, serial, product, name, status, severity) values ('south', $1, $2, 'ED', 'x', 'Ok', 2)`,
    [device.id, `ED${device.id}`],
  )
  await world.rows(`update device_route set tenant_id = 'south' where device_id = $1`, [device.id])
  let value = 100
  const stored = await eventually(
    async () => {
      await publish(value++)
      return points(device)
    },
    (rows) => rows.length > 2,
  )
  assert.ok(stored.every((point) => point.tenant_id === 'south'))
  // The same within one tenant.
  await world.rows('delete from device where id = $1', [device.id])
  await world.rows(
    `insert into device (tenant_id, id, serial, product, name, status, severity) values ('south', $1, $2, 'ED', 'x', 'Ok', 2)`,
    [device.id, `ED${device.id}`],
  )
  await world.rows(`update device_route set reporting_interval = 60 where device_id = $1`, [device.id])
  await eventually(
    async () => {
      await publish(value++)
      return points(device)
    },
    (rows) => rows.length > 0,
  )
})
