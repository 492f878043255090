import assert from 'node:assert/strict'
import { test } from 'vitest'
import { z } from 'zod'
import { fraction, generator, uuid, wander } from './random.ts'

test('the same seed gives the same numbers from 0 to below 1, another seed gives others', () => {
  const [one, same, other] = [generator('a'), generator('a'), generator('b')]
  const drawn = Array.from({ length: 1000 }, () => one())
  assert.deepEqual(
    drawn,
    Array.from({ length: 1000 }, () => same()),
  )
  assert.notEqual(drawn[0], other())
  assert.ok(drawn.every((value) => value >= 0 && value < 1))
  const mean = drawn.reduce((sum, value) => sum + value, 0) / drawn.length
  assert.ok(Math.abs(mean - 0.5) < 0.05, `mean ${mean}`)
})

test('fractions of similar ids are spread evenly', () => {
  const tenths = Array<number>(10).fill(0)
  for (let index = 0; index < 5000; index++) {
    const tenth = Math.floor(fraction(`device-${index}`) * 10)
    tenths[tenth] = tenths[tenth]! + 1
  }
  for (const count of tenths) assert.ok(count > 400 && count < 600, tenths.join(' '))
})

test('an id is a UUID, and no two are the same', () => {
  const random = generator('ids')
  const ids = Array.from({ length: 500 }, () => uuid(random))
  for (const id of ids) assert.ok(z.uuid().safeParse(id).success, id)
  assert.equal(new Set(ids).size, ids.length)
})

test('a wandering curve stays between -1 and 1, has no jumps, and moves', () => {
  const period = 3_600_000
  let before = wander('key', 0, period)
  const seen = [before]
  for (let now = 0; now < 100 * period; now += period / 60) {
    const value = wander('key', now, period)
    assert.ok(Math.abs(value) <= 1)
    assert.ok(Math.abs(value - before) < 0.06, `jump of ${value - before} at ${now}`)
    seen.push(value)
    before = value
  }
  assert.ok(Math.max(...seen) - Math.min(...seen) > 1)
})
