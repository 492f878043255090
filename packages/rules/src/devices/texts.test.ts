import assert from 'node:assert/strict'
import { test } from 'vitest'
import { deviceTextsFault } from './texts.ts'

test('the texts of a device are limited by bytes; Latin text always fits', () => {
  const texts = (sign: string) => ['EM1000001X', ...[100, 100, 100, 200].map((length) => sign.repeat(length))]
  assert.equal(deviceTextsFault(texts('a')), undefined)
  assert.equal(deviceTextsFault(['EM1000001X', null, undefined, '中'.repeat(100), '中'.repeat(90)]), undefined)
  assert.match(deviceTextsFault(texts('中'))!, /too long/)
})
