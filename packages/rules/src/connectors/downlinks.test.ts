import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { findDecoder } from './decoders/registry.ts'
import {
  downlinkAddressOf,
  downlinkFault,
  downlinkNeeds,
  echoText,
  encodeWt201SetPoint,
  httpDownlink,
  mqttDownlink,
  setPointControl,
  setPointFault,
} from './downlinks.ts'
import type { Thermostat } from './downlinks.ts'
import type { ConnectionKind } from './types.ts'

const thermostat = (more: Partial<Thermostat> = {}): Thermostat => ({
  ...{ kind: 'chirpstack', deviceKey: '24E124791C140733', maker: 'Milesight', model: 'WT201', mapping: null },
  lastValues: { temperature_control_mode: 'heat', temperature_target: 19 },
  ...more,
})
const hexOf = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('hex')

test('a WT201 set point is encoded as in its payload description', () => {
  assert.equal(hexOf(encodeWt201SetPoint(21, 'heat')), 'ffb70015')
  assert.equal(hexOf(encodeWt201SetPoint(25, 'cool')), 'ffb70219')
  assert.equal(hexOf(encodeWt201SetPoint(21.5, 'auto')), 'fffa03d700')
  assert.equal(encodeWt201SetPoint(21, 'away'), undefined)
  assert.equal(encodeWt201SetPoint(21, 'toString'), undefined)
})

test('the decoder reads every set point that can be requested back from its downlink', () => {
  const decoder = findDecoder({ maker: 'Milesight', model: 'WT201' })!
  const { range } = setPointControl(thermostat())!
  fc.assert(
    fc.property(
      fc.integer({ min: range.min / range.step, max: range.max / range.step }),
      fc.constantFrom('heat', 'em heat', 'cool', 'auto'),
      (steps, mode) => {
        const celsius = steps * range.step
        assert.equal(setPointFault(celsius, range), undefined)
        const { samples, warnings } = decoder.decode(encodeWt201SetPoint(celsius, mode)!, { fPort: 85 })
        assert.deepEqual(warnings, [])
        assert.equal(samples[0]!.values['requested_temperature'], celsius)
        assert.equal(samples[0]!.values['requested_mode'], mode)
        // The requested value is not the set point that the thermostat reports.
        assert.equal(samples[0]!.values['temperature_target'], undefined)
      },
    ),
  )
})

test.each([4.5, 35.5, 21.3, Number.NaN])('%s °C is no set point of a WT201', (celsius) => {
  assert.match(
    setPointFault(celsius, { min: 5, max: 35, step: 0.5 })!,
    /^The set point must be a number from 5 to 35 °C/,
  )
})

test('only thermostats whose downlinks are known have a set point, and a WT201 only with its mode', () => {
  assert.equal(setPointControl(thermostat({ model: 'AM107' })), undefined)
  assert.equal(setPointControl(thermostat({ kind: 'generic-json', lastValues: { temperature: 19 } })), undefined)
  const generic = thermostat({ kind: 'generic-json', model: 'TRV', lastValues: { setpoint: 19 } })
  assert.deepEqual(setPointControl(generic)!.contentOf(20.5), { content: { setPoint: 20.5 } })
  assert.ok(setPointControl(thermostat({ kind: 'the-things-stack' })))
  assert.ok('refusal' in setPointControl(thermostat({ lastValues: {} }))!.contentOf(21))
  const zigbee = (lastValues: Thermostat['lastValues'], mapping: Thermostat['mapping'] = null) =>
    setPointControl(thermostat({ kind: 'zigbee2mqtt', maker: 'Danfoss', model: '014G2461', lastValues, mapping }))
  assert.deepEqual(zigbee({ occupied_heating_setpoint: 20 })!.contentOf(20.5), {
    content: { values: { occupied_heating_setpoint: 20.5 } },
  })
  assert.equal(zigbee({ temperature: 20 }), undefined)
  const row = { path: 'wanted', to: 'metric', metric: 'setPoint', unit: '°C', factor: 1 } as const
  assert.deepEqual(zigbee({ wanted: 20 }, [row])!.contentOf(19), { content: { values: { wanted: 19 } } })
  assert.equal(zigbee({ wanted: 20 }, [{ ...row, factor: 0.1 }]), undefined)
})

test('an uplink shows where its network server takes downlinks', () => {
  const ids = { end_device_ids: { device_id: 'hall', application_ids: { application_id: 'homes' } } }
  assert.deepEqual(downlinkAddressOf('chirpstack', 'application/1/device/24e1/event/up', {}), {
    topic: 'application/1/device/24e1/command/down',
  })
  assert.deepEqual(downlinkAddressOf('the-things-stack', 'v3/homes@ttn/devices/hall/up', ids), {
    ...{ topic: 'v3/homes@ttn/devices/hall/down/push', application: 'homes', device: 'hall' },
  })
  assert.deepEqual(downlinkAddressOf('zigbee2mqtt', 'zigbee2mqtt/Hall', {}), { topic: 'zigbee2mqtt/Hall/set' })
  for (const kind of ['chirpstack', 'the-things-stack', 'zigbee2mqtt', 'generic-json'] as const)
    for (const body of [null, 'text', {}, { end_device_ids: null }])
      assert.deepEqual(downlinkAddressOf(kind, undefined, body), {})
})

