import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import type { Incoming } from '../../incoming.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestDatabase } from '../../testing/database.ts'
import { testDatabase } from '../../testing/database.ts'
import type { LinkChange } from './ingest.ts'
import { forgetConnections, ingestEvents, ingestLinks, ingestStates, sweepConnections } from './ingest.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  await database.owner.query(`insert into tenant (id, display_name) values ('north', 'North'), ('south', 'South')`)
})
afterAll(() => database.drop())

const minute = 60_000
const ago = (minutes: number) => new Date(Date.now() - minutes * minute)

async function newDevice(tenant = 'north', reportingInterval = 60): Promise<string> {
  const id = crypto.randomUUID()
  await database.owner.query(
    `insert into device (tenant_id, id, serial, product, name, status, severity, reporting_interval)
     values ($1, $2, $3, 'ED', 'Dot', 'Ok', 2, $4)`,
    [tenant, id, `ED${id}`, reportingInterval],
  )
  return id
}

async function look(id: string) {
  const { rows } = await database.owner.query<{
    reported: Record<string, unknown>
    connection: string
    notified: string[]
    drops: Date[] | null
    heard: Date | null
  }>(
    `select reported, connection_status as connection, drops, heard_at as heard,
       array(select distinct subject from change where $1 = any(ids) order by 1) as notified
     from device left join device_link on device_link.tenant_id = device.tenant_id and device_id = id where id = $1`,
    [id],
  )
  return rows[0]!
}
/** Clears the device's changes, so that the next ones can be checked. */
const forget = (id: string) => database.owner.query(`delete from change where $1 = any(ids)`, [id])

const incoming = <P>(deviceId: string, payload: P, tenant = 'north'): Incoming<P> => ({
  deviceId,
  tenant,
  payload,
  receivedAt: new Date(),
})

test('reported state is merged field by field, in order of arrival', async () => {
  const [one, two] = [await newDevice(), await newDevice()]
  const ingest = (...messages: Parameters<typeof ingestStates>[1]) =>
    inTenant(database.db, 'north', (tx) => ingestStates(tx, messages))
  await ingest(incoming(one, { firmware: '1.0', relays: { 1: true, 2: false }, fault: 'F1' }))
  await ingest(
    incoming(one, { firmware: '1.1' }),
    incoming(two, { firmware: '7' }),
    incoming(one, { firmware: '1.2', relays: { 1: false }, fault: null }),
  )
  assert.deepEqual((await look(one)).reported, { firmware: '1.2', relays: { 1: false }, fault: null })
  assert.deepEqual((await look(two)).reported, { firmware: '7' })
  assert.deepEqual((await look(one)).notified, ['device'])
  await forget(one)
  await ingest(incoming(one, { firmware: '1.2' }))
  assert.deepEqual((await look(one)).notified, [])
  await ingest(incoming(one, { relays: { 1: true } }))
  assert.deepEqual((await look(one)).notified, ['device state'])
})

test('a reported monitoring type of a remote control decides lists and counts; of another device it is only a value', async () => {
  const [module, dot] = [await newDevice(), await newDevice()]
  await database.owner.query(`update device set product = 'BX', listing = 'Boilers' where id = $1`, [module])
  const ingest = (...messages: Parameters<typeof ingestStates>[1]) =>
    inTenant(database.db, 'north', (tx) => ingestStates(tx, messages))
  const monitored = async (id: string) =>
    (await database.owner.query<{ monitoring: string | null }>('select monitoring from device where id = $1', [id]))
      .rows[0]!.monitoring
  await ingest(incoming(module, { monitoring: 'HeatPump' }), incoming(dot, { monitoring: 'HeatPump' }))
  assert.deepEqual([await monitored(module), await monitored(dot)], ['HeatPump', null])
  assert.deepEqual([(await look(module)).notified, (await look(dot)).notified], [['device'], ['device state']])
  await forget(module)
  await ingest(incoming(module, { monitoring: 'HeatPump' }))
  assert.deepEqual((await look(module)).notified, [])
  for (const word of ['Oil', 7, null]) {
    await ingest(incoming(module, { monitoring: word }))
    assert.equal(await monitored(module), 'HeatPump', 'what was known stands')
  }
  // A report from before the column existed is applied at the next report.
  await database.owner.query('update device set monitoring = null where id = $1', [module])
  await ingest(incoming(module, { monitoring: 'None' }))
  assert.equal(await monitored(module), 'None')
})

test("a state that grows without limit is returned, and so is one of another tenant's device", async () => {
  const [device, foreign] = [await newDevice(), await newDevice('south')]
  const ingest = (payload: Record<string, string>, id = device) =>
    inTenant(database.db, 'north', (tx) => ingestStates(tx, [incoming(id, payload)]))
  const fields = (from: number) =>
    Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`field${from + n}`, 'x'.repeat(500)]))
  assert.equal((await ingest(fields(0))).length, 0)
  assert.equal((await ingest(fields(100))).length, 1)
  assert.equal((await ingest({ firmware: '2' })).length, 0)
  assert.equal(Object.keys((await look(device)).reported).length, 101)
  assert.equal((await ingest({ firmware: '2' }, foreign)).length, 1)
  assert.deepEqual((await look(foreign)).reported, {})
})

