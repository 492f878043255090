import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { connectAsync } from 'mqtt'
import pino from 'pino'
import { Registry } from 'prom-client'
import { topic } from '@caretaker/contract/mqtt/topics.ts'
import { SettingError } from '../config.ts'
import { startEmbedded } from '../postgres/embedded.ts'
import { openPool } from '../postgres/pool.ts'
import type { TestDevice, TestLink } from '../testing/device-link.ts'
import { eventually, queueFlickTest, testLink } from '../testing/device-link.ts'
import type { LinkServerReady } from '../testing/link-server.ts'
import { startMosquitto, withoutMosquitto } from '../testing/mosquitto.ts'
import type { DeviceLink } from './link.ts'
import { startDeviceLink } from './device-link.ts'
import { skipBecause } from '../testing/skipping.ts'

const skip = withoutMosquitto
let broker: Awaited<ReturnType<typeof startMosquitto>>
let world: TestLink
beforeAll(async () => {
  if (skip) return
  broker = await startMosquitto()
  world = await testLink({ MQTT_URL: broker.url })
  await world.addTenant('north')
})
afterAll(async () => {
  if (skip) return
  await world.close()
  await broker.stop()
})

const stored = async (device: TestDevice) =>
  (
    await world.rows(
      'select from point join series on series.tenant_id = point.tenant_id and series.id = series_id where device_id = $1',
      [device.id],
    )
  ).length

/** The number of messages stored by the worker with this registry. */
async function share(metrics: Registry): Promise<number> {
  const { values } = await metrics.getSingleMetric('caretaker_messages_total')!.get()
  return values.find(({ labels }) => labels.channel === 'telemetry')!.value
}

async function withSecondWorker(work: (metrics: Registry) => Promise<void>): Promise<void> {
  const metrics = new Registry()
  let second: DeviceLink | undefined
  try {
    second = await startDeviceLink({ ...world.context, metrics })
    await work(metrics)
  } finally {
    await second?.stop()
  }
}

test(
  'device messages on an external broker are stored; bad messages do not block others',
  skipBecause(skip),
  async () => {
    const device = await world.addDevice('north')
    const client = await world.connect(device)
    assert.equal(world.link.port, undefined)
    await world.publish(client, device.id, 'telemetry', { ts: Date.now(), values: { co2: 400 } })
    await world.publish(client, device.id, 'telemetry', 'not JSON')
    await world.publish(client, randomUUID(), 'telemetry', { ts: Date.now(), values: { co2: 400 } })
    await client.publishAsync(topic(device.id, 'telemetry'), 'x', { qos: 0 })
    await world.publish(client, device.id, 'state', { firmware: '3.1' })
    const state = () =>
      world.rows<{ firmware: string; connection: string }>(
        `select reported->>'firmware' as firmware, connection_status as connection from device where id = $1`,
        [device.id],
      )
    await eventually(state, ([row]) => row!.firmware === '3.1' && row!.connection === 'Connected')
    await eventually(
      () => stored(device),
      (count) => count === 1,
    )
    await eventually(
      () => world.bad('not JSON'),
      (count) => count === 2,
    )
    await eventually(
      () => world.bad('unknown device'),
      (count) => count === 1,
    )
  },
)

test('several workers share the device messages, and each reading is stored once', skipBecause(skip), async () => {
  const device = await world.addDevice('north')
  const client = await world.connect(device)
  const before = await share(world.context.metrics)
  await withSecondWorker(async (metrics) => {
    const now = Date.now()
    const sends = Array.from({ length: 1000 }, (_, n) =>
      world.publish(client, device.id, 'telemetry', { ts: now - n, values: { co2: 400, humidity: 50 } }),
    )
    await Promise.all(sends)
    await eventually(
      () => stored(device),
      (count) => count === 2000,
    )
    const shares = [(await share(world.context.metrics)) - before, await share(metrics)]
    assert.ok(Math.min(...shares) > 100, `shares ${shares.join(' and ')}`)
    const [row] = await world.rows(
      'select sum(n)::int as n from hourly join series on series.tenant_id = hourly.tenant_id and series.id = series_id where device_id = $1',
      [device.id],
    )
    assert.deepEqual(row, { n: 2000 })
  })
  // The worker that left keeps no messages to itself.
  await world.publish(client, device.id, 'telemetry', [{ ts: Date.now() + 1000, values: { co2: 1 } }])
  await world.publish(client, device.id, 'telemetry', [{ ts: Date.now() + 2000, values: { co2: 1 } }])
  await eventually(
    () => stored(device),
    (count) => count === 2002,
  )
})

