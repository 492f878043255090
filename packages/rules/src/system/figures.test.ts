import assert from 'node:assert/strict'
import { test } from 'vitest'
import { figureText, isOverBound } from './figures.ts'

test('a figure is compared with its upper or lower threshold; an unknown one is not', () => {
  assert.equal(isOverBound('unacknowledged', 30), false)
  assert.equal(isOverBound('unacknowledged', 30.1), true)
  assert.equal(isOverBound('diskFree', 0.1), false)
  assert.equal(isOverBound('diskFree', 0.09), true)
  assert.equal(isOverBound('database', 0), true)
  assert.equal(isOverBound('database', null), false)
  assert.equal(isOverBound('mails', 1_000_000), false)
})

test('figures are shown in a suitable unit', () => {
  assert.equal(figureText('seconds', 0.04), '0 s')
  assert.equal(figureText('seconds', 2.36), '2.4 s')
  assert.equal(figureText('seconds', 59.9), '59 s')
  assert.equal(figureText('seconds', 61), '1 min')
  assert.equal(figureText('seconds', 7200), '2 h')
  assert.equal(figureText('seconds', 200_000), '2 d')
  assert.equal(figureText('count', 12_345), '12,345')
  assert.equal(figureText('share', 0.349), '34 %')
  assert.equal(figureText('bytes', 0), '0 bytes')
  assert.equal(figureText('bytes', 1_234_567_890), '1.2 GB')
  assert.equal(figureText('bytes', 234_000_000), '234 MB')
  assert.equal(figureText('yes', 1), 'Yes')
  assert.equal(figureText('yes', 0), 'No')
})
