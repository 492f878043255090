import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { builtInMakers, findDecoder, makerOf } from './decoders/registry.ts'
import { decode, fromCodec } from './decoding.ts'
import type { SensorMessage } from './types.ts'

const bytesFrom = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'))
const decodeHex = (model: string, text: string, maker = '', fPort = 85) =>
  findDecoder({ maker, model })!.decode(bytesFrom(text), { fPort })
const uplink = (more: Partial<SensorMessage>): SensorMessage => ({
  ...{ kind: 'uplink', deviceKey: '24E124128C140733', receivedAt: 0, radio: {} },
  ...more,
})

test.each<[string, string, string, Record<string, unknown>]>([
  [
    'Milesight',
    'AM107',
    '01755C 0367C200 04687A 056A0500 06651C0079001400 077DFFFF 087D2A00 0973E727',
    {
      ...{ battery: 92, temperature: 19.4, humidity: 61, activity: 5, illumination: 28, infrared_and_visible: 121 },
      ...{ infrared: 20, co2: 65_535, tvoc: 42, pressure: 1021.5 },
    },
  ],
  [
    'Milesight',
    'EM300-SLD',
    '01755C 0367ECFF 046865 050001',
    { battery: 92, temperature: -2, humidity: 50.5, leakage_status: 'leak' },
  ],
  ['Milesight', 'EM500-PP', '017564 037B0A00', { battery: 100, pipe_pressure: 10 }],
  [
    'Milesight',
    'WT101',
    '01755F 036704 01 0467C800 059228 060001 070001',
    {
      ...{ battery: 95, temperature: 26, temperature_target: 20, valve_opening: 40, tamper_status: 'uninstalled' },
      window_detection: 'open',
    },
  ],
  [
    'Milesight',
    'WS302',
    '017564 055B053F02DA016A02',
    { battery: 100, sound_level: 57.5, sound_level_eq: 47.4, sound_level_max: 61.8 },
  ],
  [
    'Milesight',
    'WS523',
    '0374FC08 048001000000 07C90500 087001',
    { voltage: 230, active_power: 1, current: 5, socket_status: 'on' },
  ],
  ['Milesight', 'CT305', '0499 0A00 0699 FFFF', { current_chn1: 1 }],
  ['Milesight', 'AM319-HCHO-IR', '08E62500 0A7D0400', { tvoc: 37, hcho: 0.04 }],
  ['Milesight', 'AM307', '087D2500 FF0A0110', { tvoc_rating: 0.37, firmware_version: 'v1.10' }],
  [
    'Elsys',
    'ERS Sound',
    '0100E2 0229 153C2D 14000F7602',
    {
      ...{ temperature: 22.6, humidity: 41, sound_peak: 60, sound_average: 45 },
      pressure: 1013.25,
    },
  ],
  [
    'Elsys',
    'ELT-2',
    '0C0000 19FFF6 190014 1205 1100',
    {
      ...{
        external_temperature: 0,
        external_temperature2: -1,
        external_temperature2_2: 2,
        water_leak: true,
        occupancy: 'vacant',
      },
    },
  ],
  [
    'Tektelic',
    'Comfort',
    '0367FFF6 0468 28 00D362 0100FF',
    { ambient_temperature: -1, relative_humidity: 20, battery: 98, reed_state: 'open' },
  ],
  [
    'Dragino',
    'LHT65N',
    'CBBD 0B45 0265 01 FFF6 7FFF',
    { BatV: 3.005, TempC_SHT: 28.85, Hum_SHT: 61.3, TempC_DS: -0.1 },
  ],
  [
    'Cayenne LPP',
    '',
    '036701 10 0567 00FF 016807 02660 1',
    {
      ...{ temperature_3: 27.2, temperature_5: 25.5, humidity_1: 3.5, presence_2: 1 },
    },
  ],
  ['Cayenne LPP', '', '018806 765F F2960A 0003E8', { latitude_1: 42.3519, longitude_1: -87.9094, altitude_1: 10 }],
  ['Netvox', 'R718WB', '0112012400', { battery_voltage: 3.6, battery_low: 0, water_leak: false }],
])('%s %s reads %s', (maker, model, text, expected) => {
  const { samples, errors } = decodeHex(model, text, maker)
  assert.deepEqual([samples[0]?.values, errors], [expected, []])
})

test('bytes are assigned to their values, and unknown bytes are not read', () => {
  const { samples, segments, warnings, units } = decodeHex('EM300-TH', '01755C 0367C200 09990102')
  assert.deepEqual(samples, [{ values: { battery: 92, temperature: 19.4 } }])
  assert.deepEqual(segments, [
    { start: 0, end: 3, paths: ['battery'] },
    { start: 3, end: 7, paths: ['temperature'] },
    { start: 7, end: 11, paths: [] },
  ])
  assert.deepEqual(warnings, ['Byte 8: channel 0x09 with type 0x99 is not known. 4 bytes were not read'])
  assert.deepEqual(units, { battery: '%', temperature: '°C' })
  assert.deepEqual(decodeHex('EM300-TH', '0367C2').errors, ['Nothing in this payload could be read'])
})

