import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { metricKeys, metrics } from '../telemetry/metrics.ts'
import { fromCodec } from './decoding.ts'
import { envelopeReadings, faultsOfMapping, mapReadings, unusedFields } from './mapping.ts'
import { suggestionFor, suggestMapping } from './suggestions.ts'
import type { Decoded, DecodedSample, DecodedValue, Mapping, MappingRow } from './types.ts'
import { toOwnUnit, unitsOf } from './units.ts'

const now = Date.parse('2026-11-28T15:34:12Z')
const day = 86_400_000
const decoded = (...samples: DecodedSample[]): Decoded => ({ decoder: 'ChirpStack', samples, warnings: [], errors: [] })
const map = (values: Record<string, DecodedValue>, mapping: Mapping = suggestMapping([{ values }])) =>
  mapReadings(decoded({ values }), mapping, { now, message: { receivedAt: now - 1000 } })
const metric = (
  path: string,
  key: (typeof metricKeys)[number],
  unit: string = metrics[key].unit,
  factor = 1,
): MappingRow => ({
  ...{ path, to: 'metric', metric: key, unit, factor },
})

test('if one of five values is out of range, four are stored and one is reported', () => {
  const { readings, rejected, unused } = map({
    temperature: 19.4,
    humidity: 61,
    co2: 65_535,
    battery: 92,
    tvoc: 42,
    infrared: 20,
  })
  assert.deepEqual(readings, [
    { ts: now - 1000, values: { temperature: 19.4, humidity: 61, batteryLevel: 92, tvoc: 42 } },
  ])
  assert.deepEqual(rejected, [
    {
      ...{ path: 'co2', value: 65_535, reason: 'out of range' },
      text: 'Outside 0–10,000 ppm. The value 65,535 often means that the sensor has no value',
    },
  ])
  assert.deepEqual(unused, [{ path: 'infrared', value: 20 }])
})

test('values beyond the 200 that are read are named as rejected', () => {
  const object = Object.fromEntries(Array.from({ length: 202 }, (_, at) => [`v${at}`, at]))
  const values = fromCodec({ data: object }, 'Codec, version 1')
  const { rejected } = mapReadings(values, [], { now, message: { receivedAt: now } })
  assert.deepEqual(
    rejected.map(({ path, text }) => [path, text]),
    [
      ['v200', 'Only 200 values are read'],
      ['v201', 'Only 200 values are read'],
    ],
  )
})

test.each<[string, DecodedValue, MappingRow, number | string]>([
  ['a factor', 1021.5, metric('p', 'airPressure', 'kPa', 0.1), 1021.5],
  ['Fahrenheit', 68, metric('p', 'temperature', '°F'), 20],
  ['Kelvin', 293.15, metric('p', 'temperature', 'K'), 20],
  ['cubic metres', 18.342, metric('p', 'waterVolume', 'm³'), 18_342],
  ['millivolts', 3426, metric('p', 'batteryVoltage', 'mV'), 3.426],
  ['milliamperes', 250, metric('p', 'current', 'mA'), 0.25],
  ['ppm of TVOC', 0.042, metric('p', 'tvoc', 'ppm'), 42],
  ['a number written as a text', '20.5', metric('p', 'temperature'), 20.5],
  ['a word of a contact', 'Open', metric('p', 'opening'), 1],
  ['true for an alarm', true, metric('p', 'smokeAlarm'), 1],
  [
    'a contact that is true while it is closed',
    true,
    { ...metric('p', 'opening'), words: { true: 0, false: 1 } } as MappingRow,
    0,
  ],
  ['own words', 'flood', { ...metric('p', 'leak'), words: { flood: 1, dry: 0 } } as MappingRow, 1],
  ['an unknown word', 'maybe', metric('p', 'opening'), "'maybe' is mapped to neither 1 nor 0"],
  ['a word for a number', 'warm', metric('p', 'temperature'), "'warm' is not a number"],
  ['true for a temperature', true, metric('p', 'temperature'), "'true' is not a number"],
  ['below the range', -61, metric('p', 'temperature'), 'Outside −60–100 °C'],
  ['0 or 1 that is 6', 6, metric('p', 'presence'), 'Outside 0–1'],
  ['an unknown unit', 5, metric('p', 'tvoc', 'µg/m³'), 'Outside 0–60,000 ppb'],
])('a value is converted or named: %s', (_, value, row, result) => {
  const { readings, rejected } = map({ p: value }, [row])
  if (typeof result === 'string') assert.deepEqual([rejected[0]?.text, readings], [result, []])
  else assert.deepEqual([Object.values(readings[0]!.values), rejected], [[result], []])
})

