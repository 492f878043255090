import assert from 'node:assert/strict'
import { afterAll, beforeAll, onTestFinished, test } from 'vitest'
import { topic } from '@caretaker/contract/mqtt/topics.ts'
import { readConfig } from '../config.ts'
import type { HealthServer } from '../http/health-server.ts'
import { startHealthServer } from '../http/health-server.ts'
import type { TestDevice, TestLink } from '../testing/device-link.ts'
import { testLink } from '../testing/device-link.ts'
import { freePort } from '../testing/mosquitto.ts'
import { brokerCalls } from './broker-calls.ts'

const secret = 'a secret of the broker'
let world: TestLink
let server: HealthServer
let gateway: TestDevice
let child: TestDevice
let device: TestDevice
let neighbour: TestDevice
let revoked: TestDevice
beforeAll(async () => {
  world = await testLink()
  await world.addTenant('north')
  await world.addTenant('south')
  gateway = await world.addDevice('north')
  child = await world.addDevice('north', { parent: gateway, silent: true })
  device = await world.addDevice('north')
  neighbour = await world.addDevice('south')
  revoked = await world.addDevice('north')
  await world.rows('update device_route set key_hash = null, key_revoked_at = now() where device_id = $1', [revoked.id])
  server = await healthServer()
})
afterAll(async () => {
  await server.stop()
  await world.close()
})

async function healthServer(env: Record<string, string> = {}): Promise<HealthServer> {
  const port = await freePort()
  const config = readConfig({
    CARETAKER_DATA: '/nonexistent',
    HEALTH_PORT: String(port),
    CARETAKER_BROKER_SECRET: secret,
    MQTT_URL: 'mqtt://ingest:pass%20word@127.0.0.1:1',
    ...env,
  })
  return startHealthServer({ ...world.context, config }, brokerCalls)
}

interface Call {
  to?: HealthServer
  given?: string
  form?: boolean
  hook?: string
  basic?: boolean
  query?: boolean
}
async function call(path: string, body: Record<string, unknown>, options: Call = {}): Promise<Response> {
  const { to = server, given = secret, form = false, hook, basic = false, query = false } = options
  const header = basic ? `Basic ${Buffer.from(`caretaker:${given}`).toString('base64')}` : `Bearer ${given}`
  return fetch(`http://127.0.0.1:${to.port}/broker/${path}${query ? `?secret=${encodeURIComponent(given)}` : ''}`, {
    method: 'POST',
    headers: {
      ...(!query && { authorization: header }),
      'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json',
      ...(hook && { 'vernemq-hook': hook }),
    },
    body: form ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body),
  })
}
const emqx = async (kind: 'authentication' | 'authorization', body: Record<string, unknown>) => {
  const response = await call(`emqx/${kind}`, body)
  const { result, is_superuser } = (await response.json()) as { result: string; is_superuser: boolean }
  assert.deepEqual([response.status, is_superuser], [200, false])
  return result
}
const verne = async (hook: string, body: Record<string, unknown>) => {
  const response = await call('vernemq', body, { hook, basic: true })
  assert.equal(response.status, 200)
  return (await response.json()) as { result: unknown; topics?: unknown; modifiers?: unknown }
}
const mosquitto = async (kind: string, body: Record<string, unknown>, options: Call = {}) =>
  (await call(`mosquitto/${kind}`, body, options)).status

test('a device may connect to an external broker if it may connect to the embedded one, in the form of each broker', async () => {
  const clients = [
    device,
    gateway,
    neighbour,
    { ...device, key: neighbour.key },
    { ...device, key: '' },
    { ...device, id: crypto.randomUUID() },
    { ...device, id: device.id.toUpperCase() },
    child,
    revoked,
  ]
  const decisions = { allowed: 0, refused: 0 }
  for (const { id, tenant, key } of clients) {
    const embedded = await world.connect({ id, tenant, key }).then(
      async (client) => client.endAsync().then(() => true),
      () => false,
    )
    decisions[embedded ? 'allowed' : 'refused']++
    const given = { username: id, password: key, clientid: id }
    assert.equal(await mosquitto('user', given), embedded ? 200 : 403)
    assert.equal(await mosquitto('user', given, { form: true, basic: true }), embedded ? 200 : 403)
    assert.equal(await emqx('authentication', given), embedded ? 'allow' : 'deny')
    for (const hook of ['auth_on_register', 'auth_on_register_m5'])
      assert.deepEqual(
        await verne(hook, { username: id, password: key, client_id: id, mountpoint: '', peer_addr: '10.0.0.1' }),
        embedded ? { result: 'ok' } : { result: { error: 'not_allowed' } },
      )
  }
  assert.deepEqual(decisions, { allowed: 3, refused: 6 })
})

