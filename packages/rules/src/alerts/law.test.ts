import assert from 'node:assert/strict'
import { test } from 'vitest'
import { lawEventsOn } from './law.ts'

test("a deadline of Awaab's Law comes near in working days, is today, and is missed the day after", () => {
  // Friday 18 December 2026; nothing of it is a bank holiday.
  const on = (today: string) => lawEventsOn('2026-12-18', today).map(({ key, since }) => `${key} ${since}`)
  assert.deepEqual(on('2026-12-03'), [])
  assert.deepEqual(on('2026-12-04'), ['awaabsLawIn10 2026-12-04'])
  assert.deepEqual(on('2026-12-11'), ['awaabsLawIn10 2026-12-04', 'awaabsLawIn5 2026-12-11'])
  assert.deepEqual(on('2026-12-16').at(-1), 'awaabsLawIn2 2026-12-16')
  assert.deepEqual(on('2026-12-17').at(-1), 'awaabsLawIn1 2026-12-17')
  assert.deepEqual(on('2026-12-18').at(-1), 'awaabsLawToday 2026-12-18')
  assert.deepEqual(on('2026-12-19'), ['awaabsLawMissed 2026-12-19'])
  assert.deepEqual(on('2027-02-01'), ['awaabsLawMissed 2026-12-19'])
})
