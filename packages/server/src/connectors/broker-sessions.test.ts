import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createServer } from 'node:tls'
import { Aedes } from 'aedes'
import { afterAll, beforeAll, test } from 'vitest'
import { addConnection, getConnection, getNewSensors, updateConnection } from '@caretaker/contract/connections.ts'
import type { TestApp } from '../testing/app.ts'
import { testApp } from '../testing/app.ts'
import { certificates } from '../testing/certificates.ts'
import { startBrokerClients } from './brokers.ts'

// A broker of a client, with TLS and client certificates, and processes that subscribe to it.

const tenant = 'north'
const manager = 'manager@north.test'
const [ofBroker, ofClient] = certificates
let app: TestApp
let broker: Aedes
let url: string
/** The sessions that were opened: client id, user and whether its certificate was valid. */
const opened: { id: string; user: string | undefined; isTrusted: boolean }[] = []
const server = createServer({
  ...{ cert: ofBroker.cert, key: ofBroker.key, ca: ofClient.cert },
  ...{ requestCert: true, rejectUnauthorized: true },
})

beforeAll(async () => {
  app = await testApp({ CARETAKER_WEBHOOK_NETWORKS: '127.0.0.1/32' })
  await app.addTenant(tenant)
  await app.addMember(tenant, manager, 'Manager')
  broker = await Aedes.createBroker({
    authenticate: (client, user, password, done) => {
      const isKnown = user === 'caretaker' && password?.toString() === 'secret'
      const { authorized } = client.conn as unknown as { authorized: boolean }
      if (isKnown) opened.push({ id: client.id, user: user, isTrusted: authorized })
      done(isKnown ? null : Object.assign(new Error('Not authorized'), { returnCode: 5 }), isKnown)
    },
  })
  server.on('secureConnection', (socket) => broker.handle(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `mqtts://localhost:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  await new Promise<void>((resolve) => broker.close(() => resolve()))
  server.close()
  await app.close()
})

async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  for (let left = 200; left; left--) {
    if (await isTrue()) return
    await sleep(100)
  }
  assert.fail(what)
}
const publish = (topic: string, payload: object) =>
  new Promise<void>((resolve, reject) => {
    const packet = {
      cmd: 'publish',
      qos: 1,
      dup: false,
      retain: false,
      topic,
      payload: JSON.stringify(payload),
    } as const
    broker.publish(packet, (error) => (error ? reject(error) : resolve()))
  })
const names = async () =>
  (await app.send(getNewSensors, { params: { tenant }, query: {} as never }, manager)).body.results.map(
    ({ name }) => name,
  )

test('one process subscribes with TLS, password and client certificate, and receives what arrived while none ran', async () => {
  const settings = { url, topic: 'zigbee2mqtt/#', user: 'caretaker', password: 'wrong' }
  const credentials = { authority: ofBroker.cert, certificate: ofClient.cert, privateKey: ofClient.key }
  const added = await app.send(
    addConnection,
    {
      params: { tenant },
      body: { kind: 'zigbee2mqtt', transport: 'mqtt', name: 'Zigbee', broker: { ...settings, ...credentials } },
    } as never,
    manager,
  )
  assert.equal(added.status, 201, JSON.stringify(added.body))
  const params = { tenant, connectionId: added.body.connection.id }
  const shown = async () => (await app.send(getConnection, { params }, manager)).body

  const first = await startBrokerClients(app.context)
  const second = await startBrokerClients(app.context)
  await until('the refused password is shown', async () => /not authorized/i.test((await shown()).broker!.error ?? ''))
  assert.equal((await shown()).state, 'Errors')
  await app.send(
    updateConnection,
    { params, body: { name: 'Zigbee', broker: { ...settings, password: 'secret' } } } as never,
    manager,
  )
  await until('the session opens', async () => (await shown()).broker!.isConnected)
  assert.deepEqual(opened, [{ id: `caretaker-${params.connectionId}`, user: 'caretaker', isTrusted: true }])
  await publish('zigbee2mqtt/hall', { temperature: 20.5, last_seen: new Date().toISOString() })
  await until('the message is stored', async () => (await names()).includes('hall'))

  // A process that ends leaves the subscription to the next one.
  await first()
  await until('the other process takes over', async () => opened.length === 2 && (await shown()).broker!.isConnected)
  await publish('zigbee2mqtt/loft', { temperature: 17, last_seen: new Date().toISOString() })
  await until('it receives messages', async () => (await names()).includes('loft'))
  await second()
  assert.equal((await shown()).broker!.isConnected, false)

  await publish('zigbee2mqtt/cellar', { temperature: 12, last_seen: new Date().toISOString() })
  assert.ok(!(await names()).includes('cellar'))
  const third = await startBrokerClients(app.context)
  await until('messages that the broker kept are received', async () => (await names()).includes('cellar'))
  await third()
  assert.deepEqual(new Set(await names()), new Set(['hall', 'loft', 'cellar']))
  // If a process ends before its acknowledgement arrives, the broker sends the message again: it is not stored twice.
  const { rows } = await app.database.owner.query(`select from sensor_message where result <> 'Duplicate'`)
  assert.equal(rows.length, 3)
})

test('without its client certificate the broker is not connected, and the reason is shown', async () => {
  const broker = { url, topic: '#', user: 'caretaker', password: 'secret', authority: ofBroker.cert }
  const body = { kind: 'zigbee2mqtt', transport: 'mqtt', name: 'Without certificate', broker }
  const added = await app.send(addConnection, { params: { tenant }, body } as never, manager)
  const params = { tenant, connectionId: added.body.connection.id }
  const stop = await startBrokerClients(app.context)
  try {
    await until('the reason is shown', async () => {
      const { broker: state } = (await app.send(getConnection, { params }, manager)).body
      assert.equal(state!.isConnected, false)
      return state!.error !== null
    })
  } finally {
    await stop()
  }
})