test('a device may subscribe on an external broker to what the embedded one grants it', async () => {
  const filters = [gateway, child, device, neighbour, revoked].flatMap(({ id }) => [
    ...[topic(id, 'commands'), `devices/${id}/+`, `devices/${id}/#`, topic(id, 'telemetry')],
  ])
  filters.push('devices/+/commands', '#', '$SYS/#')
  for (const own of [gateway, device, neighbour]) {
    const client = await world.connect(own)
    let allowed = 0
    for (const filter of filters) {
      const [granted] = await client.subscribeAsync(filter, { qos: 1 }).catch(() => [{ qos: 128 }])
      const embedded = granted!.qos < 128
      if (embedded) allowed++
      const given = { username: own.id, clientid: own.id, topic: filter }
      assert.equal(await mosquitto('acl', { ...given, acc: 4 }), embedded ? 200 : 403, `${filter} of ${own.id}`)
      assert.equal(await emqx('authorization', { ...given, action: 'subscribe' }), embedded ? 'allow' : 'deny')
    }
    await client.endAsync()
    assert.equal(allowed, own === gateway ? 6 : 3)
  }
})

test('a device publishes for itself and its children only, and receives only their commands', async () => {
  const publishes = async (own: TestDevice, name: string) => {
    const given = { username: own.id, clientid: own.id, topic: name }
    const status = await mosquitto('acl', { ...given, acc: '2' }, { form: true })
    const isAllowed = status === 200
    assert.equal(await emqx('authorization', { ...given, action: 'publish' }), isAllowed ? 'allow' : 'deny')
    for (const hook of ['auth_on_publish', 'auth_on_publish_m5']) {
      const answer = await verne(hook, {
        username: own.id,
        client_id: own.id,
        mountpoint: '',
        qos: 1,
        topic: name,
        payload: 'eA==',
        retain: false,
      })
      assert.deepEqual(answer, isAllowed ? { result: 'ok' } : { result: { error: 'not_allowed' } })
    }
    return isAllowed
  }
  const known = { gateway, child, device, neighbour, revoked }
  const allowed: string[] = []
  for (const sender of ['gateway', 'device', 'neighbour', 'revoked'] as const)
    for (const of of Object.keys(known) as (keyof typeof known)[])
      for (const channel of ['telemetry', 'commands'] as const)
        if (await publishes(known[sender], topic(known[of].id, channel))) allowed.push(`${sender}: ${of} ${channel}`)
  assert.deepEqual(allowed, [
    'gateway: gateway telemetry',
    'gateway: child telemetry',
    'gateway: child commands',
    'device: device telemetry',
    'neighbour: neighbour telemetry',
  ])
  assert.equal(await publishes(device, 'devices/all/telemetry'), false)
  const receives = (own: TestDevice, name: string) =>
    mosquitto('acl', { username: own.id, clientid: own.id, topic: name, acc: 1 })
  assert.equal(await receives(gateway, topic(child.id, 'commands')), 200)
  assert.equal(await receives(device, topic(child.id, 'commands')), 403)
  assert.equal(await receives(device, topic(device.id, 'telemetry')), 403)
  const unsubscribe = { username: device.id, clientid: device.id, topic: topic(device.id, 'commands'), acc: 8 }
  assert.equal(await mosquitto('acl', unsubscribe), 200)
})

test('VerneMQ is answered for each filter of a subscription, in the form of its version', async () => {
  const topics = [topic(device.id, 'commands'), topic(neighbour.id, 'commands')].map((name) => ({
    topic: name,
    qos: 1,
  }))
  const given = { username: device.id, client_id: device.id, mountpoint: '', topics }
  const granted = (refusal: number) => [topics[0], { ...topics[1], qos: refusal }]
  assert.deepEqual(await verne('auth_on_subscribe', given), { result: 'ok', topics: granted(128) })
  assert.deepEqual(await verne('auth_on_subscribe_m5', given), { result: 'ok', modifiers: { topics: granted(135) } })
  const none = { ...given, topics: topics.slice(1) }
  assert.deepEqual(await verne('auth_on_subscribe', none), { result: { error: 'not_allowed' } })
  assert.deepEqual(await verne('on_publish', given), { result: { error: 'not_allowed' } })
})

test('the user of MQTT_URL may do what ingest does, no user is a superuser, and no device uses the client id of another', async () => {
  const ingest = { username: 'ingest', password: 'pass word', clientid: 'caretaker-1' }
  assert.equal(await mosquitto('user', ingest), 200)
  assert.equal(await mosquitto('user', { ...ingest, password: 'password' }), 403)
  for (const username of ['ingest', device.id]) assert.equal(await mosquitto('superuser', { username }), 403)
  const use = (name: string, acc: number) =>
    mosquitto('acl', { username: 'ingest', clientid: 'caretaker-1', topic: name, acc })
  assert.equal(await use('devices/+/telemetry', 4), 200)
  assert.equal(await use('$share/caretaker/devices/+/telemetry', 4), 200)
  assert.equal(await use('#', 4), 403)
  assert.equal(await use(topic(device.id, 'telemetry'), 1), 200)
  assert.equal(await use(topic(device.id, 'commands'), 2), 200)
  assert.equal(await use(topic(device.id, 'telemetry'), 2), 403)
  const login = { username: device.id, password: device.key }
  for (const [clientid, status] of [
    ['my light', 200],
    ['', 200],
    ['caretaker-1', 403],
    [neighbour.id, 403],
  ] as const)
    assert.equal(await mosquitto('user', { ...login, clientid }), status, clientid)
})

