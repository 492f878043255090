import assert from 'node:assert/strict'
import { test } from 'node:test'
import { delayUnits, delayWords } from './delay.ts'

test("an alert's delay reads as number, space and unit", () => {
  assert.deepEqual(delayUnits, ['mins', 'hours', 'days'])
  assert.equal(delayWords(5, 'mins'), '5 mins')
  assert.equal(delayWords(0, 'hours'), '0 hours')
  assert.equal(delayWords(14, 'days'), '14 days')
})