test('downlinks have the form that each network server documents', () => {
  const content = { fPort: 85, bytes: Uint8Array.of(0xff, 0xb7, 0, 21) }
  const downlink = { id: 'c1', deviceKey: '24E124791C140733', content }
  const address = { topic: 'to/it', application: 'homes', device: 'hall' }
  assert.deepEqual(httpDownlink({ ...downlink, kind: 'chirpstack', address: {} }), {
    path: '/api/devices/24e124791c140733/queue',
    header: 'Grpc-Metadata-Authorization',
    body: { queueItem: { confirmed: false, fPort: 85, data: '/7cAFQ==' } },
  })
  assert.deepEqual(httpDownlink({ ...downlink, kind: 'the-things-stack', address }), {
    path: '/api/v3/as/applications/homes/devices/hall/down/push',
    header: 'Authorization',
    body: {
      downlinks: [{ frm_payload: '/7cAFQ==', f_port: 85, priority: 'NORMAL', correlation_ids: ['caretaker:c1'] }],
    },
  })
  assert.deepEqual(mqttDownlink({ ...downlink, kind: 'chirpstack', address }), {
    topic: 'to/it',
    body: { devEui: '24e124791c140733', confirmed: false, fPort: 85, data: '/7cAFQ==' },
  })
  assert.deepEqual(mqttDownlink({ ...downlink, kind: 'zigbee2mqtt', address, content: { values: { a: 20 } } }), {
    ...{ topic: 'to/it', body: { a: 20 } },
  })
  assert.equal(typeof httpDownlink({ ...downlink, kind: 'the-things-stack', address: {} }), 'string')
  assert.equal(typeof mqttDownlink({ ...downlink, kind: 'zigbee2mqtt', address: {} }), 'string')
})

test('a command of a generic connection has its own topic or address, and its own JSON', () => {
  const command = {
    kind: 'generic-json',
    id: 'c1',
    deviceKey: 'hall',
    address: {},
    content: { setPoint: 20.5 },
  } as const
  assert.deepEqual(httpDownlink({ ...command, target: { url: 'https://a.example' } }), {
    ...{ path: '', header: 'Authorization', body: { sensor: 'hall', setPoint: 20.5, id: 'c1' } },
  })
  const template = '{"to":"trv/{sensor}","values":[{"target":"{setPoint}"},"{setPoint} °C"],"on":true}'
  const target = { topic: 'heating/{sensor}/set', template }
  assert.deepEqual(mqttDownlink({ ...command, target }, 'reports/#'), {
    topic: 'heating/hall/set',
    body: { to: 'trv/hall', values: [{ target: 20.5 }, '20.5 °C'], on: true },
  })
  // Caretaker would take its own command for the report that confirms it.
  assert.equal(mqttDownlink({ ...command, target }, 'heating/#'), echoText)
  assert.equal(typeof mqttDownlink({ ...command, deviceKey: '#', target }), 'string')
  assert.equal(typeof mqttDownlink(command), 'string')
})

test('a command of Zigbee2MQTT by webhook contains the topic and the payload for its broker', () => {
  const command = { kind: 'zigbee2mqtt', id: 'c1', deviceKey: 'AA', content: { values: { a: 20 } } } as const
  assert.deepEqual(httpDownlink({ ...command, address: { topic: 'zigbee2mqtt/Hall/set' } }), {
    ...{ path: '', header: 'Authorization', body: { topic: 'zigbee2mqtt/Hall/set', payload: { a: 20 } } },
  })
  assert.match(JSON.stringify(httpDownlink({ ...command, address: {} })), /Send the topic/)
})

test('each kind of connection needs other settings to send', () => {
  const needs = (kind: ConnectionKind, transport: 'webhook' | 'mqtt') =>
    Object.entries(downlinkNeeds(kind, transport)).flatMap(([name, isNeeded]) => (isNeeded ? [name] : []))
  for (const kind of ['chirpstack', 'the-things-stack'] as const) {
    assert.deepEqual(needs(kind, 'webhook'), ['url', 'token'])
    assert.deepEqual(needs(kind, 'mqtt'), [])
  }
  assert.deepEqual([needs('zigbee2mqtt', 'webhook'), needs('zigbee2mqtt', 'mqtt')], [['url'], []])
  assert.deepEqual(
    [needs('generic-json', 'webhook'), needs('generic-json', 'mqtt')],
    [
      ['url', 'template'],
      ['topic', 'template'],
    ],
  )
})

test('a refused token, an unknown sensor and a redirect are final; a server that is busy is asked again', () => {
  const finals = [301, 400, 401, 403, 404, 408, 429, 500, 503].map(
    (status) => [status, downlinkFault('ChirpStack', status).isFinal] as const,
  )
  assert.deepEqual(
    finals.filter(([, isFinal]) => isFinal).map(([status]) => status),
    [301, 400, 401, 403, 404],
  )
})