test('an extra metric keeps its own name, and a text value is rejected', () => {
  const mapping: Mapping = [
    { path: 'infrared', to: 'extra', name: 'infrared', factor: 0.5 },
    { path: 'note', to: 'extra', name: 'note', factor: 1 },
  ]
  const { readings, rejected } = map({ infrared: 20, note: 'x' }, mapping)
  assert.deepEqual(readings[0]!.values, { infrared: 10 })
  assert.equal(rejected[0]!.reason, 'not a number')
})

test.each<[string, DecodedValue, number]>([
  ['gas_status', 'normal', 0],
  ['gas_status', 'alarm', 1],
  ['alarm', 0, 0],
  ['alarm', '0', 0],
  ['alarm', false, 0],
  ['alarm', 1, 1],
  ['alarm', 'over temperature', 1],
  ['test_result', false, 1],
  ['test_result', '', 0],
  ['button', false, 0],
])('%s with the value %j makes %i events', (path, value, count) => {
  assert.equal(map({ [path]: value }).events.length, count)
})

test('a contact that reports 1 is closed', () => {
  const opening = (contact: number) => map({ contact }).readings[0]?.values['opening']
  assert.deepEqual([opening(1), opening(0)], [0, 1])
})

test('the newest state of a log is kept, and an empty event is not stored', () => {
  const mapping: Mapping = [
    { path: 'mode', to: 'state', state: 'thermostatMode' },
    { path: 'press', to: 'event', event: 'button' },
  ]
  const { states, events } = mapReadings(
    decoded(
      { values: { mode: 'heat', press: 'short' } },
      { measuredAt: now - day, values: { mode: 'off', press: '' } },
    ),
    mapping,
    { now, message: { receivedAt: now } },
  )
  assert.deepEqual(states, { thermostatMode: 'heat' })
  assert.deepEqual(events, [{ at: now, event: 'button', value: 'short' }])
})

test('a stored log is accepted back to 90 days, each entry with its own time', () => {
  const logs = [1, 89, 91].map((days): DecodedSample => ({
    measuredAt: now - days * day,
    values: { temperature: days / 10 },
  }))
  const { readings, rejected } = mapReadings(
    decoded({ values: { temperature: 20 } }, ...logs),
    [metric('temperature', 'temperature')],
    {
      now,
      message: { receivedAt: now },
    },
  )
  assert.deepEqual(
    readings.map(({ ts, values }) => [(now - ts) / day, values['temperature']]),
    [
      [89, 8.9],
      [1, 0.1],
      [0, 20],
    ],
  )
  assert.deepEqual(
    rejected.map(({ reason, text }) => [reason, text]),
    [['wrong time', 'The time is more than 90 days ago']],
  )
})

test('a message that arrives a week late keeps its time; a network server’s time in the future is replaced', () => {
  const at = (message: { receivedAt: number; measuredAt?: number }) =>
    mapReadings(decoded({ values: { temperature: 20 } }), [metric('temperature', 'temperature')], { now, message })
      .readings[0]?.ts
  assert.equal(at({ receivedAt: now - 7 * day }), now - 7 * day)
  assert.equal(at({ receivedAt: now + 3_600_000 }), now)
  assert.equal(at({ receivedAt: now, measuredAt: now - 60_000 }), now - 60_000)
  assert.equal(at({ receivedAt: now, measuredAt: 86_400_000 }), now, 'a clock that was never set')
  assert.equal(at({ receivedAt: now, measuredAt: now + 3_600_000 }), undefined)
  assert.equal(at({ receivedAt: now - 91 * day }), undefined)
})

test('signal and battery of the envelope become readings; a decoded battery value takes precedence', () => {
  const message = { receivedAt: now, radio: { rssi: -71, snr: 9.2, linkQuality: 142 }, battery: 99.21 }
  assert.deepEqual(envelopeReadings(message), { gsmSignal: -71, linkQuality: 55.7, batteryLevel: 99.2 })
  assert.deepEqual(envelopeReadings({ radio: { rssi: 12 }, battery: 255 }), {})
  const { readings } = mapReadings(decoded({ values: { battery: 92 } }), [metric('battery', 'batteryLevel')], {
    now,
    message,
  })
  assert.equal(readings[0]!.values['batteryLevel'], 92)
  const status = mapReadings(decoded(), [], { now, message: { ...message, hasExternalPower: true } })
  assert.deepEqual([status.readings.length, status.states], [1, { externalPower: true }])
})

