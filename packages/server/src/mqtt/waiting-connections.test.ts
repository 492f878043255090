import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, test } from 'vitest'
import { Registry } from 'prom-client'
import type { TestDevice, TestLink } from '../testing/device-link.ts'
import { testLink } from '../testing/device-link.ts'
import type { Broker } from './broker.ts'
import { startBroker } from './broker.ts'
import { limitWaiting } from './waiting-connections.ts'
import type { Intake } from './intake.ts'
import { openIntake } from './intake.ts'
import { linkMetrics } from './metrics.ts'

test('unauthenticated connections are limited per address and in total; a closed one frees its place', () => {
  const waiting = limitWaiting(2, 5)
  const first = waiting.enter('192.0.2.1')!
  assert.ok(first && waiting.enter('::ffff:192.0.2.1'))
  assert.equal(waiting.enter('192.0.2.1'), undefined)
  first.leave()
  first.leave()
  assert.ok(waiting.enter('192.0.2.1'))
  assert.equal(waiting.enter('192.0.2.1'), undefined)
  assert.ok(waiting.enter('192.0.2.2') && waiting.enter('192.0.2.3') && waiting.enter('192.0.2.4'))
  assert.equal(waiting.enter('192.0.2.5'), undefined)
})

test('an IPv6 network counts as one address', () => {
  const waiting = limitWaiting(1)
  assert.ok(waiting.enter('2001:db8::1'))
  for (const same of ['2001:db8::2', '2001:db8:0:0:ffff::9']) assert.equal(waiting.enter(same), undefined, same)
  for (const other of ['2001:db8:0:1::1', '2001:db8:1::1', '::1', 'fe80::1%eth0', '::ffff:192.0.2.1'])
    assert.ok(waiting.enter(other), other)
})

let world: TestLink
let broker: Broker
let intake: Intake
let device: TestDevice
const metrics = new Registry()
const [most, connectWithin] = [5, 1500]
beforeAll(async () => {
  world = await testLink()
  await world.addTenant('north')
  device = await world.addDevice('north')
  const counted = linkMetrics(metrics)
  const { log, config } = world.context
  intake = openIntake({ ...world.context, metrics }, counted)
  broker = await startBroker({
    ...{ port: 0, host: '127.0.0.1', waitingPerAddress: most, connectWithin, limits: config.deviceLimits },
    ...{ intake, metrics: counted, log, onListening: () => {} },
  })
})
afterAll(async () => {
  broker.refuse()
  await broker.stop()
  await intake.drain(5000)
  await world.close()
})

async function bare(): Promise<net.Socket> {
  const socket = net.connect(broker.port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.resume()
  return socket
}
const ended = (socket: net.Socket, within: number) =>
  Promise.race([once(socket, 'close').then(() => true), sleep(within, false, { ref: false })])
const crowded = async () =>
  (await metrics.getSingleMetric('caretaker_crowded_connections_total')!.get()).values[0]?.value ?? 0

/** A CONNECT packet with a last will of the given size in bytes. */
function connectPacket(of: TestDevice, will: number): Buffer {
  const text = (value: Buffer | string) => {
    const bytes = Buffer.from(value)
    return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes])
  }
  const body = Buffer.concat([
    ...[text('MQTT'), Buffer.from([4, 0xc6, 0, 0]), text('x')],
    ...[text(`devices/${of.id}/events`), text(Buffer.alloc(will, 'w')), text(of.id), text(of.key)],
  ])
  const [low, high] = [(body.length & 127) | 128, body.length >> 7]
  return Buffer.concat([Buffer.from(high > 127 ? [0x10, low, (high & 127) | 128, high >> 7] : [0x10, low, high]), body])
}

test('a silent connection is closed in time, and so are connections above the limit of an address', async () => {
  const waiting = await Promise.all(Array.from({ length: most }, bare))
  const before = await crowded()
  assert.ok(await ended(await bare(), 1000), 'one too many is closed at once')
  assert.equal(await crowded(), before + 1)
  // Slow single bytes do not extend the time limit.
  const dribble = setInterval(() => waiting[0]!.write(Buffer.from([0x10])), 200)
  assert.deepEqual(
    await Promise.all(waiting.map((socket) => ended(socket, 6 * connectWithin))),
    waiting.map(() => true),
  )
  clearInterval(dribble)
  const next = await bare()
  assert.ok(!(await ended(next, 100)), 'there is room again')
  next.destroy()
})

test('a signed-in connection takes no place among the waiting ones', async () => {
  const devices = await Promise.all(Array.from({ length: most + 2 }, () => world.addDevice('north')))
  for (const one of devices) {
    const socket = await bare()
    const answered = once(socket, 'data')
    socket.write(connectPacket(one, 4))
    assert.deepEqual([...((await answered) as [Buffer])[0]], [0x20, 2, 0, 0])
  }
})

test('a first packet that is too long or not a CONNECT ends the connection before anything is allocated for it', async () => {
  const refused = [
    Buffer.concat([Buffer.from([0x30, 3]), Buffer.from('abc')]),
    Buffer.from([0x10, 0xff, 0xff, 0x01]),
    Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    connectPacket(device, 9000),
  ]
  for (const bytes of refused) {
    const socket = await bare()
    socket.write(bytes)
    assert.ok(await ended(socket, connectWithin / 2), bytes.subarray(0, 10).toString('hex'))
  }
  const [socket, answered] = await bare().then((one) => [one, once(one, 'data')] as const)
  for (const byte of connectPacket(device, 1000).subarray(0, 20)) socket.write(Buffer.from([byte]))
  socket.write(connectPacket(device, 1000).subarray(20))
  assert.deepEqual([...((await answered) as [Buffer])[0]], [0x20, 2, 0, 0])
  socket.destroy()
})

test('connections that have sent half a CONNECT take little memory', async () => {
  const address = (n: number) => `127.0.${Math.floor(n / 4) + 1}.1`
  const before = process.memoryUsage()
  const sockets: net.Socket[] = []
  const half = connectPacket(device, 7000).subarray(0, 6000)
  for (let n = 0; n < 400; n++) {
    const socket = net.connect({ port: broker.port, host: '127.0.0.1', localAddress: address(n) })
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.write(half)
    sockets.push(socket)
  }
  await sleep(200)
  const grown = process.memoryUsage()
  const each = (grown.heapUsed + grown.external - before.heapUsed - before.external) / sockets.length
  for (const socket of sockets) socket.destroy()
  // Both ends are in this process.
  assert.ok(each < 64 * 1024, `${Math.round(each)} bytes each`)
})
