import assert from 'node:assert/strict'
import { test } from 'vitest'
import { outageAt } from './outages.ts'

const day = 86_400_000

test('a device is away as often a day as configured, never for longer than configured, and `until` is correct', () => {
  for (const [id, drops, minutes] of [
    ['a', 6, 12],
    ['b', 4, 60],
    ['c', 24, 500],
  ] as const) {
    const from = Date.UTC(2026, 10, 20)
    let away = 0
    let now = from
    while (now < from + 10 * day) {
      const { out, until } = outageAt(id, now, drops, minutes)
      assert.ok(until > now)
      if (out) {
        away++
        assert.ok(until - now <= minutes * 90_000 + 1, `${(until - now) / 60_000} minutes`)
      }
      assert.equal(outageAt(id, (now + until) / 2, drops, minutes).out, out)
      now = Math.ceil(until)
    }
    assert.ok(Math.abs(away - drops * 10) <= 1, `${away} times in ten days`)
  }
})

test('two devices are away at different times', () => {
  const from = Date.UTC(2026, 10, 20)
  assert.notEqual(outageAt('a', from, 6, 12).until, outageAt('b', from, 6, 12).until)
})
