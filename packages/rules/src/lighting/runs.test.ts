import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { LightBefore } from './runs.ts'
import { chargedBy, chargeTime, holdOff, putInBy, isReportOfPreviousBattery, turn, turnsOf } from './runs.ts'
import { testTypes } from './tests.ts'

const now = Date.UTC(2026, 10, 22, 2)
const hour = 3_600_000
const why = (light: Partial<LightBefore>, testType: (typeof testTypes)[number] = 'T180') =>
  holdOff(testType, { isInstalled: true, ...light }, { now, time: (at) => new Date(at).toISOString().slice(11, 16) })

test('unknown facts about a light never prevent a test', () => {
  for (const type of testTypes) assert.equal(why({}, type), undefined)
})

test('a duration test needs a full battery, and 24 hours of charge after a mains failure, a long test or a new battery', () => {
  assert.equal(why({ mains: true, mainsSince: now - hour }), 'Less than 24 h of charge: mains returned 01:00.')
  assert.equal(why({ drainedAt: now - 2 * hour }), 'Less than 24 h of charge: the battery was used by a test 00:00.')
  assert.equal(why({ batteryInstalledAt: now - hour }), 'Less than 24 h of charge: the battery was fitted by 01:00.')
  // The last of them counts.
  assert.match(why({ drainedAt: now - 3 * hour, mainsSince: now - hour })!, /mains returned/)
  assert.equal(why({ drainedAt: now - chargeTime }), undefined)
  assert.equal(why({ batteryFull: false }), 'The battery is not full.')
  const empty = { batteryFull: false, drainedAt: now - 2 * hour, mainsSince: now - hour }
  assert.equal(why(empty, 'T60'), 'Less than 24 h of charge: mains returned 01:00.')
  for (const type of ['T0', 'T5'] as const) assert.equal(why(empty, type), undefined)
})

test('a battery with only a known day may have been fitted at its end', () => {
  const batteryInstalledAt = putInBy('2026-11-20', 'Europe/London')
  assert.equal(new Date(batteryInstalledAt).toISOString(), '2026-11-21T00:00:00.000Z')
  const at = (time: string) =>
    holdOff('T180', { isInstalled: true, batteryInstalledAt }, { now: Date.parse(time), time: () => 'then' })
  assert.equal(at('2026-11-21T02:00Z'), 'Less than 24 h of charge: the battery was fitted by then.')
  assert.equal(at('2026-11-22T00:00Z'), undefined)
})

test("a test concerns the previous battery if it began before the day of the replacement, in the tenant's time zone", () => {
  const at = (time: string) => isReportOfPreviousBattery(Date.parse(time), '2026-07-01', 'Europe/London')
  assert.equal(at('2026-06-30T22:59Z'), true)
  assert.equal(at('2026-06-30T23:00Z'), false)
})

test('a light without mains, or not installed, begins no test', () => {
  for (const type of testTypes) {
    assert.equal(why({ mains: false, mainsSince: now - hour }, type), 'No mains since 01:00.')
    assert.equal(why({ mains: false }, type), 'The light has no mains supply.')
    assert.equal(why({ isInstalled: false }, type), 'The light is not installed.')
  }
})

test('lights of one gateway are staggered, those of other gateways do not wait for them', () => {
  const lights = ['a', 'a', 'b', null, 'a', 'b', null].map((gatewayId) => ({ gatewayId }))
  const slots = (busy?: Map<string, number>) => turnsOf(lights, now, busy).map(({ at }) => (at - now) / turn)
  assert.deepEqual(slots(), [0, 1, 0, 0, 2, 1, 0])
  // Pending commands of the gateway come first; earlier ones do not matter.
  assert.deepEqual(
    slots(
      new Map([
        ['a', now + 9 * turn],
        ['b', now - 9 * turn],
      ]),
    ),
    [10, 11, 0, 0, 12, 1, 0],
  )
})

test('a light is ready for a duration test a day after its battery was last used', () => {
  const by = (light: Partial<LightBefore>) => chargedBy({ isInstalled: true, ...light }, now)
  assert.equal(by({}), undefined)
  assert.equal(by({ drainedAt: now - chargeTime, mainsSince: now - 2 * chargeTime }), undefined)
  assert.equal(by({ drainedAt: now - hour, mainsSince: now - 2 * hour }), now - hour + chargeTime)
  assert.equal(by({ batteryInstalledAt: now + 5 * hour }), now + 5 * hour + chargeTime)
  // Without better knowledge a full charging time is assumed.
  assert.equal(by({ batteryFull: false }), now + chargeTime)
  assert.equal(by({ mains: false, mainsSince: now - hour }), now + chargeTime)
})
