import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { test } from 'vitest'
import { readEnvelope } from '@caretaker/rules/connectors/envelopes.ts'
import type { ConnectionKind, Envelope, SensorMessage } from '@caretaker/rules/connectors/types.ts'
import { connectionKindNames } from '@caretaker/rules/connectors/types.ts'

const sample = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`samples/envelopes/${name}.json`, import.meta.url), 'utf8'))
const now = Date.parse('2026-11-28T13:30:05Z')
const read = (kind: ConnectionKind, payload: unknown, more: Partial<Envelope> = {}) =>
  readEnvelope(kind, { payload, now, ...more })
function messagesOf(kind: ConnectionKind, payload: unknown, more: Partial<Envelope> = {}): SensorMessage[] {
  const result = read(kind, payload, more)
  assert.ok('messages' in result, JSON.stringify(result))
  return result.messages
}
function refusalOf(kind: ConnectionKind, payload: unknown, more: Partial<Envelope> = {}): string {
  const result = read(kind, payload, more)
  assert.ok('refusal' in result, JSON.stringify(result))
  return result.refusal.text
}

const device = {
  deviceInfo: { devEui: '24e124128c140733', deviceName: 'Living room', deviceProfileName: 'Milesight AM107' },
}

test('an uplink of ChirpStack is read', () => {
  assert.deepEqual(messagesOf('chirpstack', sample('chirpstack-room'), { event: 'up' }), [
    {
      kind: 'uplink',
      deviceKey: '0101010101010101',
      name: 'room-1',
      model: 'room',
      receivedAt: Date.parse('2026-11-28T13:30:00.123Z'),
      deduplicationId: '3ac7e3c4-4401-4b8d-9386-a5c902f9202d',
      radio: { rssi: -48, snr: 9, gateway: '0102030405060708' },
      fPort: 2,
      bytes: Uint8Array.of(1, 0),
      object: { temperature: 20.5, humidity: 51 },
      sequence: 4,
      session: '00189440',
    },
  ])
  const [raw] = messagesOf('chirpstack', sample('chirpstack-em300-th'))
  assert.equal(raw!.object, undefined)
  assert.equal(raw!.bytes!.length, 10)
  assert.equal(raw!.sequence, 4)
})

test.each<[string, object, Partial<Envelope>, Partial<SensorMessage> | undefined]>([
  [
    'join',
    { ...device, devAddr: '00189440', deduplicationId: 'a' },
    { event: 'join' },
    { kind: 'join', session: '00189440' },
  ],
  ['join without its name', { ...device, devAddr: '00189440' }, {}, { kind: 'join' }],
  [
    'status',
    { ...device, margin: 10, externalPowerSource: false, batteryLevel: 92.5 },
    { topic: 'application/1/device/24e124128c140733/event/status' },
    { kind: 'status', battery: 92.5, hasExternalPower: false },
  ],
  [
    'status of a sensor that does not know its battery',
    { ...device, batteryLevelUnavailable: true, batteryLevel: 0, externalPowerSource: true },
    {},
    { kind: 'status', battery: undefined, hasExternalPower: true },
  ],
  [
    'log',
    { ...device, level: 'ERROR', code: 'UPLINK_CODEC', description: 'Exception generated' },
    {},
    { kind: 'log', level: 'error', text: 'UPLINK_CODEC: Exception generated' },
  ],
  [
    'ack',
    { ...device, queueItemId: 'q1', acknowledged: true, fCntDown: 3 },
    { event: 'ack' },
    { kind: 'ack', isAcknowledged: true, downlinkId: 'q1' },
  ],
  [
    'ack that did not come',
    { ...device, queueItemId: 'q1', acknowledged: false },
    {},
    { kind: 'ack', isAcknowledged: false },
  ],
  ['an uplink without a payload', { ...device, fCnt: 7 }, {}, { kind: 'uplink', sequence: 7, bytes: undefined }],
  [
    'an uplink of counter 0 with an empty object',
    { ...device, fCnt: 0, object: {} },
    {},
    { sequence: 0, object: undefined },
  ],
  ['a sent downlink, which carries nothing', { ...device, gatewayId: 'g' }, { event: 'txack' }, undefined],
  ['a location', { ...device, location: { latitude: 1 } }, { event: 'location' }, undefined],
  [
    'tags name maker and model before the profile',
    { ...device, deviceInfo: { ...device.deviceInfo, tags: { Maker: 'Elsys', model: 'ERS' } }, fCnt: 1 },
    {},
    { maker: 'Elsys', model: 'ERS' },
  ],
  ['an unreadable time counts as received now', { ...device, fCnt: 1, time: 'yesterday' }, {}, { receivedAt: now }],
  [
    'of several gateways the one with the best reception',
    { ...device, fCnt: 1, rxInfo: [{ gatewayId: 'a', rssi: -90 }, { gatewayId: 'b', rssi: -40, snr: 3 }, null, 5] },
    {},
    { radio: { rssi: -40, snr: 3, gateway: 'B' } },
  ],
])('ChirpStack: %s', (_, payload, more, expected) => {
  const [message] = messagesOf('chirpstack', payload, more)
  if (!expected) assert.equal(message, undefined)
  else {
    assert.equal(message!.deviceKey, '24E124128C140733')
    for (const [name, value] of Object.entries(expected))
      assert.deepEqual(message![name as keyof SensorMessage], value, name)
  }
})

