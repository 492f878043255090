import assert from 'node:assert/strict'
import { test } from 'vitest'
import { outcomeLetters, outcomes } from './sheet.ts'
import { alterationText, fullTestText, known, legend, squareText } from './words.ts'

test('unknown values are written as unknown', () => {
  for (const text of [null, undefined, '', ' ']) assert.equal(known(text), 'unknown')
  assert.equal(known('LED'), 'LED')
  assert.equal(squareText({ outcome: 'unknown', day: null }), 'unknown')
  assert.equal(squareText({ outcome: 'passed', day: '2025-03-07' }), 'P07')
  assert.equal(fullTestText('failed', '2025-03-07', null), 'Failed 07/03/2025, minutes unknown')
  assert.equal(fullTestText('passed', '2025-03-07', 186), 'Passed 07/03/2025, 186 min')
  assert.equal(fullTestText('missed', '2025-03-07', null), 'Missed 07/03/2025')
  assert.equal(fullTestText('unknown', null, null), 'unknown')
})

test('every letter is explained', () => {
  for (const outcome of outcomes)
    if (outcome !== 'unknown') assert.match(legend, new RegExp(`(^|, )${outcomeLetters[outcome]} `), outcome)
})

test('an alteration lists its fields with the previous values', () => {
  assert.equal(
    alterationText(
      { batteryCapacity: 2.5, batteryInstalledDate: null },
      { batteryCapacity: 4, batteryInstalledDate: '2026-01-05' },
    ),
    'Battery capacity 2.5 → 4; Battery installed unknown → 05/01/2026',
  )
  assert.equal(alterationText({ room: 'Hall' }, { room: null }), 'Room Hall → unknown')
})
