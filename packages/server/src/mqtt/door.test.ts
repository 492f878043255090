import assert from 'node:assert/strict'
import { test } from 'vitest'
import fc from 'fast-check'
import { furthestAhead, oldestReading, Telemetry } from '@caretaker/contract/mqtt/payloads.ts'
import { upChannels } from '@caretaker/contract/mqtt/topics.ts'
import { badMessageReasons } from '@caretaker/rules/devices/messages.ts'
import { metricKeys, metrics } from '@caretaker/rules/telemetry/metrics.ts'
import { refusedText } from '@caretaker/rules/messages/parsed.ts'
import { openPayload } from './door.ts'

const now = Date.UTC(2026, 10, 20)
const bytes = (value: unknown) => Buffer.from(JSON.stringify(value) ?? '')

test('whatever is sent, the door answers with a payload or with one of its reasons, and never throws', () => {
  const anything = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array)),
    fc.string({ unit: 'binary', maxLength: 300 }).map((text) => Buffer.from(text)),
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
          description: fc.string({ unit: 'binary' }),
        },
        { requiredKeys: [] },
      )
      .map((value) => bytes(safe(value))),
  )
  fc.assert(
    fc.property(fc.constantFrom(...upChannels), anything, (channel, payload) => {
      const { payload: opened, fault } = openPayload(channel, payload, now)
      assert.ok(opened !== undefined || fault !== undefined)
      if (fault) assert.ok(badMessageReasons.includes(fault.reason) && typeof fault.detail === 'string')
      if (opened && channel === 'state') assert.doesNotMatch(JSON.stringify(opened), /(?<!\\)(\\\\)*\\u(0000|d[89a-f])/)
    }),
    { numRuns: 2000 },
  )
})

/** JSON knows no functions, symbols, big integers or cycles. */
function safe(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value))
  } catch {
    return null
  }
}

test('readings pass exactly when the contract lets them pass and they are in time', () => {
  const value = fc
    .constantFrom(...metricKeys)
    .chain((key) =>
      fc.tuple(fc.constant(key), fc.double({ min: metrics[key].min - 1, max: metrics[key].max + 1, noNaN: true })),
    )
  const ts = fc.integer({ min: now - oldestReading - 10_000, max: now + furthestAhead + 10_000 })
  const reading = fc.record({ ts, values: fc.array(value, { minLength: 1, maxLength: 4 }).map(Object.fromEntries) })
  fc.assert(
    fc.property(fc.array(reading, { minLength: 1, maxLength: 3 }), (sent) => {
      const { payload, fault } = openPayload('telemetry', bytes(sent), now)
      const valid = Telemetry.safeParse(JSON.parse(JSON.stringify(sent))).success
      const inTime = sent.filter((one) => one.ts >= now - oldestReading && one.ts <= now + furthestAhead)
      if (!valid) assert.equal(fault!.reason, 'wrong shape')
      else assert.equal(payload?.length ?? 0, inTime.length)
      assert.equal(fault === undefined, valid && inTime.length === sent.length)
    }),
  )
})

test('the fault of an array names what is wrong in it', () => {
  const { fault } = openPayload(
    'telemetry',
    bytes([
      { ts: now, values: { co2: 1 } },
      { ts: now, values: { mood: 1 } },
    ]),
    now,
  )
  assert.deepEqual(fault, { reason: 'unknown metric', detail: 'unknown metric mood', field: '1.values.mood' })
  const wrong = openPayload('telemetry', bytes([{ ts: now, values: { co2: '1' } }]), now).fault!
  assert.equal(wrong.reason, 'not a number')
  assert.match(wrong.detail, /^0\.values\.co2: /)
  assert.equal(wrong.field, '0.values.co2')
})

test('a fault names the field that is wrong, where it is not the message as a whole', () => {
  const event = { eventId: crypto.randomUUID(), start: now, severity: 'Low', category: 'A', description: 'B' }
  const field = (channel: (typeof upChannels)[number], sent: unknown) =>
    openPayload(channel, bytes(sent), now).fault!.field
  assert.equal(field('events', { ...event, severity: 'Loud' }), 'severity')
  assert.equal(field('events', { ...event, start: now + 2 * furthestAhead }), 'start')
  assert.equal(field('events', { ...event, end: now - 1 }), 'end')
  assert.equal(field('telemetry', { ts: now, values: { co2: -1e9 } }), 'values.co2')
  assert.equal(field('telemetry', { ts: 5000, values: { co2: 1 } }), 'ts')
  assert.equal(openPayload('events', Buffer.from('{'), now).fault!.field, undefined)
})

test('the text of a message with a wrong time names the field', () => {
  const event = { eventId: crypto.randomUUID(), severity: 'Low', category: 'A', description: 'B' }
  const text = (start: number) => {
    const { reason, detail } = openPayload('events', bytes({ ...event, start }), now).fault!
    return refusedText(reason, detail)
  }
  assert.equal(text(now + 2 * furthestAhead), 'Refused: wrong time (start: in the future)')
  assert.equal(text(Math.floor(now / 1000)), 'Refused: time in seconds (start)')
})

test('a time in seconds has a reason of its own; a test with one is taken, whose clock is wrong', () => {
  const seconds = Math.floor(now / 1000)
  const event = { eventId: crypto.randomUUID(), severity: 'Low', category: 'A', description: 'B' }
  const told = { eventId: crypto.randomUUID(), testType: 'T0', componentStates: {}, series: [] }
  const faults = [
    openPayload('telemetry', bytes({ ts: seconds, values: { co2: 1 } }), now),
    openPayload('events', bytes({ ...event, start: seconds }), now),
    openPayload('events', bytes({ ...event, start: now, end: seconds }), now),
  ]
  for (const { payload, fault } of faults) {
    assert.equal(payload, undefined)
    assert.equal(fault!.reason, 'time in seconds')
  }
  const some = openPayload(
    'telemetry',
    bytes([
      { ts: now, values: { co2: 1 } },
      { ts: seconds, values: { co2: 2 } },
    ]),
    now,
  )
  assert.deepEqual(some.payload, [{ ts: now, values: { co2: 1 } }])
  for (const start of [seconds, 0, now + 86_400_000])
    assert.equal(openPayload('tests', bytes({ ...told, start }), now).payload!.start, start)
  assert.deepEqual(some.fault, { reason: 'time in seconds', detail: 'ts: 1 of 2 readings', field: 'ts' })
  assert.equal(openPayload('telemetry', bytes({ ts: 5000, values: { co2: 1 } }), now).fault!.reason, 'wrong time')
})