test('an event is stored once, gets its end later, and keeps it', async () => {
  const [device, other, foreign] = [await newDevice(), await newDevice(), await newDevice('south')]
  const eventId = crypto.randomUUID()
  const event = { eventId, start: Date.now() - 5000, severity: 'High' as const, category: 'Boiler', description: 'F28' }
  const ingest = (...messages: Parameters<typeof ingestEvents>[1]) =>
    inTenant(database.db, 'north', (tx) => ingestEvents(tx, messages))
  const stored = async () =>
    (await database.owner.query('select device_id, start_at, end_at, description from event where id = $1', [eventId]))
      .rows
  await ingest(incoming(device, event), incoming(device, { ...event, eventId: eventId.toUpperCase() }))
  const begun = { device_id: device, start_at: new Date(event.start), end_at: null, description: 'F28' }
  assert.deepEqual(await stored(), [begun])
  assert.deepEqual((await look(device)).notified, ['device events'])

  const end = Date.now()
  await ingest(incoming(device, { ...event, end, description: 'F28: ignition failed' }))
  await forget(device)
  await ingest(incoming(device, { ...event, description: 'F28: ignition failed' }))
  const ended = { ...begun, end_at: new Date(end), description: 'F28: ignition failed' }
  assert.deepEqual(await stored(), [ended])
  assert.deepEqual((await look(device)).notified, [])

  // Neither another device's nor another tenant's event changes it.
  await ingest(incoming(other, { ...event, description: 'theirs' }))
  assert.deepEqual(await stored(), [ended])
  assert.equal((await ingest(incoming(foreign, { ...event, eventId: crypto.randomUUID() }))).length, 1)
})

const link = (changes: LinkChange[], now = new Date()) =>
  inTenant(database.db, 'north', (tx) => ingestLinks(tx, changes, now))
const heard = (deviceId: string, at = new Date()): LinkChange => ({ deviceId, heardAt: at, drops: [] })
const connected = (deviceId: string): LinkChange => ({ ...heard(deviceId), connected: true })
const left = (deviceId: string, at: Date): LinkChange => ({ ...heard(deviceId, at), connected: false })
const dropped = (deviceId: string, at: Date): LinkChange => ({ deviceId, heardAt: null, connected: false, drops: [at] })

test('a device is connected from its first message, or from its connection', async () => {
  const [child, gateway, never] = [await newDevice(), await newDevice(), await newDevice()]
  await link([heard(child), connected(gateway)])
  for (const id of [child, gateway]) {
    const { connection, notified } = await look(id)
    assert.deepEqual([connection, notified], ['Connected', ['device', 'device state']])
  }
  await forget(child)
  await link([heard(child), heard(gateway)])
  assert.deepEqual((await look(child)).notified, ['device state'])
  assert.equal((await look(never)).connection, 'neverconnected')
})

test('a device that is overdue by three reporting intervals is found by the sweep, once, and recovers', async () => {
  const [silent, recent, unlinked, holding] = [
    await newDevice(),
    await newDevice(),
    await newDevice(),
    await newDevice(),
  ]
  await link([heard(silent, ago(4)), heard(recent, ago(2)), { ...heard(holding, ago(600)), connected: true }], ago(2))
  await database.owner.query(`update device set connection_status = 'Connected' where id = any($1)`, [
    [silent, recent, unlinked, holding],
  ])
  await forget(silent)
  assert.equal(await sweepConnections(database.db), 1)
  assert.equal(await sweepConnections(database.db), 0)
  const states = await Promise.all([silent, recent, unlinked, holding].map(async (id) => (await look(id)).connection))
  assert.deepEqual(states, ['NotConnected', 'Connected', 'Connected', 'Connected'])
  const { drops, notified } = await look(silent)
  assert.deepEqual([drops!.length, notified], [1, ['device']])
  await link([heard(silent)])
  assert.equal((await look(silent)).connection, 'Connected')
})

test('a clean disconnect is no drop while the device reports in time; a broken connection is one, without a second for its absence', async () => {
  const [polite, rude] = [await newDevice(), await newDevice()]
  await link([connected(polite), connected(rude)])
  await link([left(polite, ago(1)), dropped(rude, new Date())])
  assert.deepEqual((await look(polite)).drops, [])
  assert.equal((await look(polite)).connection, 'Connected')
  await database.owner.query('update device_link set heard_at = $2 where device_id = any($1)', [
    [polite, rude],
    ago(60),
  ])
  await sweepConnections(database.db)
  for (const id of [polite, rude]) {
    const { drops, connection } = await look(id)
    assert.deepEqual([drops!.length, connection], [1, 'NotConnected'])
  }
})

test('four drops in a day make a device intermittent, until they are a day old', async () => {
  const device = await newDevice()
  for (let n = 0; n < 3; n++) await link([connected(device)]).then(() => link([dropped(device, ago(10 - n))]))
  await link([connected(device)])
  assert.equal((await look(device)).connection, 'Connected')
  await link([{ ...connected(device), drops: [ago(1)] }])
  assert.equal((await look(device)).connection, 'intermittent')
  await link([heard(device)])
  assert.equal((await look(device)).connection, 'intermittent')
  await sweepConnections(database.db, new Date(Date.now() + 25 * 60 * minute))
  assert.equal((await look(device)).connection, 'Connected')
  for (let n = 0; n < 30; n++) await link([dropped(device, ago(n / 10))])
  assert.ok((await look(device)).drops!.length <= 20)
})

test("links of another tenant's devices are not written", async () => {
  const foreign = await newDevice('south')
  await link([heard(foreign), { ...connected(foreign) }])
  const { connection, heard: at } = await look(foreign)
  assert.deepEqual([connection, at], ['neverconnected', null])
})

test('after a start no device is connected, which is not a drop', async () => {
  const device = await newDevice()
  await link([connected(device)])
  await forgetConnections(database.db)
  const { rows } = await database.owner.query('select connected, drops from device_link where device_id = $1', [device])
  assert.deepEqual(rows, [{ connected: false, drops: [] }])
})
