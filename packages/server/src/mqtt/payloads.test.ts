import assert from 'node:assert/strict'
import { test } from 'vitest'
import fc from 'fast-check'
import { deviceExamples } from '@caretaker/contract/asyncapi.ts'
import { upChannels } from '@caretaker/contract/mqtt/topics.ts'
import { furthestAhead } from '@caretaker/rules/calendar/device-clock.ts'
import { badMessageReasons } from '@caretaker/rules/devices/messages.ts'
import { metricKeys } from '@caretaker/rules/telemetry/metrics.ts'
import { refusedText } from '@caretaker/rules/messages/parsed.ts'
import { anyText } from '../testing/any-text.ts'
import { openPayload } from './payloads.ts'

const now = Date.UTC(2026, 10, 20)
const bytes = (value: unknown) => Buffer.from(JSON.stringify(value) ?? '')

test('any input yields a payload or a documented reason, and never throws', () => {
  const anything = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array)),
    anyText(300).map((text) => Buffer.from(text)),
    fc.json({ maxDepth: 12 }).map((text) => Buffer.from(text)),
    fc
      .record(
        {
          ts: fc.oneof(fc.integer(), fc.double(), fc.anything()),
          values: fc.oneof(
            fc.dictionary(fc.oneof(fc.constantFrom(...metricKeys), fc.string()), fc.double()),
            fc.anything(),
          ),
          eventId: fc.oneof(fc.uuid(), fc.string()),
          start: fc.oneof(fc.maxSafeNat(), fc.anything()),
          description: anyText(),
        },
        { requiredKeys: [] },
      )
      .map((value) => bytes(safe(value))),
  )
  fc.assert(
    fc.property(fc.constantFrom(...upChannels), anything, (channel, payload) => {
      const { payload: opened, faults } = openPayload(channel, payload, now)
      assert.ok(opened !== undefined || faults.length > 0)
      for (const fault of faults)
        assert.ok(badMessageReasons.includes(fault.reason) && typeof fault.detail === 'string')
      if (opened && channel === 'state') assert.doesNotMatch(JSON.stringify(opened), /(?<!\\)(\\\\)*\\u(0000|d[89a-f])/)
    }),
    { numRuns: 2000 },
  )
})

/** JSON has no functions, symbols, big integers or cycles. */
function safe(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value))
  } catch {
    return null
  }
}

const faultsOf = (channel: (typeof upChannels)[number], sent: unknown) => openPayload(channel, bytes(sent), now).faults
const named = (channel: (typeof upChannels)[number], sent: unknown) =>
  faultsOf(channel, sent).map(({ field, reason }) => [field, reason])

const event = { eventId: crypto.randomUUID(), start: now, severity: 'Low', category: 'A', description: 'B' }
const message = { eventId: crypto.randomUUID(), testType: 'T0', start: now, componentStates: {}, series: [] }

test('a fault names the invalid field, unless the whole message is invalid', () => {
  assert.deepEqual(named('events', { ...event, severity: 'Loud' }), [['severity', 'wrong shape']])
  assert.deepEqual(named('events', { ...event, start: now + 2 * furthestAhead }), [['start', 'wrong time']])
  assert.deepEqual(named('events', { ...event, end: now - 1 }), [['end', 'wrong time']])
  assert.deepEqual(named('telemetry', { ts: now, values: { co2: -1e9 } }), [['values.co2', 'out of range']])
  assert.deepEqual(openPayload('events', Buffer.from('{'), now).faults, [{ reason: 'not JSON', detail: '' }])
})

test('the text for an invalid time names the field', () => {
  const text = (start: number) => refusedText(faultsOf('events', { ...event, start })[0]!)
  assert.equal(text(now + 2 * furthestAhead), 'Refused: wrong time (start: in the future)')
  assert.equal(text(Math.floor(now / 1000)), 'Refused: time in seconds (start)')
})