test('with several workers each command reaches its device once', skipBecause(skip), async () => {
  const device = await world.addDevice('north', { product: 'EM' })
  const client = await world.connect(device)
  const received: string[] = []
  client.on('message', (_, payload) =>
    received.push((JSON.parse(payload.toString()) as { commandId: string }).commandId),
  )
  await client.subscribeAsync(topic(device.id, 'commands'), { qos: 1 })
  await withSecondWorker(async () => {
    const queued = await Promise.all(Array.from({ length: 20 }, () => queueFlickTest(world.database, device)))
    await eventually(
      async () => received.length,
      (count) => count >= 20,
    )
    await client.publishAsync(
      topic(device.id, 'replies'),
      JSON.stringify({ commandId: queued[0], status: 'confirmed' }),
      {
        qos: 1,
      },
    )
    const status = () => world.rows<{ status: string }>('select status from command where id = $1', [queued[0]])
    await eventually(status, ([row]) => row!.status === 'confirmed')
    assert.deepEqual(received.toSorted(), queued.toSorted())
  })
})

test('a lost database connection is restored without losing messages', skipBecause(skip), async () => {
  const device = await world.addDevice('north')
  const client = await world.connect(device)
  const now = Date.now()
  const sends = Array.from({ length: 300 }, async (_, n) => {
    await world.publish(client, device.id, 'telemetry', { ts: now - n, values: { co2: 400 } })
    if (n % 100 === 50)
      await world.rows(
        `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and application_name in ('caretaker-app', 'caretaker-link')`,
      )
  })
  await Promise.all(sends)
  await eventually(
    () => stored(device),
    (count) => count === 300,
    20_000,
  )
})

test(
  'kill -9 of the worker loses no message that the broker has acknowledged to a device',
  skipBecause(skip),
  async () => {
    const foreign = await startMosquitto()
    const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-worker-'))
    chmodSync(folder, 0o755)
    const start = async () => {
      const worker = fork(new URL('../testing/link-server.ts', import.meta.url), [folder, '0', foreign.url])
      const [{ url }] = (await once(worker, 'message')) as [LinkServerReady]
      return { worker, url }
    }
    let { worker, url } = await start()
    const pool = openPool(url, 'owner', 2)
    try {
      const id = randomUUID()
      await pool.query(`insert into tenant (id, display_name) values ('north', 'North')`)
      await pool.query(
        `insert into device (tenant_id, id, serial, product, name, status, severity) values ('north', $1, 'ED1', 'ED', 'Dot', 'Ok', 2)`,
        [id],
      )
      await pool.query(`insert into device_route (device_id, tenant_id) values ($1, 'north')`, [id])
      const client = await connectAsync(foreign.url)
      const now = Date.now()
      const count = async () => (await pool.query<{ n: number }>('select count(*) as n from point')).rows[0]!.n
      const publish = async (from: number, to: number) => {
        const sends = Array.from({ length: to - from }, (_, n) =>
          client.publishAsync(topic(id, 'telemetry'), JSON.stringify({ ts: now - from - n, values: { co2: 1 } }), {
            qos: 1,
          }),
        )
        await Promise.all(sends)
      }
      const all = publish(0, 3000)
      await eventually(count, (n) => n > 0)
      worker.kill('SIGKILL')
      await all
      await publish(3000, 4000)
      ;({ worker, url } = await start())
      await eventually(count, (n) => n === 4000, 20_000)
      await client.endAsync(true)
      worker.send('stop')
      await once(worker, 'exit')
    } finally {
      worker.kill('SIGKILL')
      await pool.end()
      await (await startEmbedded(folder)).stop()
      rmSync(folder, { recursive: true, force: true })
      await foreign.stop()
    }
  },
)

/** A worker in its own process, on the broker and database of this process. */
async function foreignWorker() {
  const worker = fork(new URL('../testing/link-server.ts', import.meta.url), [world.database.url, '0', broker.url])
  await once(worker, 'message')
  return worker
}

const sessions = async () =>
  (await world.rows<{ number: number }>('select number from mqtt_session order by number')).map(({ number }) => number)

test(
  'after kill -9 of one worker, another stores its share within ten seconds, and all later messages',
  skipBecause(skip),
  async () => {
    const device = await world.addDevice('north')
    const client = await world.connect(device)
    const now = Date.now()
    let offset = 0
    const publish = (count: number) =>
      Promise.all(
        Array.from({ length: count }, () =>
          world.publish(client, device.id, 'telemetry', { ts: now - offset++, values: { co2: 400 } }),
        ),
      )
    const worker = await foreignWorker()
    assert.deepEqual(await sessions(), [1, 2])
    await publish(500)
    worker.kill('SIGKILL')
    const [, signal] = (await once(worker, 'exit')) as [number | null, string]
    assert.equal(signal, 'SIGKILL')
    const killed = Date.now()
    await publish(500)
    await eventually(
      () => stored(device),
      (count) => count === 1000,
      10_000,
    )
    assert.ok(Date.now() - killed < 10_000)
    // The dead worker's session is empty and receives nothing more.
    await eventually(sessions, (numbers) => numbers.join() === '1')
    await publish(200)
    await eventually(
      () => stored(device),
      (count) => count === 1200,
      2000,
    )
    // Its number is free for the next worker, which receives messages immediately.
    const next = await foreignWorker()
    assert.deepEqual(await sessions(), [1, 2])
    await publish(200)
    next.send('stop')
    await once(next, 'exit')
    await eventually(
      () => stored(device),
      (count) => count === 1400,
      10_000,
    )
  },
)

