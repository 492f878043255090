import assert from 'node:assert/strict'
import { test } from 'vitest'
import { chargedBy, chargesFrom, chargeText, isByDay, nightLabel, nightsFor, nightText, takenBy } from './single.ts'

const zone = 'Europe/London'
const at = (text: string) => Date.parse(`${text}Z`)
const hour = 3_600_000

test.each([
  ['nothing known', {}, undefined],
  [
    'the last of all that empties a battery',
    { drainedAt: at('2026-11-27T05:00'), mainsSince: 0 },
    at('2026-11-28T05:00'),
  ],
  [
    'a battery that was put in later',
    { drainedAt: 0, batteryInstalledAt: at('2026-11-28T00:00') },
    at('2026-11-29T00:00'),
  ],
] as const)('24 h of charge count from %s', (_, since, expected) => assert.equal(chargedBy(since), expected))

test('a fitted battery charges from the repair, or from the end of a later day', () => {
  const repaired = at('2026-11-27T15:10')
  assert.equal(chargesFrom(repaired, undefined, zone), repaired)
  assert.equal(chargesFrom(repaired, '2026-11-27', zone), repaired)
  assert.equal(chargesFrom(repaired, '2026-11-26', zone), repaired)
  assert.equal(chargesFrom(repaired, '2026-11-28', zone), at('2026-11-29T00:00'))
})

test('nights begin at 02:00 local time, once the battery is charged, and show conflicting tests', () => {
  const now = at('2026-11-28T15:32')
  const first = (charged: number | undefined, others = [] as { testType: 'T0' | 'T60' | 'T180'; startsAt: number }[]) =>
    nightsFor('T180', { now, charged, others, zone })
  assert.equal(first(undefined)[0]!.at, at('2026-11-29T02:00'))
  assert.equal(first(undefined).length, 14)
  // 22 h until tonight are too few.
  assert.equal(first(at('2026-11-29T04:00'))[0]!.at, at('2026-11-30T02:00'))
  const t60 = { testType: 'T60' as const, startsAt: at('2026-11-29T20:00') }
  const nights = first(undefined, [t60])
  assert.deepEqual(
    nights.slice(0, 4).map(({ taken }) => taken !== undefined),
    [true, true, false, false],
  )
  // A flick test uses no charge.
  assert.equal(first(undefined, [{ testType: 'T0', startsAt: at('2026-11-29T20:00') }])[0]!.taken, undefined)
  assert.ok(takenBy('T180', at('2026-11-29T02:00'), [{ testType: 'T0', startsAt: at('2026-11-29T03:00') }]))
  const summer = nightsFor('T180', { now: at('2026-06-01T12:00'), charged: undefined, others: [], zone })
  assert.equal(summer[0]!.at, at('2026-06-02T01:00'))
})

test('a test partly by day is by day', () => {
  const atClock = (time: string) => at(`2026-11-29T${time}`)
  for (const time of ['02:00', '04:00', '22:00', '23:30', '00:10'])
    assert.equal(isByDay('T180', atClock(time), zone), false, time)
  for (const time of ['04:01', '07:00', '12:00', '21:59'])
    assert.equal(isByDay('T180', atClock(time), zone), true, time)
  assert.equal(isByDay('T180', at('2026-06-29T03:00'), zone), false)
  assert.equal(isByDay('T180', at('2026-06-29T03:30'), zone), true)
})

test('a button shows tonight, also after midnight, and any other night by its date', () => {
  const night = at('2026-11-29T02:00')
  for (const now of ['2026-11-28T15:00', '2026-11-28T02:01', '2026-11-29T01:59'])
    assert.equal(nightLabel(night, { now: at(now), zone }), '3-hour test tonight at 02:00', now)
  assert.equal(nightLabel(night, { now: at('2026-11-28T01:00'), zone }), '3-hour test on 29/11 at 02:00')
  assert.equal(nightLabel(night + 24 * hour, { now: at('2026-11-28T15:00'), zone }), '3-hour test on 30/11 at 02:00')
  assert.equal(nightText(night, zone), 'Sunday 29 November 2026, 02:00')
  assert.equal(
    chargeText(at('2026-11-30T02:00'), zone),
    'The battery needs 24 h of charging. First possible night: Monday 30 November 2026, 02:00.',
  )
})