test('a time in seconds has its own reason; a test with such a time is accepted and marked as having a wrong clock', () => {
  const seconds = Math.floor(now / 1000)
  assert.deepEqual(openPayload('events', bytes({ ...event, start: seconds }), now), {
    faults: [{ reason: 'time in seconds', detail: 'start', field: 'start' }],
  })
  for (const start of [seconds, 0, now + 86_400_000])
    assert.equal(openPayload('tests', bytes({ ...message, start }), now).payload!.start, start)
})

test('an event with an invalid end is stored without it; null means no end', () => {
  for (const end of [now + 2 * furthestAhead, now - 1, 'soon', Math.floor(now / 1000)]) {
    const { payload } = openPayload('events', bytes({ ...event, end }), now)
    assert.deepEqual(payload, event)
    assert.equal(faultsOf('events', { ...event, end })[0]!.field, 'end')
  }
  assert.deepEqual(openPayload('events', bytes({ ...event, end: null }), now), { payload: event, faults: [] })
})

test('an event without a start, or from a clock that was never set, counts as received now', () => {
  const opened = (times: object) => {
    const { payload } = openPayload('events', bytes({ ...event, ...times }), now)
    return [payload!.start, payload!.end]
  }
  for (const unset of [0, 5000, Date.UTC(2000, 0, 1)]) {
    assert.deepEqual(opened({ start: unset }), [now, undefined])
    assert.deepEqual(opened({ start: unset, end: unset + 60_000 }), [now, now])
    assert.deepEqual(opened({ start: unset, end: now - 60_000 }), [now - 60_000, now - 60_000])
    assert.deepEqual(opened({ start: now - 60_000, end: unset }), [now - 60_000, now])
    assert.deepEqual(named('events', { ...event, start: unset }), [['start', 'clock not set']])
  }
  assert.deepEqual(opened({ start: undefined }), [now, undefined])
  assert.deepEqual(opened({ start: null }), [now, undefined])
})

test('a state keeps the fields that can be stored and names the others', () => {
  const sent = { firmware: '1.4', list: [1], text: 'x'.repeat(501), ['k'.repeat(61)]: 1, nul: 'a\0', fault: null }
  const { payload, faults } = openPayload('state', bytes(sent), now)
  assert.deepEqual(payload, { firmware: '1.4', fault: null })
  assert.deepEqual(new Set(faults.map(({ field }) => field)), new Set(['k'.repeat(61), 'list', 'nul', 'text']))
  const many = Object.fromEntries(Array.from({ length: 102 }, (_, at) => [`k${at}`, at]))
  assert.equal(Object.keys(openPayload('state', bytes(many), now).payload!).length, 100)
  assert.deepEqual(named('state', many), [
    ['k100', 'too large'],
    ['k101', 'too large'],
  ])
  assert.equal(openPayload('state', bytes({ list: [1] }), now).payload, undefined)
  assert.deepEqual(named('state', { mainsSince: 5000, fault: { timestamp: '2000-01-01T00:10:00Z' } }), [
    ['mainsSince', 'clock not set'],
    ['fault.timestamp', 'clock not set'],
  ])
})

