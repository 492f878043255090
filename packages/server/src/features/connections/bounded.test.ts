import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, test } from 'vitest'
import {
  activateCodecVersion,
  addConnection,
  addSensors,
  decodeMessagesAgain,
  getModelSensors,
  getNewSensors,
  getSensorModels,
  ignoreSensors,
  saveCodecVersion,
  sendUplink,
  tryCodecVersion,
  undoAddSensors,
} from '@caretaker/contract/connections.ts'
import { storedAtOnce, sensorsPerPage } from '@caretaker/rules/connections/connections.ts'
import { storeWaiting, storeWaitingMessages } from '../../connectors/waiting.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addSensors as addSensorsOnly } from './sensors.ts'

const tenant = 'north'
const manager = 'manager@north.test'
let app: TestApp
let property: string
beforeAll(async () => {
  app = await testApp()
  for (const id of [tenant, 'south']) await app.addTenant(id)
  await app.addMember(tenant, manager, 'Manager')
  await app.addMember('south', 'manager@south.test', 'Manager')
  property = randomUUID()
  await query(
    `insert into property (tenant_id, id, reference, address1, postcode) values ('north', $1, 'NG-1', '1 Elm Road', 'LS6 1AB')`,
    [property],
  )
})
afterAll(() => app.close())

const query = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await app.database.owner.query<Row>(text, values)).rows

let names = 0
async function connect() {
  const body = { kind: 'generic-json', name: `Connection ${++names}`, paths: { deviceKey: 'id', items: 'items' } }
  const added = await app.send(addConnection, { params: { tenant }, body } as never, manager)
  return { id: added.body.connection.id as string, key: added.body.key as string }
}

/** Sensors of one model on a new connection, each with this many stored messages a minute apart. */
async function sensorsWith(count: number, messages: number, model: string, result = 'Waiting') {
  const connection = await connect()
  const items = Array.from({ length: count }, (_, at) => ({ id: `${model} ${String(at).padStart(4, '0')}`, t: at }))
  const response = await app.app.inject({
    ...{ method: 'POST', url: sendUplink.path.replace('{connectionId}', connection.id) },
    headers: { 'x-connection-key': connection.key, 'content-type': 'application/json' },
    payload: JSON.stringify({ items: items.map(({ id, t }) => ({ id, temperature: 15 + (t % 10) })) }),
  })
  assert.equal(response.statusCode, 202, response.body)
  const [{ id: modelId }] = (await query<{ id: string }>(
    `insert into sensor_model (tenant_id, id, maker, model, compared_name, created_at)
     values ('north', gen_random_uuid(), 'Acme', $1, $1, now()) returning id`,
    [model],
  )) as [{ id: string }]
  await query(`update sensor set maker = 'Acme', model = $1, model_id = $2 where connection_id = $3`, [
    ...[model, modelId, connection.id],
  ])
  await query(
    `insert into sensor_message (tenant_id, id, sensor_id, connection_id, received_at, kind, result, once_keys, message, bytes, decoded,
       outcome, payload)
     select tenant_id, gen_random_uuid(), sensor_id, connection_id, received_at - n * interval '1 minute', kind, result, '{}',
       message || jsonb_build_object('receivedAt', (message ->> 'receivedAt')::float8 - n * 60000), bytes, decoded, outcome, payload
     from sensor_message cross join generate_series(1, $2) n where connection_id = $1`,
    [connection.id, messages - 1],
  )
  await query(
    `update sensor_message set result = $2, bytes = '\\x0102', decoded = case when $2 = 'Waiting' then decoded end
     where connection_id = $1`,
    [connection.id, result],
  )
  const ids = await query<{ id: string }>('select id from sensor where connection_id = $1 order by id', [connection.id])
  return { connectionId: connection.id, modelId, ids: ids.map(({ id }) => id) }
}

/** How many of the messages were written by each transaction, and with which result. */
const written = async (connectionId: string) =>
  query<{ result: string; count: number }>(
    `select result, count(*)::int as count from sensor_message where connection_id = $1 group by result, xmin::text`,
    [connectionId],
  )
const countOf = async (connectionId: string, result: string) =>
  (await written(connectionId)).filter((one) => one.result === result).reduce((sum, { count }) => sum + count, 0)
const pointsOf = async (connectionId: string) =>
  (
    await query<{ count: number }>(
      `select count(*)::int as count from point join series on series.tenant_id = point.tenant_id and series.id = series_id
       join sensor on sensor.device_id = series.device_id where sensor.connection_id = $1 and metric = 'temperature'`,
      [connectionId],
    )
  )[0]!.count

test('adding sensors stores their waiting messages in transactions of at most 500', async () => {
  const { connectionId, ids } = await sensorsWith(13, 90, 'Added')
  const body = { propertyId: property, sensors: ids.map((sensorId) => ({ sensorId, room: 'Hall' })) }
  assert.equal((await app.send(addSensors, { params: { tenant }, body }, manager)).status, 201)
  assert.equal(await countOf(connectionId, 'Stored'), 13 * 90)
  for (const { count } of await written(connectionId)) assert.ok(count <= storedAtOnce, String(count))
  assert.equal(await pointsOf(connectionId), 13 * 90)
})

