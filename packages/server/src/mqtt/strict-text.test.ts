import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { afterAll, beforeAll, test } from 'vitest'
import { generate } from 'mqtt-packet'
import type { Packet } from 'mqtt-packet'
import { topic } from '@caretaker/contract/mqtt/topics.ts'
import type { TestDevice, TestLink } from '../testing/device-link.ts'
import { eventually, testLink } from '../testing/device-link.ts'

let world: TestLink
let device: TestDevice
beforeAll(async () => {
  world = await testLink()
  await world.addTenant('north')
  device = await world.addDevice('north')
})
afterAll(() => world.close())

const counted = async () =>
  Object.fromEntries(
    (await world.context.metrics.getSingleMetric('caretaker_malformed_packets_total')!.get()).values.map(
      ({ labels, value }) => [labels.reason, value],
    ),
  ) as Record<string, number>

/** Replaced by the forbidden bytes in an otherwise valid packet. */
const mark = '@@@@'
const forbidden = {
  'not UTF-8': [
    ['a byte of no character', Buffer.from([0x61, 0xff, 0x61, 0x61])],
    ['an overlong slash', Buffer.from([0xc0, 0xaf, 0x61, 0x61])],
    ['half a surrogate pair', Buffer.from([0xed, 0xa0, 0x80, 0x61])],
    ['a character that is cut off', Buffer.from([0x61, 0x61, 0xe2, 0x82])],
  ],
  'U+0000': [['a NUL', Buffer.from([0x61, 0x00, 0x61, 0x61])]],
} as const

function withBytes(packet: Packet, protocolVersion: number, bytes: Buffer): Buffer {
  const made = Buffer.from(generate(packet, { protocolVersion }))
  const at = made.indexOf(mark)
  assert.notEqual(at, -1)
  bytes.copy(made, at)
  return made
}

type Version = 4 | 5
const connect = (protocolVersion: Version, more: object = {}): Packet => ({
  ...{ cmd: 'connect', protocolId: 'MQTT', protocolVersion, clean: true, keepalive: 0 },
  ...{ clientId: device.id, username: device.id, password: Buffer.from(device.key) },
  ...more,
})

/** Where a text can occur: in the first packet, or in one from a signed-in device. */
const places: Record<string, { versions: Version[]; first?: boolean; packet(version: Version): Packet }> = {
  'client id': { versions: [4, 5], first: true, packet: (version) => connect(version, { clientId: `x${mark}` }) },
  'user name': { versions: [4, 5], first: true, packet: (version) => connect(version, { username: `x${mark}` }) },
  'topic of the last will': {
    versions: [4, 5],
    first: true,
    packet: (version) =>
      connect(version, { will: { topic: `x/${mark}`, payload: Buffer.from('{}'), qos: 0, retain: false } }),
  },
  'property of CONNECT': {
    versions: [5],
    first: true,
    packet: (version) => connect(version, { properties: { userProperties: { name: mark } } }),
  },
  topic: {
    versions: [4, 5],
    packet: () => ({
      ...{ cmd: 'publish', topic: `devices/${mark}`, payload: '{}', qos: 1, messageId: 1 },
      ...{ dup: false, retain: false },
    }),
  },
  'topic filter': {
    versions: [4, 5],
    packet: () => ({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: mark, qos: 0 }] }),
  },
  'topic filter of UNSUBSCRIBE': {
    versions: [4, 5],
    packet: () => ({ cmd: 'unsubscribe', messageId: 1, unsubscriptions: [mark] }),
  },
  'property of PUBLISH': {
    versions: [5],
    packet: () => ({
      ...{ cmd: 'publish', topic: topic(device.id, 'telemetry'), payload: '{}', qos: 1, messageId: 1 },
      ...{ dup: false, retain: false, properties: { contentType: mark } },
    }),
  },
}

async function open() {
  const socket = net.connect(world.link.port!, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  const received: Buffer[] = []
  socket.on('data', (bytes) => received.push(bytes))
  let isEnded = false
  socket.once('close', () => (isEnded = true))
  const ended = () => eventually(async () => isEnded, Boolean, 5000).finally(() => socket.destroy())
  return { socket, ended, bytes: () => Buffer.concat(received) }
}

for (const [place, { versions, first, packet }] of Object.entries(places))
  for (const version of versions)
    test(`MQTT ${version === 4 ? '3.1.1' : '5'}: a ${place} that is not UTF-8 or contains U+0000 ends the connection, and the reason is counted`, async () => {
      for (const [reason, texts] of Object.entries(forbidden))
        for (const [what, bytes] of texts) {
          const before = (await counted())[reason]!
          const { socket, ended, bytes: received } = await open()
          if (!first) {
            socket.write(generate(connect(version), { protocolVersion: version }))
            await eventually(async () => received().length, Boolean)
          }
          const answered = received().length
          socket.write(withBytes(packet(version), version, bytes))
          await ended()
          assert.equal(received().length, answered, `${what}: nothing is acknowledged`)
          assert.equal((await counted())[reason], before + 1, what)
        }
    })

test('all other characters are valid, including the replacement character', async () => {
  for (const version of [4, 5] as const) {
    const { socket, bytes } = await open()
    const clientId = 'Gerät 7 \u{1F525} \uFFFD \uFEFF'
    socket.write(generate(connect(version, { clientId }), { protocolVersion: version }))
    await eventually(async () => bytes().length, Boolean)
    assert.deepEqual([...bytes().subarray(0, 1), bytes()[3]], [0x20, 0])
    socket.destroy()
  }
})