test('a test keeps the readable part of its curve; a point that decides the result is never dropped', () => {
  const series = [
    { seconds: 0, batteryVoltage: 4.1, lampPower: 3, lampCurrent: 'x' },
    { seconds: 60, batteryVoltage: 4.1, lampPower: 3 },
  ]
  const { payload, faults } = openPayload('tests', bytes({ ...message, series, endedBy: 'ghost', runId: null }), now)
  assert.deepEqual(payload, { ...message, series: [{ seconds: 0, batteryVoltage: 4.1, lampPower: 3 }, series[1]] })
  assert.deepEqual(
    faults.map(({ field, reason }) => [field, reason]),
    [
      ['series.0.lampCurrent', 'not a number'],
      ['endedBy', 'wrong shape'],
    ],
  )
  // The lamp may have gone out at the unreadable point.
  for (const point of [
    { seconds: 120, batteryVoltage: 4, lampPower: null },
    { seconds: 120, batteryVoltage: null, lampPower: 0 },
    { seconds: 120, batteryVoltage: 4, pLive: 'off' },
  ]) {
    const curve = [...series, { seconds: 180, batteryVoltage: 4, pLive: 0 }, point]
    for (const result of ['Passed', undefined])
      assert.equal(openPayload('tests', bytes({ ...message, result, series: curve }), now).payload, undefined)
    const failed = openPayload('tests', bytes({ ...message, result: 'Failed', series: curve }), now).payload
    assert.equal(failed?.series.length, 3, 'a reported failure stays one without that point')
  }
  const spoiled = JSON.stringify({ ...message, result: 'Passed', series }).replace('"lampPower":3', '"lampPower":NaN')
  assert.equal(openPayload('tests', Buffer.from(spoiled), now).payload, undefined)
  // A light that does not measure its lamp may send null at each point.
  const unmeasured = series.map((point) => ({ ...point, lampPower: null, lampCurrent: null }))
  assert.deepEqual(openPayload('tests', bytes({ ...message, series: unmeasured }), now), {
    payload: { ...message, series: series.map(({ seconds, batteryVoltage }) => ({ seconds, batteryVoltage })) },
    faults: [],
  })
  for (const decisive of [
    { componentStates: { Lamp: 'Broken' } },
    { result: 'Perhaps' },
    { statusBits: { failure: 'x' } },
    { testType: 'T1' },
  ])
    assert.equal(openPayload('tests', bytes({ ...message, ...decisive }), now).payload, undefined)
})

test('a reply with an unreadable message text is accepted without the text', () => {
  const reply = { commandId: crypto.randomUUID(), status: 'confirmed' }
  assert.deepEqual(openPayload('replies', bytes({ ...reply, message: null }), now), { payload: reply, faults: [] })
  assert.deepEqual(openPayload('replies', bytes({ ...reply, message: 'x'.repeat(501) }), now).payload, reply)
  assert.deepEqual(named('replies', { ...reply, message: 5 }), [['message', 'wrong shape']])
})

test('an invalid number never clears a fault', () => {
  const { payload, faults } = openPayload(
    'state',
    Buffer.from('{"faultCode": nan, "mains": true, "fault": {"x": NaN}}'),
    now,
  )
  assert.deepEqual(payload, { mains: true })
  assert.deepEqual(new Set(faults.map(({ field }) => field)), new Set(['fault', 'faultCode']))
  assert.deepEqual(openPayload('state', bytes({ faultCode: null }), now).payload, { faultCode: null })
})

test('a large text that is not JSON is rejected immediately', () => {
  const begun = performance.now()
  for (const text of ['\\"'.repeat(60_000), `"${'\\"'.repeat(60_000)}\\`, '"\\'.repeat(60_000)])
    assert.equal(openPayload('state', Buffer.from(text), now).faults[0]!.reason, 'not JSON')
  assert.ok(performance.now() - begun < 2000)
})

test('bytes that device libraries add around JSON, and their spellings of missing numbers, do not cause a rejection', () => {
  const good = { ts: now, values: { humidity: 40 } }
  for (const text of [`\uFEFF${JSON.stringify(good)}`, `${JSON.stringify(good)}\0`, `${JSON.stringify(good)}\r\n\0\0`])
    assert.deepEqual(openPayload('telemetry', Buffer.from(text), now), { payload: [good], faults: [] })
  const text = `{"ts":${now},"values":{"temperature":NaN,"co2":-inf,"humidity":40,"nan":1}}`
  const { payload, faults } = openPayload('telemetry', Buffer.from(text), now)
  assert.deepEqual(payload, [good])
  assert.deepEqual(
    faults.map(({ field, reason }) => [field, reason]),
    [
      ['values.temperature', 'no value'],
      ['values.co2', 'no value'],
      ['values.nan', 'unknown metric'],
    ],
  )
})

test('the examples of the AsyncAPI document are accepted as a whole', () => {
  for (const channel of upChannels)
    for (const example of deviceExamples[channel]) {
      const { payload, faults } = openPayload(channel, bytes(example), 1_770_000_060_000)
      assert.ok(payload !== undefined && !faults.length, `${channel}: ${JSON.stringify(faults)}`)
    }
})
