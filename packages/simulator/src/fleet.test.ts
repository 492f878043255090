import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, test } from 'vitest'
import type { FleetDevice } from '@caretaker/contract/mqtt/fleet.ts'
import { Reply } from '@caretaker/contract/mqtt/payloads.ts'
import { judgeReadings } from '@caretaker/rules/telemetry/readings.ts'
import { connectionsOf, runFleet } from './fleet.ts'
import type { RunningFleet } from './fleet.ts'

const id = (digit: number) => `${digit}0000000-0000-4000-8000-000000000000`
const [gateway, light, offline, lost, sensor, dropper] = [1, 2, 3, 4, 5, 6].map(id) as [
  string,
  string,
  string,
  string,
  string,
  string,
]

function device(deviceId: string, rest: Partial<FleetDevice>): FleetDevice {
  return {
    deviceId,
    serial: `TEST${deviceId[0]}`,
    product: 'MD',
    username: deviceId,
    password: `key of ${deviceId}`,
    reportingInterval: 1,
    parentId: null,
    model: 'multiDot',
    traits: {},
    ...rest,
  }
}

const world: FleetDevice[] = [
  device(gateway, { product: 'MG', model: 'gateway' }),
  device(light, { product: 'EM', model: 'emered', password: null, parentId: gateway }),
  device(offline, { product: 'ZG', model: 'gateway', story: 'offline gateway' }),
  device(lost, { password: null, parentId: offline }),
  device(sensor, {}),
]

interface Received {
  client: string
  topic: string
  payload: string
}

/** A broker that checks the devices' keys and lets each publish only for itself and its children, like the real one. */
async function startBroker(port = 0, devices = world) {
  const { Aedes } = await import('aedes')
  const broker = await Aedes.createBroker()
  const received: Received[] = []
  const refused: string[] = []
  const subscribed = new Set<string>()
  const may = (client: string, topic: string) => {
    const [, speaker] = topic.split('/')
    return speaker === client || devices.some((one) => one.deviceId === speaker && one.parentId === client)
  }
  broker.authenticate = (client, username, password, done) => {
    const known = devices.find(({ deviceId }) => deviceId === username)
    const right = client.id === username && known?.password === password?.toString()
    if (!right) refused.push(client.id)
    // The return code for a wrong user name or password.
    done(right ? null : Object.assign(new Error('bad key'), { returnCode: 4 }), right)
  }
  broker.authorizePublish = (client, packet, done) => {
    if (!client || !may(client.id, packet.topic) || packet.qos !== 1) return done(new Error('forbidden'))
    received.push({ client: client.id, topic: packet.topic, payload: packet.payload.toString() })
    done(null)
  }
  broker.authorizeSubscribe = (client, subscription, done) => {
    if (client && may(client.id, subscription.topic)) subscribed.add(subscription.topic)
    done(null, client && may(client.id, subscription.topic) ? subscription : null)
  }
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    broker.handle(socket)
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    received,
    refused,
    subscribed,
    order: (deviceId: string, command: object) =>
      broker.publish(
        {
          cmd: 'publish',
          topic: `devices/${deviceId}/commands`,
          payload: Buffer.from(JSON.stringify(command)),
          qos: 1,
          dup: false,
          retain: false,
        },
        () => {},
      ),
    /** Stops at once, like a killed process. */
    async kill() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => broker.close(() => resolve()))
    },
  }
}

async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + 12_000
  while (!condition()) {
    assert.ok(Date.now() < deadline, `waited in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

const judged = (payload: string) => judgeReadings(JSON.parse(payload), { now: Date.now(), keepsUnknown: false })
const nextSecond = (time: number) => time + 1100

const cleanup: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const one of cleanup.reverse()) await one()
})

function run(port: number, devices = world, lines: string[] = []): RunningFleet {
  const fleet = runFleet(
    { devices },
    { url: `mqtt://127.0.0.1:${port}`, speed: 1, seed: 'test', clock: Date.now, log: (line) => lines.push(line) },
  )
  cleanup.push(() => fleet.stop())
  return fleet
}

