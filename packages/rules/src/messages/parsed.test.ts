import assert from 'node:assert/strict'
import { test } from 'vitest'
import { commandNames } from '../commands/commands.ts'
import { metricKeys, metrics } from '../telemetry/metrics.ts'
import { commandWords, messageChannels, parsed, parsedText, refusedText } from './parsed.ts'
import type { Known, MessageChannel } from './parsed.ts'

const time = (at: number) => new Date(at).toISOString()
const textOf = (channel: MessageChannel, payload: unknown, known: Partial<Known> = {}) =>
  parsedText(parsed(channel, payload, { time, ...known }))
const at = Date.UTC(2026, 10, 21, 7, 42)

test('a reading shows each measurement with label and unit', () => {
  assert.equal(
    textOf('telemetry', { ts: at, values: { flowTemperature: 31.25, burnerStarts: 12345, burnerHours: 4.5 } }),
    'Flow temperature 31.25 °C; Burner starts 12,345; Burner hours 4.5 h',
  )
})

test('every metric of the catalogue can be shown, in a reading and in a state', () => {
  for (const key of metricKeys)
    for (const parts of [
      parsed('telemetry', { ts: at, values: { [key]: 1 } }, { time }),
      parsed('state', { [key]: 1 }, { time }),
    ]) {
      assert.equal(parts.length, 1, key)
      assert.equal(parts[0]!.notUnderstood, undefined, key)
      assert.equal(parts[0]!.words, metrics[key].label)
    }
})

test('a state shows current values and, for changed ones, the previous values', () => {
  assert.equal(
    textOf('state', { firmware: '4.12.3', gsmSignal: -71 }, { was: { gsmSignal: -73 } }),
    'Firmware 4.12.3; Signal strength is -71 dBm, was -73 dBm',
  )
  assert.equal(
    textOf('state', { networkJoined: true }, { was: { networkJoined: null } }),
    'In the network is yes, was not set',
  )
  assert.equal(
    textOf('state', { relays: { 1: true, 2: false } }, { was: { relays: { 1: false, 2: false } } }),
    'Relay 1 is on, was off; Relay 2 off',
  )
})

test('a fault is shown field by field, with its time formatted; a cleared one shows its previous value', () => {
  const fault = { faultCode: 'EA', description: 'Flame not detected', timestamp: new Date(at).toISOString() }
  assert.equal(
    textOf('state', { faultCode: 'EA', fault: { ...fault, faultSource: 'boiler', isResettable: true } }),
    `Fault code EA; Fault code EA; Fault description Flame not detected; Fault since ${time(at)}; Fault source boiler; Fault can be reset yes`,
  )
  assert.equal(
    textOf('state', { faultCode: 'None', fault: null }, { was: { faultCode: 'EA', fault } }),
    'Fault code is none, was EA; Fault is none, was there',
  )
})

test('events, tests, commands and their answers have sentences of their own', () => {
  const event = { eventId: 'x', start: at, severity: 'High', category: 'Lockout', description: 'Flame not detected' }
  assert.equal(textOf('events', event), `Lockout, high Flame not detected; since ${time(at)}`)
  assert.equal(textOf('events', { ...event, end: at + 1000 }).split('; ').length, 3)
  const light = { eventId: 'x', testType: 'T180', start: at, componentStates: { Battery: 'Failed' }, result: 'Failed' }
  assert.equal(
    textOf('tests', { ...light, series: [{ seconds: 0, batteryVoltage: 3.6 }] }),
    `3-hour test (T180) failed; started ${time(at)}; Battery failed; battery voltage 1 reading`,
  )
  assert.match(
    textOf('tests', { ...light, runId: 'r', statusBits: { failure: 2, emergency: 4, durationResult: 56 } }),
    /; status bits failure 00000010, emergency 00000100, lasted 112 min$/,
  )
  assert.match(textOf('tests', { ...light, result: undefined }), /^3-hour test \(T180\) awaits analysis/)
  assert.equal(
    textOf('commands', { commandId: 'c', name: 'runTest', args: { testType: 'T0' }, expiresAt: at }),
    `Run test; test T0; expires ${time(at)}`,
  )
  assert.equal(
    textOf('replies', { commandId: 'C', status: 'failed', message: 'Charging' }, { commands: { c: 'runTest' } }),
    'Run test refused: Charging',
  )
  assert.equal(textOf('replies', { commandId: 'c', status: 'confirmed' }), 'Command confirmed')
  const set = { name: 'setChMax', args: { chSetPoint: 60 }, expiresAt: at }
  assert.equal(textOf('commands', set), `Set CH max; to 60 °C; expires ${time(at)}`)
})

test('every command has a text', () => {
  for (const name of commandNames) assert.ok(commandWords(name), name)
})

test('unknown content is shown, marked and counted', () => {
  const parts = parsed('state', { firmware: '1', mood: { good: true }, buzzer: 7, fault: { colour: 'red' } }, { time })
  assert.deepEqual(
    parts.map(({ notUnderstood }) => notUnderstood === true),
    [false, true, true, true],
  )
  assert.equal(
    parsedText(parts),
    'Firmware 1; mood {"good":true} not understood; Buzzer 7 not understood; Fault colour "red" not understood',
  )
  for (const channel of messageChannels)
    for (const payload of [null, 7, 'text', [[]], {}]) {
      const result = parsed(channel, payload, { time })
      const isEmptyState =
        channel === 'state' && typeof payload === 'object' && payload !== null && !Array.isArray(payload)
      assert.equal(
        result.some((one) => one.notUnderstood),
        !isEmptyState,
        `${channel} ${JSON.stringify(payload)}`,
      )
    }
})

test('a refused message shows the reason', () => {
  assert.equal(
    refusedText({ reason: 'unknown metric', detail: 'unknown metric flowTemp' }),
    'Refused: unknown metric flowTemp',
  )
  assert.equal(
    refusedText({ reason: 'wrong time', detail: '1 of 1 readings' }),
    'Refused: wrong time (1 of 1 readings)',
  )
  assert.equal(refusedText({ reason: 'not JSON', detail: '' }), 'Refused: not JSON')
  const parts = [
    { path: '1.values.mood', reason: 'unknown metric', detail: 'unknown metric mood' },
    { path: '2.ts', reason: 'clock not set', detail: '2.ts: 5000' },
    { path: '3.values.co2', reason: 'out of range', detail: '3.values.co2: -1 is not within 0 to 100000' },
  ]
  assert.equal(
    refusedText({ ...parts[0]!, parts, isPartial: true }),
    'Stored without: unknown metric mood; out of range (3.values.co2: -1 is not within 0 to 100000). Stored with the time of receipt: clock not set (2.ts: 5000)',
  )
})