test(
  'two processes that both believe they hold a session number do not disconnect each other forever',
  skipBecause(skip),
  async () => {
    const device = await world.addDevice('north')
    const client = await world.connect(device)
    const intruder = await connectAsync(broker.url, {
      protocolVersion: 5,
      clientId: 'caretaker-1',
      clean: false,
      reconnectPeriod: 0,
      // As a worker sets it: otherwise the session and its messages would end with the connection.
      properties: { sessionExpiryInterval: 3600 },
    })
    // The disconnected worker starts again with a number that it really holds, and does not disconnect the other.
    await new Promise<void>((resolve) => intruder.once('close', () => resolve()))
    await world.publish(client, device.id, 'telemetry', { ts: Date.now(), values: { co2: 400 } })
    await eventually(
      () => stored(device),
      (count) => count === 1,
      20_000,
    )
  },
)

/** A second device link on the same database, with its own log and registry. */
function linkTo(url: string) {
  const logged: { level: number; msg: string; reason?: string }[] = []
  const log = pino({ level: 'warn', base: null }, { write: (line) => void logged.push(JSON.parse(line)) })
  const metrics = new Registry()
  const started = startDeviceLink({ ...world.context, log, metrics, config: { ...world.context.config, mqttUrl: url } })
  const up = async () => (await metrics.getSingleMetric('caretaker_broker_up')!.get()).values[0]!.value
  return { logged, started, up }
}

test(
  'messages acknowledged by the bundled mosquitto while no ingest was running survive its kill -9',
  skipBecause(skip),
  async () => {
    const own = await startMosquitto()
    const device = await world.addDevice('north')
    try {
      // Connect once, so that the broker creates the session.
      await (await linkTo(own.url).started).stop()
      const client = await connectAsync(own.url)
      const now = Date.now()
      const count = 200
      const sends = Array.from({ length: count }, (_, n) =>
        client.publishAsync(topic(device.id, 'telemetry'), JSON.stringify({ ts: now - n, values: { co2: n } }), {
          qos: 1,
        }),
      )
      await Promise.all(sends)
      await client.endAsync(true)
      // mosquitto saves every second; a kill before that would lose unsaved messages.
      await eventually(
        async () => own.hasSaved(`"ts":${now - count + 1},`),
        (saved) => saved,
        10_000,
      )
      await own.kill()
      const link = await linkTo(own.url).started
      await eventually(
        () => stored(device),
        (found) => found === count,
      )
      await link.stop()
    } finally {
      await own.stop()
    }
  },
)

test(
  'an ingest that starts while the broker is unreachable waits, reports it, and receives messages once the broker is up',
  skipBecause(skip),
  async () => {
    const own = await startMosquitto({ paused: true })
    const device = await world.addDevice('north')
    const { logged, started, up } = linkTo(own.url)
    const link = await started
    try {
      assert.deepEqual([link.isUp(), await up()], [false, 0])
      assert.deepEqual(
        logged.map(({ level, msg }) => [level, msg]),
        [[50, 'the broker of MQTT_URL is unreachable: retrying until it responds']],
      )
      assert.match(logged[0]!.reason!, /ECONNREFUSED/)
      await own.start()
      await eventually(up, (value) => value === 1)
      assert.equal(link.isUp(), true)
      const client = await connectAsync(own.url)
      const reading = JSON.stringify({ ts: Date.now(), values: { co2: 400 } })
      await client.publishAsync(topic(device.id, 'telemetry'), reading, { qos: 1 })
      await client.endAsync(true)
      await eventually(
        () => stored(device),
        (count) => count === 1,
      )
      // A broker that is lost later is noticed too, and each outage is logged once.
      await own.pause()
      await eventually(up, (value) => value === 0)
      await own.start()
      await eventually(up, (value) => value === 1)
      assert.deepEqual(
        logged.map(({ msg }) => msg),
        Array.from({ length: 2 }, () => [
          'the broker of MQTT_URL is unreachable: retrying until it responds',
          'the broker of MQTT_URL is reachable again',
        ]).flat(),
      )
    } finally {
      await link.stop()
      await own.stop()
    }
  },
)

test('an ingest that is stopped while it waits for the broker ends', skipBecause(skip), async () => {
  const link = await linkTo('mqtt://worker:secret@127.0.0.1:1').started
  await link.stop()
  assert.equal(link.isUp(), false)
})

test(
  'a broker that rejects the credentials is reported in one line that names the setting',
  skipBecause(skip),
  async () => {
    const refusing = await startMosquitto({ users: true })
    try {
      await assert.rejects(
        linkTo(refusing.url.replace('//', '//worker:secret@')).started,
        (error) =>
          error instanceof SettingError &&
          /^MQTT_URL: the broker refuses this user \(.*[Nn]ot authori[sz]ed.*\)/.test(error.message) &&
          !error.message.includes('secret'),
      )
    } finally {
      await refusing.stop()
    }
  },
)