test('an uplink of The Things Stack is read', () => {
  const [message] = messagesOf('the-things-stack', sample('things-stack-am103'))
  const { bytes, ...rest } = message!
  assert.equal(Buffer.from(bytes!).toString('base64'), 'AXVkA2cYAQRobQd9xQE=')
  assert.deepEqual(rest, {
    kind: 'uplink',
    deviceKey: '1000000000000001',
    downlink: { application: 'application-tts-name', device: 'eui-1000000000000001' },
    name: 'eui-1000000000000001',
    receivedAt: Date.parse('2023-05-19T05:33:35.641Z'),
    session: 'AYfqmb0pc/1uRZv9xUydgQ==',
    fPort: 85,
    sequence: 10_335,
    radio: { rssi: -35, snr: 13.2, gateway: '6A7E111A10000000' },
  })
})

const ids = { end_device_ids: { device_id: 'room-1', dev_eui: '1000000000000001', dev_addr: '20000001' } }
test.each<[string, object, Partial<SensorMessage> | undefined]>([
  [
    'join',
    {
      ...ids,
      received_at: '2026-11-28T13:00:00Z',
      join_accept: { session_key_id: 'k', received_at: '2026-11-28T13:00:01Z' },
    },
    { kind: 'join', receivedAt: Date.parse('2026-11-28T13:00:01Z'), session: '20000001' },
  ],
  [
    'acknowledged downlink',
    { ...ids, downlink_ack: { f_port: 85, correlation_ids: ['as:downlink:01', 'caretaker:17'] } },
    { kind: 'ack', isAcknowledged: true, downlinkId: 'caretaker:17' },
  ],
  [
    'downlink that was not acknowledged',
    { ...ids, downlink_nack: { f_port: 85 } },
    { kind: 'ack', isAcknowledged: false },
  ],
  [
    'failed downlink',
    {
      ...ids,
      downlink_failed: { downlink: { correlation_ids: ['caretaker:18'] }, error: { message_format: 'no route' } },
    },
    { kind: 'ack', isAcknowledged: false, downlinkId: 'caretaker:18', text: 'no route' },
  ],
  ['queued downlink', { ...ids, downlink_queued: {} }, undefined],
  ['location', { ...ids, location_solved: {} }, undefined],
  [
    'the first frame of a session, with its decoded object, model and battery',
    {
      ...ids,
      uplink_message: {
        f_port: 85,
        frm_payload: 'AXVk',
        decoded_payload: { battery: 100 },
        version_ids: { brand_id: 'milesight-iot', model_id: 'am103' },
        last_battery_percentage: { value: 99.2, received_at: '2026-11-28T13:00:01Z' },
      },
    },
    { kind: 'uplink', sequence: 0, object: { battery: 100 }, maker: 'milesight-iot', model: 'am103', battery: 99.2 },
  ],
])('The Things Stack: %s', (_, payload, expected) => {
  const [message] = messagesOf('the-things-stack', payload)
  if (!expected) assert.equal(message, undefined)
  else
    for (const [name, value] of Object.entries(expected))
      assert.deepEqual(message![name as keyof SensorMessage], value, name)
})

