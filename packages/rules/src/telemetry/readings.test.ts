import assert from 'node:assert/strict'
import { test } from 'vitest'
import { furthestAhead, oldestReading } from '../calendar/device-clock.ts'
import { isExtraName, judgeReadings, mostReadings } from './readings.ts'

const now = Date.UTC(2026, 10, 28, 12)
const judge = (json: unknown, keepsUnknown = false) => judgeReadings(json, { now, keepsUnknown })
const named = (json: unknown, keepsUnknown = false) =>
  judge(json, keepsUnknown).faults.map(({ field, reason }) => [field, reason])

test('each value of a batch is validated separately: valid ones are stored, invalid ones are reported by path', () => {
  const { readings, faults } = judge([
    { ts: now - 2000, values: { temperature: 20.5, humidity: null } },
    { ts: now - 1000, values: { temperature: -127 } },
    { ts: now, values: { mood: 3, temperature: 'warm', co2: 400 } },
    null,
    { ts: 'yesterday', values: { co2: 1 } },
    { ts: now, values: {} },
    { ts: now },
  ])
  assert.deepEqual(readings, [
    { ts: now - 2000, values: { temperature: 20.5 } },
    { ts: now, values: { co2: 400 } },
  ])
  assert.deepEqual(faults, [
    { field: '0.values.humidity', reason: 'no value', detail: '0.values.humidity: null' },
    {
      field: '1.values.temperature',
      reason: 'out of range',
      detail: '1.values.temperature: -127 is not within -60 to 100',
    },
    { field: '2.values.mood', reason: 'unknown metric', detail: 'unknown metric mood' },
    { field: '2.values.temperature', reason: 'not a number', detail: '2.values.temperature: "warm"' },
    { field: '3', reason: 'wrong shape', detail: '3: not a reading' },
    { field: '4.ts', reason: 'not a number', detail: '4.ts: "yesterday"' },
    { field: '5.values', reason: 'wrong shape', detail: '5.values: no values' },
    { field: '6.values', reason: 'wrong shape', detail: '6.values: no values' },
  ])
})

test('a reading without a time is dated with its receipt; several keep their order', () => {
  assert.deepEqual(judge({ values: { temperature: 20 } }), {
    readings: [{ ts: now, values: { temperature: 20 } }],
    faults: [],
  })
  const three = judge([{ values: { co2: 1 } }, { ts: null, values: { co2: 2 } }, { values: { co2: 3 } }])
  assert.deepEqual(
    three.readings.map(({ ts, values }) => [ts - now, values['co2']]),
    [
      [-2, 1],
      [-1, 2],
      [0, 3],
    ],
  )
  assert.deepEqual(three.faults, [])
})

test('a reading of an unset clock is dated with its receipt, and reported', () => {
  for (const ts of [0, 60_000, Date.UTC(2000, 0, 1), Date.UTC(2014, 5, 1)]) {
    assert.deepEqual(judge({ ts, values: { co2: 1 } }).readings, [{ ts: now, values: { co2: 1 } }])
    assert.deepEqual(named({ ts, values: { co2: 1 } }), [['ts', 'clock not set']])
  }
})

test('a time that is too old, ahead or in seconds rejects its reading only', () => {
  const good = { ts: now, values: { co2: 1 } }
  for (const [ts, reason] of [
    [now - oldestReading - 1, 'wrong time'],
    [now + furthestAhead + 1, 'wrong time'],
    [Math.floor(now / 1000), 'time in seconds'],
    [-5, 'wrong time'],
  ] as const) {
    const sent = [good, { ts, values: { co2: 2 } }]
    assert.deepEqual(judge(sent).readings, [good])
    assert.deepEqual(named(sent), [['1.ts', reason]])
  }
})

test('an invalid message is rejected as a whole, and surplus readings are reported', () => {
  for (const json of [null, 1, 'x', [[]]]) assert.deepEqual(judge(json).readings, [])
  assert.deepEqual(named([]), [[undefined, 'wrong shape']])
  const many = Array.from({ length: mostReadings + 2 }, (_, at) => ({ ts: now - at, values: { co2: 1 } }))
  assert.equal(judge(many).readings.length, mostReadings)
  assert.deepEqual(named(many), [[String(mostReadings), 'too large']])
})

test('unknown metrics are stored if the client keeps them, with valid names and finite values', () => {
  const sent = { ts: now, values: { 'soil moisture': 31, temperature: 20, gas: 1e300, door: 'open' } }
  assert.deepEqual(judge(sent, true).readings, [{ ts: now, values: { 'soil moisture': 31, temperature: 20 } }])
  assert.deepEqual(named(sent, true), [
    ['values.gas', 'out of range'],
    ['values.door', 'not a number'],
  ])
  assert.deepEqual(judge(sent).readings, [{ ts: now, values: { temperature: 20 } }])
  for (const name of ['x', 'toString', 'été', 'a.b/c']) assert.ok(isExtraName(name), name)
  for (const name of ['', ' ', '__proto__', 'a\0', 'line\nbreak', 'x'.repeat(61), '\uD800'])
    assert.ok(!isExtraName(name))
  assert.deepEqual(judge({ ts: now, values: JSON.parse('{"__proto__": 1, "toString": 2}') }).readings, [])
})
