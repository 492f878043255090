import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, test, vi } from 'vitest'
import { addConnection, sendUplink } from '@caretaker/contract/connections.ts'
import type { ConnectionKind, GenericPaths } from '@caretaker/rules/connectors/types.ts'
import { connections } from '../features/connections/service.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { TestApp } from '../testing/app.ts'
import { testApp } from '../testing/app.ts'
import { openCodecs } from './codecs.ts'
import { openConnectorIntake } from './intake.ts'
import type { KnownConnection } from './sensors.ts'
import { setActiveCodec } from './sensors.ts'
import { storeWaitingMessages } from './waiting.ts'

const tenant = 'north'
const manager = 'manager@north.test'
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
let app: TestApp
const codecs = openCodecs()
beforeAll(async () => {
  app = await testApp()
  await app.addTenant(tenant)
  await app.addMember(tenant, manager, 'Manager')
})
let child: ChildProcess | undefined
afterAll(async () => {
  child?.kill('SIGKILL')
  await codecs.close()
  await app.close()
})

const query = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await app.database.owner.query<Row>(text, values)).rows
const openIntake = () => openConnectorIntake({ db: app.database.db, log: app.context.log }, codecs.run)

let names = 0
interface Connected extends KnownConnection {
  key: string
}
async function connect(kind: ConnectionKind, paths: GenericPaths | null = null): Promise<Connected> {
  const name = `Connection ${++names}`
  const body = { kind, name, ...(paths && { paths }) }
  const added = await app.send(addConnection, { params: { tenant }, body } as never, manager)
  assert.equal(added.status, 201, JSON.stringify(added.body))
  return { id: added.body.connection.id, key: added.body.key!, tenant, kind, name, paths, paused: false }
}

/** Makes a device of each sensor of a connection. */
async function addDevices({ id }: Connected): Promise<void> {
  await query(
    `with made as (
       insert into device (tenant_id, id, serial, product, name, status, severity)
       select tenant_id, id, device_key, 'ADEY', device_key, 'Ok', 2 from sensor where connection_id = $1 returning tenant_id, id)
     insert into device_route (device_id, tenant_id) select id, tenant_id from made`,
    [id],
  )
  await query(`update sensor set device_id = id, added_at = now() where connection_id = $1`, [id])
}

/** A connection's stored temperatures: the points, the distinct instants per device, and the sum in the roll-up. */
const stored = async ({ id }: Connected) =>
  (
    await query<{ points: number; instants: number; summed: number }>(
      `with own as (
         select series.tenant_id, series.id from series join sensor on sensor.device_id = series.device_id
         where sensor.connection_id = $1 and metric = 'temperature')
       select (select count(*)::int from point join own on own.id = series_id and own.tenant_id = point.tenant_id) as points,
         (select count(distinct (series_id, at))::int from point join own on own.id = series_id) as instants,
         (select coalesce(sum(n), 0)::int from hourly join own on own.id = series_id) as summed`,
      [id],
    )
  )[0]!
const healthOf = async ({ id }: Connected) =>
  (await inTenant(app.database.db, tenant, (tx) => connections(tx, new Date()))).find((one) => one.id === id)!

let frames = 0
function uplink(
  devEui: string,
  { at = Date.now(), object, bytes }: { at?: number; object?: object; bytes?: number[] },
) {
  return {
    ...{ deduplicationId: randomUUID(), time: new Date(at).toISOString() },
    deviceInfo: { devEui, deviceName: devEui, deviceProfileName: 'Proof', tags: { maker: 'Acme' } },
    ...{ devAddr: '00189440', fCnt: ++frames, fPort: 2, ...(object && { object }), rxInfo: [] },
    data: Buffer.from(bytes ?? [frames >> 8, frames & 255]).toString('base64'),
  }
}
const receive = async (intake: ReturnType<typeof openIntake>, connection: Connected, body: object) => {
  const outcome = await intake.receive(connection, { payload: body }, JSON.stringify(body))
  assert.ok('results' in outcome, JSON.stringify(outcome))
  return outcome.results.map(({ result }) => result)
}