test('a state of Zigbee2MQTT has its values without null, the time of its last message and the name from the topic', () => {
  assert.deepEqual(messagesOf('zigbee2mqtt', sample('zigbee2mqtt-room'), { topic: 'zigbee2mqtt/home/Living room' }), [
    {
      kind: 'uplink',
      deviceKey: 'home/Living room',
      downlink: { topic: 'zigbee2mqtt/home/Living room/set' },
      name: 'home/Living room',
      receivedAt: now,
      measuredAt: Date.parse('2026-11-28T13:30:00Z'),
      object: { humidity: 51.2, temperature: 20.5 },
      radio: { linkQuality: 105 },
    },
  ])
})

test.each<[string, unknown, string | undefined, Partial<SensorMessage> | undefined]>([
  [
    'a state with the device in it',
    {
      linkquality: 9,
      battery: 87,
      contact: true,
      device: { friendlyName: 'Door', ieeeAddr: '0x00158d0004b7c2a9', model: 'MCCGQ11LM', manufacturerName: 'LUMI' },
    },
    undefined,
    {
      deviceKey: '00158D0004B7C2A9',
      name: 'Door',
      maker: 'LUMI',
      model: 'MCCGQ11LM',
      battery: 87,
      object: { battery: 87, contact: true },
    },
  ],
  [
    'a device without a friendly name',
    { linkquality: 9 },
    'zigbee2mqtt/0x00158d0004b7c2a9',
    { deviceKey: '00158D0004B7C2A9' },
  ],
  ['last_seen in ms', { last_seen: 1_764_336_600_000 }, 'zigbee2mqtt/a', { measuredAt: 1_764_336_600_000 }],
  [
    'available',
    { state: 'online' },
    'zigbee2mqtt/Door/availability',
    { kind: 'availability', deviceKey: 'Door', isAvailable: true },
  ],
  ['unavailable as a word', 'offline', 'zigbee2mqtt/Door/availability', { kind: 'availability', isAvailable: false }],
  ['the log of the bridge', { level: 'info' }, 'zigbee2mqtt/bridge/logging', undefined],
  ['the state of the bridge', 'online', 'zigbee2mqtt/bridge/state', undefined],
  ['a command', { state: 'ON' }, 'zigbee2mqtt/Plug/set', undefined],
])('Zigbee2MQTT: %s', (_, payload, topic, expected) => {
  const [message] = messagesOf('zigbee2mqtt', payload, topic === undefined ? {} : { topic })
  if (!expected) assert.equal(message, undefined)
  else
    for (const [name, value] of Object.entries(expected))
      assert.deepEqual(message![name as keyof SensorMessage], value, name)
})

test('the device list has addresses, makers and models, without the coordinator', () => {
  const list = [
    { ieee_address: '0x00124b0024c2a111', type: 'Coordinator', friendly_name: 'Coordinator' },
    {
      ieee_address: '0x00158d0004b7c2a9',
      type: 'EndDevice',
      friendly_name: 'Door',
      definition: { vendor: 'Aqara', model: 'MCCGQ11LM' },
    },
    {
      ieee_address: '0x00158d0004b7c2b0',
      type: 'EndDevice',
      friendly_name: 'New',
      manufacturer: 'LUMI',
      model_id: 'lumi.x',
    },
  ]
  assert.deepEqual(messagesOf('zigbee2mqtt', list, { topic: 'zigbee2mqtt/bridge/devices' }), [
    {
      kind: 'device-list',
      deviceKey: '00158D0004B7C2A9',
      name: 'Door',
      maker: 'Aqara',
      model: 'MCCGQ11LM',
      receivedAt: now,
      radio: {},
    },
    {
      kind: 'device-list',
      deviceKey: '00158D0004B7C2B0',
      name: 'New',
      maker: 'LUMI',
      model: 'lumi.x',
      receivedAt: now,
      radio: {},
    },
  ])
})

