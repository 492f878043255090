import assert from 'node:assert/strict'
import { test } from 'vitest'
import { delayBefore } from './retries.ts'

const after = (attempt: number, status: number, more: { retryAfter?: number; isRepeatable?: boolean } = {}) =>
  delayBefore(attempt, { status, retryAfter: more.retryAfter }, { isRepeatable: more.isRepeatable ?? true, chance: 1 })

test('temporary failures are repeated with growing delays of at most ten seconds', () => {
  for (const status of [0, 429, 502, 503, 504]) assert.equal(after(1, status), 250, String(status))
  assert.deepEqual(
    [1, 2, 3, 4, 20].map((attempt) => after(attempt, 503)),
    [250, 500, 1000, 2000, 10_000],
  )
  assert.equal(delayBefore(1, { status: 0, retryAfter: undefined }, { isRepeatable: true, chance: 0 }), 125)
})

test('a Retry-After is respected, also of a call that is in progress', () => {
  assert.equal(after(1, 429, { retryAfter: 30 }), 31_000)
  assert.equal(after(1, 409, { retryAfter: 1 }), 2000)
  assert.equal(after(1, 409), undefined)
})

test('successes and rejections are not repeated, and no call that could be made twice', () => {
  for (const status of [200, 204, 400, 401, 403, 404, 412, 422, 500, 501]) assert.equal(after(1, status), undefined)
  for (const status of [0, 503]) assert.equal(after(1, status, { isRepeatable: false }), undefined)
  assert.equal(after(1, 429, { retryAfter: 1, isRepeatable: false }), 2000)
})