test('a revoked key ends access within seconds', async () => {
  const leaving = await world.addDevice('north')
  const login = { username: leaving.id, password: leaving.key, clientid: leaving.id }
  const publish = { username: leaving.id, clientid: leaving.id, topic: topic(leaving.id, 'telemetry'), acc: 2 }
  assert.deepEqual([await mosquitto('user', login), await mosquitto('acl', publish)], [200, 200])
  await world.rows('update device_route set key_hash = null, key_revoked_at = now() where device_id = $1', [leaving.id])
  assert.equal(await mosquitto('user', login), 403)
  const since = performance.now()
  while ((await mosquitto('acl', publish)) === 200) await new Promise((resolve) => setTimeout(resolve, 50))
  assert.ok(performance.now() - since < 5000)
})

test('a client that connected with a replaced key loses its access within seconds, and connects with the new key', async () => {
  const own = await world.addDevice('north')
  const next = 'the next key'
  const client = { username: own.id, clientid: 'my light' }
  const login = (password: string) => mosquitto('user', { ...client, password })
  const uses = async () => [
    await mosquitto('acl', { ...client, topic: topic(own.id, 'telemetry'), acc: 2 }),
    await mosquitto('acl', { ...client, topic: topic(own.id, 'commands'), acc: 4 }),
    await mosquitto('acl', { ...client, topic: topic(own.id, 'commands'), acc: 1 }),
    await emqx('authorization', { ...client, topic: topic(own.id, 'telemetry'), action: 'publish' }),
    (await verne('auth_on_publish', { username: own.id, client_id: 'my light', topic: topic(own.id, 'telemetry') }))
      .result,
  ]
  const [allowed, refused] = [
    [200, 200, 200, 'allow', 'ok'],
    [403, 403, 403, 'deny', { error: 'not_allowed' }],
  ]
  assert.equal(await login(own.key), 200)
  assert.deepEqual(await uses(), allowed)
  await world.rows('update device_route set key_hash = sha256($2) where device_id = $1', [own.id, next])
  const since = performance.now()
  const publish = { ...client, topic: topic(own.id, 'telemetry'), acc: 2 }
  while ((await mosquitto('acl', publish)) === 200) {
    assert.ok(performance.now() - since < 5000)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  assert.deepEqual(await uses(), refused)
  assert.equal(await login(own.key), 403)
  assert.deepEqual(await uses(), refused)
  assert.equal(await login(next), 200)
  assert.deepEqual(await uses(), allowed)
})

test('without the secret every call is refused in the form of its broker, and wrong ones keep no other call out', async () => {
  const own = await healthServer()
  onTestFinished(() => own.stop())
  const login = { username: device.id, password: device.key, clientid: device.id }
  const calls = async (given: string) => [
    (await call('mosquitto/user', login, { to: own, given })).status,
    await (await call('emqx/authentication', login, { to: own, given })).json(),
    await (
      await call('vernemq', { ...login, client_id: device.id }, { to: own, given, hook: 'auth_on_register' })
    ).json(),
  ]
  const refused = [403, { result: 'deny', is_superuser: false }, { result: { error: 'not_allowed' } }]
  assert.deepEqual(await calls('another secret'), refused)
  assert.equal((await call('mosquitto/user', login, { to: own, query: true })).status, 403, 'in the address')
  assert.deepEqual(await calls(secret), [200, { result: 'allow', is_superuser: false }, { result: 'ok' }])
  // A body that cannot be read is no reason to ignore the rule.
  const broken = await fetch(`http://127.0.0.1:${own.port}/broker/emqx/authorization`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: '{',
  })
  assert.deepEqual([broken.status, await broken.json()], [200, { result: 'deny', is_superuser: false }])
  for (let n = 0; n < 40; n++) await call('mosquitto/user', login, { to: own, given: 'guess' })
  assert.deepEqual(await calls(secret), [200, { result: 'allow', is_superuser: false }, { result: 'ok' }])
})

test('without the setting the calls do not exist; the setting needs a fixed port', async () => {
  const closed = await healthServer({ CARETAKER_BROKER_SECRET: '' })
  onTestFinished(() => closed.stop())
  assert.equal((await call('mosquitto/user', {}, { to: closed })).status, 404)
  assert.throws(() => readConfig({ CARETAKER_BROKER_SECRET: secret }), /needs HEALTH_PORT/)
})