test.each<[string, DecodedValue, string | undefined, string | undefined]>([
  ['temperature', 20, undefined, 'temperature °C'],
  ['temperature_3', 20, undefined, 'temperature °C'],
  ['Temperature', 20, undefined, 'temperature °C'],
  ['readings.0.temp', 20, undefined, 'temperature °C'],
  ['TempC_SHT', 20, undefined, 'temperature °C'],
  ['temperature_f', 68, undefined, 'temperature °F'],
  ['temperature', 68, '°F', 'temperature °F'],
  ['Hum_SHT', 50, undefined, 'humidity %'],
  ['relative_humidity', 50, undefined, 'humidity %'],
  ['illuminance_lux', 50, undefined, 'light lx'],
  ['pm2_5', 5, undefined, 'pm25 µg/m³'],
  ['pressure_kpa', 101, undefined, 'airPressure kPa'],
  ['pressure', 4, 'bar', undefined],
  ['tvoc', 5, 'µg/m³', undefined],
  ['tvoc', 0.37, 'IAQ', undefined],
  ['voc', 5, undefined, 'tvoc ppb'],
  ['light_level', 2, undefined, undefined],
  ['contact', true, undefined, 'opening '],
  ['pir', 'idle', undefined, 'presence '],
  ['motion', 6, undefined, undefined],
  ['current', 5, undefined, undefined],
  ['current', 250, 'mA', 'current mA'],
  ['water_volume_m3', 18.3, undefined, 'waterVolume m³'],
  ['volume', 18.3, undefined, undefined],
  ['battery', 92, undefined, 'batteryLevel %'],
  ['battery', 3.61, undefined, undefined],
  ['vdd', 3426, undefined, 'batteryVoltage mV'],
  ['BatV', 3.1, undefined, 'batteryVoltage V'],
  ['voltage', 230, undefined, undefined],
  ['valve_opening', 40, undefined, 'valvePosition %'],
  ['occupied_heating_setpoint', 20, undefined, 'setPoint °C'],
  ['infrared', 20, undefined, undefined],
  ['temperature', 'warm', undefined, undefined],
])('a value is proposed by name and unit: %s %s %s', (path, value, unit, expected) => {
  const target = suggestionFor(path, value, unit)
  assert.equal(target?.to === 'metric' ? `${target.metric} ${target.unit}` : target, expected)
})

test('states and events are suggested by name, and the voltage of a sensor with a battery is its battery voltage', () => {
  const of = (values: Record<string, DecodedValue>) => suggestMapping([{ values }]).filter(({ to }) => to !== 'unused')
  assert.deepEqual(of({ tamper: false, action: 'single', battery_low: true }), [
    { path: 'tamper', to: 'state', state: 'tamper' },
    { path: 'action', to: 'event', event: 'button' },
    { path: 'battery_low', to: 'state', state: 'lowBattery' },
  ])
  assert.deepEqual(of({ battery: 90, voltage: 2995 }).at(-1), metric('voltage', 'batteryVoltage', 'mV'))
})

test('of two values for one metric the first is suggested, and the other is listed as not used', () => {
  const values = { presence: true, occupancy: true }
  const mapping = suggestMapping([{ values }])
  assert.deepEqual(
    mapping.map(({ to }) => to),
    ['metric', 'unused'],
  )
  assert.deepEqual(unusedFields([{ values }], mapping), ['occupancy'])
  const both = [metric('presence', 'presence'), metric('occupancy', 'presence')]
  assert.deepEqual(map(values, both).unused, [{ path: 'occupancy', value: true }])
})

test('the faults that prevent a mapping from being saved are listed', () => {
  const mapping: Mapping = [
    metric('a', 'temperature'),
    metric('a', 'humidity'),
    metric('b', 'temperature', '°F'),
    metric('c', 'tvoc', 'µg/m³'),
    metric('d', 'co2', 'ppm', 0),
    { path: 'e', to: 'extra', name: 'co2', factor: 1 },
  ]
  assert.deepEqual(
    faultsOfMapping(mapping).map(({ path, text }) => `${path}: ${text}`),
    [
      'a: This path is mapped twice',
      'b: Temperature is already read from a',
      'c: Choose one of these units: ppb, ppm',
      'd: Enter a factor other than 0',
      'e: CO2 is already read from d',
      'e: Enter a name of 1 to 60 characters that no metric has',
    ],
  )
  assert.deepEqual(faultsOfMapping(suggestMapping([{ values: { temperature: 1, humidity: 2, x: 3 } }])), [])
})

test('every offered unit can be converted', () => {
  for (const key of metricKeys)
    for (const unit of unitsOf(key)) assert.ok(toOwnUnit(key, 1, unit) !== undefined, `${key} ${unit}`)
})

test('values in range are stored exactly, and every other value is reported once', () => {
  const value = fc.oneof(fc.double({ noNaN: true }), fc.string(), fc.boolean())
  fc.assert(
    fc.property(fc.dictionary(fc.string({ minLength: 1 }), value, { maxKeys: 8 }), (values) => {
      const keys = Object.keys(values)
      const mapping = keys.map((path, at) => metric(path, metricKeys[at]!))
      const { readings, rejected, unused } = map(values, mapping)
      const stored = readings.flatMap((one) => Object.entries(one.values))
      assert.equal(stored.length + rejected.length + unused.length, keys.length)
      for (const [key, one] of stored) {
        const { min, max } = metrics[key as 'co2']
        assert.ok(one >= min && one <= max)
      }
    }),
  )
})