test('a call that is cut off after some messages is continued by the job, and nothing is stored twice', async () => {
  const { connectionId, ids } = await sensorsWith(13, 90, 'Cut off')
  const now = new Date()
  const { rows: people } = await app.database.owner.query<{ id: string }>('select id from person limit 1')
  const person = { id: people[0]!.id, name: 'manager' }
  await inTenant(app.database.db, tenant, (tx) =>
    addSensorsOnly(
      { tx, person },
      property,
      ids.map((sensorId) => ({ sensorId, room: 'Hall' })),
      now,
    ),
  )
  await inTenant(app.database.db, tenant, (tx) => storeWaiting(tx, ids, now))
  assert.equal(await countOf(connectionId, 'Waiting'), 13 * 90 - storedAtOnce)
  assert.equal(await storeWaitingMessages(app.database.db, now), 0, 'the call may still be at work')
  assert.equal(await storeWaitingMessages(app.database.db, new Date(+now + 61_000)), 13 * 90 - storedAtOnce)
  assert.equal(await pointsOf(connectionId), 13 * 90)
  assert.equal(await storeWaitingMessages(app.database.db, new Date(+now + 120_000)), 0)
})

test('messages of sensors whose adding was undone wait again, and the job leaves them', async () => {
  const { connectionId, ids } = await sensorsWith(2, 3, 'Undone')
  const body = { propertyId: property, sensors: ids.map((sensorId) => ({ sensorId, room: 'Hall' })) }
  await app.send(addSensors, { params: { tenant }, body }, manager)
  assert.equal((await app.send(undoAddSensors, { params: { tenant }, body: { sensorIds: ids } }, manager)).status, 200)
  assert.equal(await storeWaitingMessages(app.database.db, new Date(Date.now() + 61_000)), 0)
  assert.equal(await countOf(connectionId, 'Waiting'), 6)
})

test('decoding again continues from a cursor, in transactions of at most 500, also after a failure', async () => {
  const { connectionId, modelId } = await sensorsWith(13, 90, 'Undecoded', 'Not decoded')
  const params = { tenant, modelId }
  // A codec that cannot read the older half: those messages stay, and the cursor passes them.
  const source = `function decodeUplink({ recvTime }) {
    if (recvTime < ${Date.now() - 45 * 60_000}) throw new Error('too old')
    return { data: { temperature: 20 } }
  }`
  await app.send(saveCodecVersion, { params, body: { source } }, manager)
  const version = { params: { ...params, version: 1 } } as never
  await app.send(tryCodecVersion, version, manager)
  await app.send(activateCodecVersion, version, manager)
  const call = async (after: string | undefined) => {
    const { status, body } = await app.send(decodeMessagesAgain, { params, query: after ? { after } : {} }, manager)
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
  const first = await call(undefined)
  assert.deepEqual([first.decoded + first.notDecoded, first.decoded], [500, 0])
  // The answer to the second call was lost: the same call is repeated.
  const second = await call(first.next!)
  const repeated = await call(first.next!)
  assert.ok(second.decoded > 0)
  assert.ok(repeated.decoded + repeated.notDecoded > 0)
  let [next, calls] = [repeated.next, 0]
  while (next && ++calls < 10) ({ next } = await call(next))
  assert.equal(next, null)
  const failed = await countOf(connectionId, 'Not decoded')
  assert.ok(failed >= 13 * 43 && failed <= 13 * 46, String(failed))
  for (const { result, count } of await written(connectionId))
    assert.ok(result === 'Not decoded' || count <= storedAtOnce, `${result} ${count}`)
  assert.equal((await countOf(connectionId, 'Waiting')) + failed, 13 * 90, 'sensors without a device wait')
})

test('new sensors and the sensors of a model are read page by page, each once', async () => {
  const { connectionId, modelId, ids } = await sensorsWith(230, 1, 'Paged')
  const pages = async (
    read: (after: string | undefined) => Promise<{ results: { id: string }[]; next: string | null }>,
  ) => {
    const sizes: number[] = []
    const found: string[] = []
    let after: string | undefined
    do {
      const { results, next } = await read(after)
      sizes.push(results.length)
      found.push(...results.map(({ id }) => id))
      after = next ?? undefined
    } while (after && sizes.length < 10)
    assert.deepEqual(found.toSorted(), ids)
    return sizes
  }
  const expected = [sensorsPerPage, sensorsPerPage, 230 - 2 * sensorsPerPage]
  const listed = async (after: string | undefined) => {
    const asked = { connectionId, ...(after && { after }) }
    const { body } = await app.send(getNewSensors, { params: { tenant }, query: asked as never }, manager)
    assert.equal(body.total, 230)
    return body
  }
  assert.deepEqual(await pages(listed), expected)
  const params = { tenant, modelId }
  const ofModel = async (after: string | undefined) =>
    (await app.send(getModelSensors, { params, query: after ? { after } : {} }, manager)).body
  assert.deepEqual(await pages(ofModel), expected)
  const chosen = ids.slice(0, 1)
  await app.send(ignoreSensors, { params: { tenant }, body: { sensorIds: chosen } }, manager)
  const [first] = (await ofModel(undefined)).results.filter(({ isIgnored }) => isIgnored)
  assert.ok(!first || first.device === null)
  const foreign = { params: { tenant: 'south', modelId }, query: {} }
  assert.equal((await app.send(getModelSensors, foreign, 'manager@south.test')).status, 404)
  assert.ok((await app.send(getSensorModels, { params: { tenant } }, manager)).body.results.length > 0)
})