const meter = { device: { id: 17 }, at: '2026-11-28T13:00:00+01:00', readings: { p1: 18342, p2: 0 } }
test('generic JSON is read by its paths, as one message or one per entry', () => {
  const paths = { deviceKey: 'device.id', time: 'at', values: 'readings' }
  assert.deepEqual(messagesOf('generic-json', meter, { paths }), [
    {
      kind: 'uplink',
      deviceKey: '17',
      receivedAt: now,
      measuredAt: Date.parse('2026-11-28T12:00:00Z'),
      object: meter.readings,
      radio: {},
    },
  ])
  const body = { gateway: 'g', at: 1_764_331_200, list: [{ id: 'a', t: 20 }, { id: 'b', t: 21 }, { t: 22 }] }
  const ofList = { items: 'list', deviceKey: 'id', time: 'at', values: 't' }
  const several = messagesOf('generic-json', body, { paths: ofList })
  const { refused } = readEnvelope('generic-json', { payload: body, now, paths: ofList }) as { refused?: object }
  assert.deepEqual(refused, { count: 1, first: 'Field id is missing: it names the sensor' })
  assert.deepEqual(
    several.map(({ deviceKey, measuredAt, object }) => [deviceKey, measuredAt, object]),
    [
      ['a', 1_764_331_200_000, { value: 20 }],
      ['b', 1_764_331_200_000, { value: 21 }],
    ],
  )
})

test.each<[ConnectionKind, unknown, string, Partial<Envelope>?]>([
  ['chirpstack', sample('things-stack-am103'), 'This message is not from ChirpStack: field deviceInfo is missing'],
  [
    'the-things-stack',
    sample('chirpstack-room'),
    'This message is not from The Things Stack: field end_device_ids is missing',
  ],
  ['zigbee2mqtt', sample('chirpstack-room'), 'This message is not from Zigbee2MQTT: field linkquality is missing'],
  ['zigbee2mqtt', 5, 'This message is not from Zigbee2MQTT: field linkquality is missing'],
  [
    'zigbee2mqtt',
    sample('zigbee2mqtt-room'),
    'Field device is missing: send the topic, or set include_device_information to true in Zigbee2MQTT',
  ],
  ['chirpstack', { deviceInfo: {} }, 'Field deviceInfo.devEui is missing: it names the sensor'],
  ['chirpstack', { ...device, fCnt: 1, data: '***' }, 'Field data is not base64'],
  ['the-things-stack', { end_device_ids: {} }, 'Field end_device_ids.dev_eui is missing: it names the sensor'],
  [
    'the-things-stack',
    { ...ids, uplink_message: { frm_payload: 7 } },
    'Field uplink_message.frm_payload is not base64',
  ],
  ['generic-json', meter, 'Field device key is missing: enter its path in the connection'],
  ['generic-json', meter, 'Field serial is missing: it names the sensor', { paths: { deviceKey: 'serial' } }],
  [
    'generic-json',
    meter,
    'Field at is not a time',
    { paths: { deviceKey: 'device.id', time: 'at' }, payload: { ...meter, at: 'noon' } },
  ],
  [
    'generic-json',
    { list: Array.from({ length: 501 }, () => ({ id: 'a' })) },
    'Field list is not an array of at most 500 entries, it has 501',
    { paths: { deviceKey: 'id', items: 'list' } },
  ],
  ['generic-json', meter, 'Field device is not an array', { paths: { deviceKey: 'id', items: 'device' } }],
])('a body of %s is refused in a sentence: %#', (kind, payload, text, more = {}) => {
  assert.equal(refusalOf(kind, payload, more), text)
})

test('no JSON value makes an adapter throw', () => {
  const paths = { deviceKey: 'a.b', values: 'c', items: 'list', time: 't' }
  fc.assert(
    fc.property(
      fc.constantFrom(...connectionKindNames),
      fc.oneof(
        fc.jsonValue(),
        fc.record({ deviceInfo: fc.jsonValue(), rxInfo: fc.jsonValue(), data: fc.jsonValue(), object: fc.jsonValue() }),
        fc.record({
          deviceInfo: fc.record({ devEui: fc.jsonValue(), tags: fc.jsonValue() }),
          fCnt: fc.jsonValue(),
          level: fc.jsonValue(),
        }),
        fc.record({ end_device_ids: fc.record({ dev_eui: fc.string() }), uplink_message: fc.jsonValue() }),
        fc.record({ end_device_ids: fc.record({ device_id: fc.string() }), downlink_failed: fc.jsonValue() }),
      ),
      fc.option(fc.string(), { nil: undefined }),
      (kind, payload, topic) => {
        const result = readEnvelope(kind, { payload, now, paths, ...(topic !== undefined && { topic }) })
        if ('messages' in result) for (const { deviceKey } of result.messages) assert.ok(deviceKey)
        else assert.ok(result.refusal.text)
      },
    ),
    { numRuns: 500 },
  )
})
