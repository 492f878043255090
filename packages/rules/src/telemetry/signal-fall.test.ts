import assert from 'node:assert/strict'
import { test } from 'vitest'
import { signalFall } from './signal-fall.ts'

const hourly = (values: (number | null)[]) => values.map((value, index) => ({ date: index * 3_600_000, value }))
const steady = Array.from({ length: 20 }, (_, n) => -62 + (n % 3))

test('a signal fell if it decreased until the last reading by a tenth of its power or more', () => {
  assert.deepEqual(signalFall('gsmSignal', hourly([...steady, -68, null, -80, -102])), {
    usual: -61,
    last: -102,
    since: 20 * 3_600_000,
    until: 23 * 3_600_000,
  })
  assert.equal(signalFall('linkQuality', hourly([...steady.map((value) => value + 140), 60, 50]))?.last, 50)
})

test('no decrease is reported for a signal that varies, recovered, fell once, or has too little data', () => {
  assert.equal(signalFall('gsmSignal', hourly(steady)), undefined)
  assert.equal(signalFall('gsmSignal', hourly([...steady, -80, -90, -61])), undefined)
  assert.equal(signalFall('gsmSignal', hourly([...steady, -90])), undefined)
  assert.equal(signalFall('gsmSignal', hourly([...steady, -67, -68])), undefined)
  assert.equal(signalFall('gsmSignal', hourly([-60, -60, -80, -90])), undefined)
  assert.equal(signalFall('linkQuality', hourly([...steady.map((value) => value + 140), 65, 63])), undefined)
  assert.equal(signalFall('gsmSignal', []), undefined)
})