describe('with a broker', { concurrent: true }, () => {
  test('devices and children report, a flick test runs, and the fleet reconnects to a restarted broker', async () => {
    let broker = await startBroker()
    const lines: string[] = []
    const fleet = run(broker.port, world, lines)
    const topics = () => new Set(broker.received.map(({ topic }) => topic))
    const heard = (deviceId: string, channel: string) => topics().has(`devices/${deviceId}/${channel}`)

    await until(
      () => [gateway, light, sensor].every((one) => heard(one, 'telemetry') && heard(one, 'state')),
      'first reports',
    )
    assert.ok(broker.received.filter(({ topic }) => topic.includes(light)).every(({ client }) => client === gateway))
    for (const { payload } of broker.received.filter(({ topic }) => topic.endsWith('/telemetry')))
      assert.deepEqual(judged(payload).faults, [])
    assert.equal(fleet.connected, 2)
    assert.ok(![...topics()].some((topic) => topic.includes(offline) || topic.includes(lost)), 'offline stays offline')

    await until(() => broker.subscribed.has(`devices/${light}/commands`), 'the gateway to listen for the light')
    const commandId = 'c0000000-0000-4000-8000-000000000001'
    broker.order(light, {
      commandId,
      name: 'runTest',
      args: { testType: 'T180' },
      expiresAt: Date.now() + 60_000,
    })
    await until(() => heard(light, 'replies') && heard(light, 'tests'), 'an answer')
    const reply = broker.received.find(({ topic }) => topic.endsWith('/replies'))!
    assert.deepEqual(Reply.parse(JSON.parse(reply.payload)), { commandId, status: 'confirmed' })

    const { port } = broker
    await broker.kill()
    await until(() => fleet.connected === 0 && lines.length > 0, 'the loss to be noticed')
    const lostAt = Date.now()
    await until(() => Date.now() > nextSecond(lostAt), 'a report to fall due while offline')
    broker = await startBroker(port)
    await until(() => fleet.connected === 2, 'the return')
    const times = () =>
      broker.received
        .filter(({ topic }) => topic === `devices/${sensor}/telemetry`)
        .map(({ payload }) => judged(payload).readings[0]!.ts)
    await until(() => times().some((ts) => ts > lostAt) && times().length > 1, 'readings')
    assert.ok(Math.min(...times()) < lostAt + 1200, 'what was measured while offline is told afterwards')
    await until(() => heard(sensor, 'state'), 'the whole state again')

    const before = broker.received.length
    await fleet.stop()
    const last = broker.received.slice(before).find(({ topic }) => topic === `devices/${light}/tests`)
    assert.equal(last && JSON.parse(last.payload).result, 'Indeterminate', 'a test that is cut short comes to its end')
    await broker.kill()
  })

  test('a wrong key is rejected, logged in one line and tried again, without affecting other devices', async () => {
    const broker = await startBroker()
    cleanup.push(broker.kill)
    const lines: string[] = []
    run(
      broker.port,
      [device(sensor, { password: 'wrong' }), device(gateway, { product: 'MG', model: 'gateway' })],
      lines,
    )
    await until(() => broker.refused.length > 1 && broker.received.length > 0, 'a second attempt')
    assert.equal(lines.length, 1)
    assert.match(lines[0]!, /TEST5 has no connection .*bad username or password/i)
    assert.ok(!lines[0]!.includes('wrong'))
  })

  test('a device that drops out loses its connection and reconnects by itself', async () => {
    const broker = await startBroker(0, [device(dropper, {})])
    cleanup.push(broker.kill)
    // So many outages a day that one occurs within a second or two, and lasts a fraction of a second.
    const traits = { dropsPerDay: 86_400, dropMinutes: 0.005 }
    const fleet = run(broker.port, [device(dropper, { story: 'drops out', traits })])
    const connectedBefore = () => until(() => fleet.connected === 1, 'a connection')
    for (let count = 0; count < 2; count++) {
      await connectedBefore()
      await until(() => fleet.connected === 0, 'an outage')
    }
    await connectedBefore()
    await until(() => broker.received.length > 1, 'reports')
  })
})

test('devices are assigned to the connections that they use', () => {
  assert.deepEqual(
    connectionsOf({ devices: world }).map((speakers) => speakers.map(({ deviceId }) => deviceId)),
    [[gateway, light], [sensor]],
  )
})
