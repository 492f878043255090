import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { connectAsync } from 'mqtt'
import { topic } from '@caretaker/contract/mqtt/topics.ts'
import { readConfig } from '../config.ts'
import { hashesOf } from '../mqtt/device-keys.ts'
import { isHashOf } from '../mqtt/mosquitto-password.ts'
import { routesChanged } from '../mqtt/route-changes.ts'
import type { TestDevice, TestLink } from '../testing/device-link.ts'
import { eventually, testLink } from '../testing/device-link.ts'
import { startMosquitto, withoutMosquitto } from '../testing/mosquitto.ts'
import { skipBecause } from '../testing/skipping.ts'
import { exportMosquitto } from './mosquitto.ts'

let world: TestLink
let folder: string
let gateway: TestDevice
let child: TestDevice
let device: TestDevice
let former: TestDevice
beforeAll(async () => {
  world = await testLink()
  await world.addTenant('north')
  gateway = await withHash(await world.addDevice('north'))
  child = await world.addDevice('north', { parent: gateway, silent: true })
  device = await withHash(await world.addDevice('north'))
  former = await world.addDevice('north')
  folder = mkdtempSync(path.join(tmpdir(), 'caretaker-acl-'))
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await world.close()
})

async function withHash(made: TestDevice): Promise<TestDevice> {
  const { mosquittoHash } = hashesOf(made.key)
  await world.rows('update device_route set mosquitto_hash = $2 where device_id = $1', [made.id, mosquittoHash])
  return made
}

const read = (name: string) => readFileSync(path.join(folder, name), 'utf8')
const mqttUrl = (port: string) => `mqtt://ingest:pass%20word@127.0.0.1:${port}`

async function run(
  to: string,
  { watch, reload, port = '1883', signal }: { watch?: true; reload?: string; port?: string; signal?: AbortSignal } = {},
) {
  const [printed, complaints]: [string[], string[]] = [[], []]
  const config = readConfig({ CARETAKER_DATA: '/nonexistent', MQTT_URL: mqttUrl(port) })
  const { owner, db } = world.context
  await exportMosquitto(
    { config, owner, db },
    { mosquitto: to, ...(watch && { watch }), ...(reload && { reload }) },
    { print: (line) => printed.push(line), complain: (line) => complaints.push(line) },
    signal ?? new AbortController().signal,
  )
  return { printed, complaints }
}