test('1,000 sensors that report every 10 minutes are all stored, none twice, and the connection is never judged silent', async () => {
  const connection = await connect('generic-json', { deviceKey: 'id', time: 'at', values: 'v', items: 'items' })
  const intake = openIntake()
  const begun = Date.now() - hour
  const reports = 5
  await query(`update connection set created_at = $2 where id = $1`, [connection.id, new Date(begun - minute)])
  vi.useFakeTimers({ toFake: ['Date'], now: begun })
  try {
    for (let report = 0; report < reports; report++) {
      for (const half of [0, 500]) {
        // All sensors report within two seconds, as after a restart of their network.
        vi.setSystemTime(begun + report * 10 * minute + half * 2)
        const items = Array.from({ length: 500 }, (_, n) => ({
          ...{ id: `sensor ${half + n}`, at: Date.now() + n, v: { temperature: 15 + (n % 10) } },
        }))
        const results = await receive(intake, connection, { items })
        assert.deepEqual(new Set(results), new Set([report ? 'Stored' : 'Waiting']))
      }
      if (report === 0) {
        vi.setSystemTime(begun + 9.9 * minute)
        assert.deepEqual(
          [(await healthOf(connection)).state, (await healthOf(connection)).usualInterval],
          ['Working', null],
        )
        await addDevices(connection)
        // More messages than fit one transaction: the job stores those that waited.
        await query(`insert into due (work, tenant_id, due_at) values ('store waiting messages', 'north', $1)`, [
          new Date(begun),
        ])
        assert.equal(await storeWaitingMessages(app.database.db), 1000)
      }
    }
    const { usualInterval, state, errors } = await healthOf(connection)
    assert.deepEqual([Math.round(usualInterval!), state, errors], [600, 'Working', 0])
    vi.setSystemTime(Date.now() + 29 * minute)
    assert.equal((await healthOf(connection)).state, 'Working')
    vi.setSystemTime(Date.now() + 2 * minute)
    assert.equal((await healthOf(connection)).state, 'No messages')
  } finally {
    vi.useRealTimers()
  }
  const expected = 1000 * reports
  assert.deepEqual(await stored(connection), { points: expected, instants: expected, summed: expected })
  const [silence] = await query<{ count: number }>(
    `select count(*)::int as count from device join sensor on sensor.device_id = device.id
     where connection_id = $1 and reporting_interval = 600`,
    [connection.id],
  )
  assert.equal(silence!.count, 1000)
}, 60_000)

test('a network server that sends every uplink three times stores each once', async () => {
  const connection = await connect('chirpstack')
  const intake = openIntake()
  const keys = Array.from({ length: 20 }, (_, at) => `70B3D5000000${String(at).padStart(4, '0')}`)
  for (const key of keys) await receive(intake, connection, uplink(key, { object: { temperature: 20 } }))
  await addDevices(connection)
  const bodies = keys.flatMap((key, n) =>
    Array.from({ length: 5 }, (_, at) =>
      uplink(key, { at: Date.now() - (at + 1) * minute, object: { temperature: 15 + ((n + at) % 10) } }),
    ),
  )
  const thrice = [...bodies, ...bodies.toReversed(), ...bodies]
  const results = (await Promise.all(thrice.map((body) => receive(intake, connection, body)))).flat()
  assert.equal(results.filter((result) => result === 'Stored').length, bodies.length)
  assert.equal(results.filter((result) => result === 'Duplicate').length, 2 * bodies.length)
  assert.deepEqual(await stored(connection), { points: 100, instants: 100, summed: 100 })
  assert.deepEqual([(await healthOf(connection)).errors, (await healthOf(connection)).state], [0, 'Working'])
})

test('a network server that sends a week late stores each reading at its own time, once', async () => {
  const connection = await connect('chirpstack')
  const intake = openIntake()
  const key = '70B3D50000010000'
  await receive(intake, connection, uplink(key, { object: { temperature: 20 } }))
  await addDevices(connection)
  const late = Array.from({ length: 30 }, (_, at) =>
    uplink(key, { at: Date.now() - 7 * day - at * hour, object: { temperature: 10 + at / 2 } }),
  )
  for (const body of late) assert.deepEqual(await receive(intake, connection, body), ['Stored'])
  for (const body of late) assert.deepEqual(await receive(intake, connection, body), ['Duplicate'])
  const points = await query<{ value: number; at: Date }>(
    `select value, at from point join series on series.tenant_id = point.tenant_id and series.id = series_id
     join sensor on sensor.device_id = series.device_id where sensor.connection_id = $1 and metric = 'temperature' order by at desc`,
    [connection.id],
  )
  assert.deepEqual(
    points.map(({ value, at }) => [value, at.toISOString()]),
    late.map(({ object, time }) => [(object as { temperature: number }).temperature, time]),
  )
  assert.equal((await healthOf(connection)).state, 'Working')
})