test('the entries of a stored log have their own times', () => {
  const { samples } = decodeHex('EM300-MCS', '20CE 9E744663 1001 5D 01 20CE 9E754663 1001 5D 00')
  assert.deepEqual(samples, [
    { measuredAt: 1_665_561_758_000, values: { temperature: 27.2, humidity: 46.5, magnet_status: 'open' } },
    { measuredAt: 1_665_562_014_000, values: { temperature: 27.2, humidity: 46.5, magnet_status: 'close' } },
  ])
})

test.each<[string | undefined, string | undefined, string | undefined, string | undefined]>([
  ['milesight-iot', 'em300-th', undefined, 'Milesight em300th'],
  [undefined, 'Milesight EM300-TH (868 MHz)', undefined, 'Milesight em300th'],
  [undefined, 'AM319-O3', undefined, 'Milesight am319o3'],
  [undefined, undefined, '24E124128C140733', 'Milesight undefined'],
  [undefined, 'Milesight XY1', undefined, 'Milesight undefined'],
  ['elsys', 'ers-co2', undefined, 'Elsys undefined'],
  [undefined, 'ERS Eco', undefined, 'Elsys undefined'],
  [undefined, 'room', 'A81758FFFE046B1C', 'Elsys undefined'],
  ['tektelic', 't0006984', undefined, 'Tektelic undefined'],
  ['Dragino', 'LHT65N', undefined, 'Dragino undefined'],
  ['Dragino', 'LDS02', undefined, undefined],
  [undefined, 'Cayenne LPP', undefined, 'Cayenne LPP undefined'],
  [undefined, 'Valve controller SV2', '70B3D57ED0061F4A', undefined],
])('a decoder is found by maker, model or DevEUI: %s %s %s', (maker, model, deviceKey, expected) => {
  const decoder = findDecoder({ maker, model, deviceKey })
  assert.equal(decoder && `${decoder.maker} ${decoder.model}`, expected)
})

test('values decoded by the network server take precedence; without a decoder the message is not decoded', () => {
  const bytes = bytesFrom('01755C')
  const object = { temperature: 20, status: { on: true }, note: null }
  assert.deepEqual(decode(uplink({ object, bytes }), 'ChirpStack'), {
    ...{ decoder: 'ChirpStack', warnings: [], errors: [] },
    samples: [{ values: { temperature: 20, 'status.on': true } }],
  })
  assert.equal(decode(uplink({ bytes }), 'ChirpStack').decoder, 'Milesight, built in')
  const unknown = decode(uplink({ bytes, deviceKey: '70B3D57ED0061F4A' }), 'ChirpStack')
  assert.deepEqual([unknown.samples, unknown.errors.length], [[], 1])
  assert.deepEqual(decode(uplink({ bytes, fPort: 0 }), 'ChirpStack').samples, [])
  assert.deepEqual(decode(uplink({}), 'ChirpStack').errors, [])
})

test('a history in a decoded object becomes samples with their own times', () => {
  const object = { temperature: 20, history: [{ timestamp: 1_665_561_758, temperature: 19 }, { temperature: 18 }, 7] }
  assert.deepEqual(decode(uplink({ object }), 'ChirpStack').samples, [
    { values: { temperature: 20 } },
    { measuredAt: 1_665_561_758_000, values: { temperature: 19 } },
  ])
})

test('the values of a codec that returns errors are not used', () => {
  assert.deepEqual(fromCodec({ data: { leak: true }, warnings: ['w'] }, 'Codec, version 3'), {
    ...{ decoder: 'Codec, version 3', samples: [{ values: { leak: true } }], warnings: ['w'], errors: [] },
  })
  assert.deepEqual(fromCodec({ data: { leak: true }, errors: ['Unexpected port 2'] }, 'Codec').samples, [])
  assert.deepEqual(fromCodec({}, 'Codec').errors, ['The codec returned no data'])
})

test('no payload makes a decoder throw, and every byte belongs to one segment', () => {
  const sensors = [
    ...builtInMakers.map((maker) => ({ maker, model: '' })),
    ...['AM308', 'WT201', 'EM300-DI', 'CT305', 'EM410-RDL'].map((model) => ({ maker: 'Milesight', model })),
    { maker: 'Dragino', model: 'LHT65N' },
  ]
  fc.assert(
    fc.property(fc.constantFrom(...sensors), fc.uint8Array({ maxLength: 60 }), fc.nat(20), (sensor, bytes, fPort) => {
      const decoder = findDecoder(sensor)
      if (!decoder) return
      const { samples, segments } = decoder.decode(bytes, { fPort })
      for (const { values } of samples)
        for (const value of Object.values(values))
          assert.ok(typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number')
      for (const { start, end } of segments!) assert.ok(start <= end && end <= bytes.length)
    }),
    { numRuns: 2000 },
  )
  assert.equal(makerOf({}), undefined)
})