test('the files contain all admitted devices, and keep the users and lines of the operator', async () => {
  writeFileSync(path.join(folder, 'passwords'), `monitor:$7$101$AAAA$BBBB\n${former.id}:$7$101$CCCC$DDDD\nnobody:x\n`)
  writeFileSync(path.join(folder, 'acl'), 'user monitor\ntopic read $SYS/#\n\n')
  const { printed, complaints } = await run(folder)
  assert.deepEqual([printed, complaints], [['3 devices written'], []])
  const lines = read('passwords').trim().split('\n')
  assert.deepEqual(
    new Set(lines.map((line) => line.split(':')[0])),
    new Set(['ingest', 'monitor', 'nobody', gateway.id, device.id, former.id]),
  )
  // A key that was added by hand stays as it is; others are hashed with PBKDF2, as mosquitto_passwd does.
  assert.ok(lines.includes(`${former.id}:$7$101$CCCC$DDDD`))
  const hashOf = (user: string) => lines.find((line) => line.startsWith(`${user}:`))!.split(':')[1]!
  assert.ok(isHashOf(hashOf(device.id), device.key))
  assert.ok(!isHashOf(hashOf(device.id), gateway.key))
  assert.ok(isHashOf(hashOf('ingest'), 'pass word'))
  assert.match(read('acl'), /^user monitor\ntopic read \$SYS\/#\n# Written by/)
  assert.ok(read('acl').includes(`user ${gateway.id}\ntopic write devices/${child.id}/telemetry\n`))
  const before = [read('passwords'), read('acl'), statSync(path.join(folder, 'acl')).ino]
  await run(folder)
  assert.deepEqual([read('passwords'), read('acl'), statSync(path.join(folder, 'acl')).ino], before)
})

test('a key without a hash is named, and a hash of a former key is not written', async () => {
  const stale = await withHash(await world.addDevice('north'))
  await world.rows('update device_route set key_hash = sha256($2) where device_id = $1', [stale.id, 'the next key'])
  const silent = await world.addDevice('north')
  // As a process of the previous version replaces and adds keys: a line of the former key may still be in the file.
  const formerLine = `${silent.id}:${hashesOf('the former key').mosquittoHash}\n`
  writeFileSync(path.join(folder, 'passwords'), read('passwords') + formerLine)
  const { printed, complaints } = await run(folder)
  assert.deepEqual(printed, ['3 devices written, 2 left out'])
  assert.ok(complaints[0]!.includes(stale.id) && complaints[0]!.includes(silent.id))
  assert.ok(!read('passwords').includes(stale.id) && !read('passwords').includes(silent.id))
  await world.rows('delete from device_route where device_id = any($1)', [[stale.id, silent.id]])
})

test('a folder that does not exist is reported', async () => {
  await assert.rejects(run('/nonexistent/folder'), /is not a folder/)
})

test(
  'a real mosquitto admits devices by the files, keeps them to their topics, and drops a device whose key is revoked',
  { ...skipBecause(withoutMosquitto), timeout: 60_000 },
  async () => {
    const broker = await startMosquitto({ users: true })
    const ending = new AbortController()
    const { port } = new URL(broker.url)
    const watching = run(broker.folder, {
      ...{ watch: true, reload: `kill -HUP ${broker.pid()}`, port, signal: ending.signal },
    })
    try {
      const connect = (own: { id: string; key: string; clientId?: string }) =>
        connectAsync(
          broker.url,
          { clientId: own.clientId ?? own.id, username: own.id, password: own.key, reconnectPeriod: 0 },
          false,
        )
      const client = await eventually(
        () => connect(device).catch(() => undefined),
        (one) => one !== undefined,
      )
      await assert.rejects(connect({ ...device, key: gateway.key }), /Not authorized/)
      await assert.rejects(connect({ id: crypto.randomUUID(), key: device.key }), /Not authorized/)
      const user = { username: 'ingest', password: 'pass word', reconnectPeriod: 0, protocolVersion: 5 } as const
      const ingest = await connectAsync(broker.url, { clientId: 'caretaker-1', ...user }, false)
      const received: string[] = []
      ingest.on('message', (name) => received.push(name))
      await ingest.subscribeAsync('$share/caretaker/devices/+/telemetry', { qos: 1 })
      const commands: string[] = []
      client!.on('message', (name) => commands.push(name))
      await client!.subscribeAsync([topic(device.id, 'commands'), topic(gateway.id, 'commands'), '#'], { qos: 1 })
      const parent = await connect(gateway)
      const publish = (from: typeof parent, name: string) => from.publishAsync(name, 'x', { qos: 1 }).catch(() => {})
      // This version of mosquitto ends a connection that publishes to a topic it may not use.
      const attempt = async (own: TestDevice & { clientId: string }, name: string) => {
        const one = await connect(own)
        const ended = new Promise<void>((resolve) => one.once('close', () => resolve()))
        await Promise.race([one.publishAsync(name, 'x', { qos: 1 }).catch(() => {}), ended])
        one.end(true)
      }
      await attempt({ ...device, clientId: 'other' }, topic(gateway.id, 'telemetry'))
      await attempt({ ...device, clientId: 'other' }, topic(child.id, 'telemetry'))
      await attempt({ ...gateway, clientId: 'other' }, topic(device.id, 'telemetry'))
      await publish(parent, topic(child.id, 'telemetry'))
      await publish(client!, topic(device.id, 'telemetry'))
      await publish(ingest, topic(gateway.id, 'commands'))
      await publish(ingest, topic(device.id, 'commands'))
      await eventually(
        async () => [received.length, commands.length],
        ([messages, sent]) => messages! >= 2 && sent! >= 1,
      )
      assert.deepEqual(received.sort(), [topic(child.id, 'telemetry'), topic(device.id, 'telemetry')].sort())
      // It asked for all topics, so it also receives its own messages, but none of another device's.
      assert.deepEqual(new Set(commands), new Set([topic(device.id, 'commands')]))
      const ended = new Promise<void>((resolve) => client!.once('close', () => resolve()))
      await world.rows(
        'update device_route set key_hash = null, mosquitto_hash = null, key_revoked_at = now() where device_id = $1',
        [device.id],
      )
      await world.rows('select pg_notify($1, $2)', [routesChanged, device.id])
      await ended
      await assert.rejects(connect(device), /Not authorized/)
      assert.ok(parent.connected)
      parent.end(true)
      ingest.end(true)
    } finally {
      ending.abort()
      await watching
      await broker.stop()
    }
  },
)