test('while a codec is changed, each message is decoded by exactly one version, which is recorded', async () => {
  const connection = await connect('chirpstack')
  const intake = openIntake()
  const keys = Array.from({ length: 8 }, (_, at) => `70B3D5000002${String(at).padStart(4, '0')}`)
  for (const key of keys) await receive(intake, connection, uplink(key, {}))
  await addDevices(connection)
  const [{ id: model }] = (await query<{ id: string }>(
    'select model_id as id from sensor where connection_id = $1 limit 1',
    [connection.id],
  )) as [{ id: string }]
  for (const version of [1, 2])
    await query(
      `insert into sensor_codec (tenant_id, model_id, version, source, saved_at, saved_by) values ('north', $1, $2, $3, now(), 'Ann')`,
      [
        model,
        version,
        `function decodeUplink({ bytes }) { return { data: { temperature: bytes[0] + ${version * 20} } } }`,
      ],
    )
  const activate = (version: number) => inTenant(app.database.db, tenant, (tx) => setActiveCodec(tx, model, version))
  await activate(1)
  const sent = new Map<string, number>()
  const flow = keys.map(async (key, n) => {
    for (let at = 0; at < 12; at++) {
      const body = uplink(key, { at: Date.now() - at, bytes: [n, at] })
      sent.set(body.deduplicationId, n)
      assert.deepEqual(await receive(intake, connection, body), ['Stored'])
    }
  })
  const changes = (async () => {
    for (const version of [2, 1, 2]) {
      await sleep(150)
      await activate(version)
    }
  })()
  await Promise.all([...flow, changes])
  await receive(intake, connection, uplink(keys[0]!, { at: Date.now() + 1, bytes: [0, 99] }))
  const rows = await query<{ id: string; decoder: string; decoded: number; value: number; readings: number }>(
    `select message ->> 'deduplicationId' as id, decoded ->> 'decoder' as decoder,
       (decoded #> '{samples,0,values,temperature}')::float8 as decoded,
       (outcome #> '{readings,0,value}')::float8 as value, jsonb_array_length(outcome -> 'readings') as readings
     from sensor_message where connection_id = $1 and decoded ->> 'decoder' like 'Codec%'`,
    [connection.id],
  )
  const own = rows.filter(({ id }) => sent.has(id))
  assert.equal(own.length, 96)
  for (const { id, decoder, decoded, value, readings } of own) {
    const version = Number(/^Codec, version ([12])$/.exec(decoder)![1])
    assert.deepEqual([decoded, value, readings], [sent.get(id)! + version * 20, sent.get(id)! + version * 20, 1])
  }
  assert.equal(new Set(own.map(({ decoder }) => decoder)).size, 2, 'both versions decoded some')
  assert.equal((await stored(connection)).points, (await stored(connection)).instants)
}, 30_000)

async function startChild(): Promise<number> {
  child = fork(new URL('../testing/uplink-server.ts', import.meta.url), [app.database.url])
  const [port] = (await once(child, 'message')) as [number]
  return port
}

test('a server process that is killed loses no acknowledged uplink, and stores none twice when it is sent again', async () => {
  const connection = await connect('chirpstack')
  const keys = Array.from({ length: 10 }, (_, at) => `70B3D5000003${String(at).padStart(4, '0')}`)
  for (const key of keys) await receive(openIntake(), connection, uplink(key, { object: { temperature: 20 } }))
  await addDevices(connection)
  const acknowledged = new Set<string>()
  const waiting = keys.flatMap((key, n) =>
    Array.from({ length: 40 }, (_, at) =>
      uplink(key, { at: Date.now() - hour - at * 1000, object: { temperature: 10 + n } }),
    ),
  )
  const send = async (port: number, body: (typeof waiting)[number]) => {
    const response = await fetch(
      `http://127.0.0.1:${port}${sendUplink.path.replace('{connectionId}', connection.id)}?event=up`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-connection-key': connection.key },
        body: JSON.stringify(body),
      },
    )
    assert.equal(response.status, 202, await response.text())
    acknowledged.add(body.deduplicationId)
  }
  /** Sends all that are not acknowledged, 20 at a time, until the server is gone. */
  const sendAll = async (port: number) => {
    const left = waiting.filter(({ deduplicationId }) => !acknowledged.has(deduplicationId)).values()
    await Promise.allSettled(
      Array.from({ length: 20 }, async () => {
        for (const body of left) await send(port, body)
      }),
    )
  }
  const first = await startChild()
  const sending = sendAll(first)
  while (acknowledged.size < 100) await sleep(5)
  child!.kill('SIGKILL')
  await sending
  const before = acknowledged.size
  assert.ok(before >= 100 && before < waiting.length, String(before))
  const storedIds = async () =>
    new Set(
      (
        await query<{ id: string }>(
          `select message ->> 'deduplicationId' as id from sensor_message where connection_id = $1 and result = 'Stored'`,
          [connection.id],
        )
      ).map(({ id }) => id),
    )
  const kept = await storedIds()
  assert.deepEqual(
    [...acknowledged].filter((id) => !kept.has(id)),
    [],
    'lost',
  )
  // The rest goes to another process, this one.
  await app.app.listen({ host: '127.0.0.1', port: 0 })
  await sendAll((app.app.server.address() as AddressInfo).port)
  assert.equal(acknowledged.size, waiting.length)
  assert.deepEqual(await stored(connection), {
    ...{ points: waiting.length, instants: waiting.length, summed: waiting.length },
  })
}, 60_000)
