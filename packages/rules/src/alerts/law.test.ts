import assert from 'node:assert/strict'
import { test } from 'vitest'
import { instantOf, localTime } from '../calendar/days.ts'
import { lawEventsAt } from './law.ts'

const zone = 'Europe/London'
/** An instant in London time: '2026-12-18 10:00'. */
const at = (text: string) => instantOf(Date.parse(`${text.replace(' ', 'T')}:00Z`), zone)
const clock = (instant: number) =>
  new Date(localTime(instant, zone)).toISOString().slice(0, 16).replace('T', ' ').replace(' 00:00', '')
const events = (due: { on: string; at: number | null }, now: string) =>
  lawEventsAt(due, at(now), zone).map(({ key, since }) => `${key} ${clock(since)}`)

test("an Awaab's Law deadline has notices in working days, is due today, and is missed when the day is over", () => {
  // Friday 18 December 2026; no bank holiday affects it.
  const on = (now: string) => events({ on: '2026-12-18', at: null }, now)
  assert.deepEqual(on('2026-12-03 23:59'), [])
  assert.deepEqual(on('2026-12-04 00:00'), ['awaabsLawIn10 2026-12-04'])
  assert.deepEqual(on('2026-12-11 09:00'), ['awaabsLawIn10 2026-12-04', 'awaabsLawIn5 2026-12-11'])
  assert.deepEqual(on('2026-12-16 09:00').at(-1), 'awaabsLawIn2 2026-12-16')
  assert.deepEqual(on('2026-12-17 09:00').at(-1), 'awaabsLawIn1 2026-12-17')
  assert.deepEqual(on('2026-12-18 23:59').at(-1), 'awaabsLawToday 2026-12-18')
  assert.deepEqual(on('2026-12-19 00:00'), ['awaabsLawMissed 2026-12-19'])
  assert.deepEqual(on('2027-02-01 09:00'), ['awaabsLawMissed 2026-12-19'])
})

test('the deadline of an emergency is missed at its hour, in winter and in summer', () => {
  for (const day of ['2026-12-18', '2026-07-17']) {
    const on = (time: string) => events({ on: day, at: at(`${day} 10:00`) }, `${day} ${time}`)
    assert.deepEqual(on('09:59').at(-1), `awaabsLawToday ${day}`)
    assert.deepEqual(on('10:00'), [`awaabsLawMissed ${day} 10:00`])
  }
})
