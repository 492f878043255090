import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'vitest'
import type { MetricKey } from '@caretaker/rules/telemetry/metrics.ts'
import { decode } from '@caretaker/rules/connectors/decoding.ts'
import { faultsOfMapping, rangeOf } from '@caretaker/rules/connectors/mapping.ts'
import { suggestMapping } from '@caretaker/rules/connectors/suggestions.ts'
import type { SensorMessage } from '@caretaker/rules/connectors/types.ts'
import { bytesOf } from '@caretaker/rules/connectors/values.ts'
import { mapMessage } from './decode.ts'

interface Expected {
  ts: number
  values: Record<string, unknown>
}
interface Vector {
  vendor: string
  model: string
  fPort: number | null
  data: string | null
  expected: Expected | Expected[]
}
const vectors = readFileSync(new URL('samples/vectors.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Vector)

/** The metric of each value in the source, and the factor to convert it. */
const meanings: Readonly<Record<string, [MetricKey, number?]>> = {
  temperature: ['temperature'],
  ambient_temperature: ['temperature'],
  humidity: ['humidity'],
  relative_humidity: ['humidity'],
  co2: ['co2'],
  pressure: ['airPressure'],
  battery: ['batteryLevel'],
  battery_voltage: ['batteryVoltage'],
  vdd: ['batteryVoltage', 0.001],
  light: ['light'],
  pm2_5: ['pm25'],
  pm10: ['pm10'],
  temperature_target: ['setPoint'],
  current: ['current'],
  magnet_status: ['opening'],
  leakage_status: ['leak'],
  water_leak: ['leak'],
  occupancy: ['presence'],
  pir: ['presence'],
}
const words: Readonly<Record<string, number>> = {
  ...{ open: 1, trigger: 1, leak: 1, occupied: 1, close: 0, idle: 0, normal: 0, vacant: 0 },
}

/** The readings expected of a vector; values that no sensor can measure must produce none. */
function expectedReadings({ vendor, expected }: Vector): { ts: number; metric: MetricKey; value: number }[] {
  return [expected].flat().flatMap(({ ts, values }) =>
    Object.entries(values).flatMap(([name, raw]) => {
      const meaning = meanings[name]
      // The source gives some times in seconds. For Elsys it counts movements under the name that others use for presence.
      if (!meaning || (vendor === 'Elsys' && name === 'pir')) return []
      const [metric, factor = 1] = meaning
      const value = typeof raw === 'number' ? raw * factor : words[String(raw)]
      const { min, max } = rangeOf(metric)
      if (value === undefined || value < min || value > max) return []
      return [{ ts: ts < 1e10 ? ts * 1000 : ts, metric, value }]
    }),
  )
}

/** The readings of a vector with the suggested mapping, each sample received at its own time. */
function actualReadings({ vendor, model, fPort, data, expected }: Vector): Map<string, number> {
  const received = [expected].flat().at(-1)?.ts ?? 0
  const ownTime = [expected].flat().find(({ values }) => 'battery' in values || 'uplinkId' in values)?.ts ?? received
  const message: SensorMessage = {
    ...{ kind: 'uplink', deviceKey: '1000000000000001', maker: vendor, model, receivedAt: ownTime, radio: {} },
    ...(fPort !== null && { fPort }),
    ...(data !== null && { bytes: bytesOf(data)! }),
  }
  const decoded = decode(message, 'ChirpStack')
  const found = new Map<string, number>()
  for (const sample of decoded.samples) {
    const now = sample.measuredAt ?? ownTime
    const { readings } = mapMessage(
      { mapping: null },
      { ...message, receivedAt: now },
      { ...decoded, samples: [sample] },
      now,
    )
    for (const { ts, values } of readings)
      for (const [metric, value] of Object.entries(values)) found.set(`${ts} ${metric}`, value)
  }
  return found
}

test('for 72 uplinks of 20 models at least 95 % of the mapped values equal the expected ones, and none has a wrong unit', () => {
  assert.equal(vectors.length, 72)
  const differences: string[] = []
  let count = 0
  for (const vector of vectors) {
    const actual = actualReadings(vector)
    for (const { ts, metric, value } of expectedReadings(vector)) {
      count++
      const found = actual.get(`${ts} ${metric}`)
      if (found === undefined || Math.abs(found - value) > 1e-9)
        differences.push(`${vector.model} ${vector.data} ${ts} ${metric}: ${found}, not ${value}`)
    }
  }
  assert.ok(count > 190, String(count))
  assert.deepEqual(differences, [])
})

test('a suggested mapping has the decoder’s units, and no value twice', () => {
  for (const { vendor, model, fPort, data } of vectors) {
    if (data === null || fPort === null) continue
    const bytes = bytesOf(data)!
    const message = {
      kind: 'uplink',
      deviceKey: 'a',
      maker: vendor,
      model,
      fPort,
      bytes,
      receivedAt: 0,
      radio: {},
    } as const
    const { samples, units } = decode(message, 'ChirpStack')
    const mapping = suggestMapping(samples, units)
    assert.deepEqual(faultsOfMapping(mapping), [], model)
    for (const row of mapping)
      if (row.to === 'metric') assert.equal(units![row.path] ?? '', row.unit, `${model} ${row.path}`)
  }
})

test('TVOC in µg/m³ is not stored as ppb', () => {
  const message: SensorMessage = {
    ...{ kind: 'uplink', deviceKey: 'a', maker: 'Milesight', model: 'AM307', fPort: 85, receivedAt: 0, radio: {} },
    bytes: Uint8Array.from([0x08, 0xe6, 0x2a, 0x00]),
  }
  const decoded = decode(message, 'ChirpStack')
  assert.equal(Object.keys(decoded.units ?? {}).length, 1)
  assert.deepEqual(mapMessage({ mapping: null }, message, decoded, 0).readings, [])
})
