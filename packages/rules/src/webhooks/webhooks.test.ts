import assert from 'node:assert/strict'
import { test } from 'vitest'
import { addressFault, failingAtMost, isTaken, mostAttempts, nextAttempt, whyDisabled } from './webhooks.ts'

test('a delivery is tried twelve times over three days at growing intervals, and then given up', () => {
  const at = 1_000_000
  let now = at
  const waits: number[] = []
  for (let attempts = 1; attempts < mostAttempts; attempts++) {
    const next = nextAttempt(attempts, now)
    assert.ok(next !== null)
    waits.push(next - now)
    now = next
  }
  assert.equal(waits.length, 11)
  assert.deepEqual(
    waits,
    waits.toSorted((a, b) => a - b),
  )
  assert.ok(now - at > 72 * 3_600_000 && now - at < 74 * 3_600_000)
  assert.equal(nextAttempt(mostAttempts, now), null)
})

test('only 2xx means that a message was accepted', () => {
  assert.deepEqual([200, 202, 204, 299].map(isTaken), [true, true, true, true])
  assert.deepEqual([199, 300, 302, 400, 410, 500].map(isTaken), [false, false, false, false, false, false])
})

test('an endpoint is disabled if it answers gone or has accepted nothing for five days', () => {
  assert.equal(whyDisabled(500, 0, failingAtMost - 1), undefined)
  assert.equal(whyDisabled(null, 0, failingAtMost), 'The endpoint has accepted nothing for 5 days.')
  assert.equal(whyDisabled(410, 5, 5), 'The endpoint answered 410 Gone.')
})

test('an address is https, without password and fragment', () => {
  assert.equal(addressFault('https://hooks.example.org/caretaker?a=1'), undefined)
  for (const wrong of ['', 'hooks', 'http://hooks.example.org/', 'ftp://x/', 'https://a:b@x/', 'https://x/#a'])
    assert.notEqual(addressFault(wrong), undefined, wrong)
  assert.equal(addressFault('http://10.0.0.1/', { mayBePlain: true }), undefined)
})
