import assert from 'node:assert/strict'
import { test } from 'vitest'
import { statusText } from './error-texts.ts'
import { Refusal, refusals, refuse, success } from './refusal.ts'

test('400 [core-8-1]', () => assert.equal(statusText(400), 'Request failed.'))
test('401 [core-8-2]', () => assert.equal(statusText(401), 'Unauthorized.'))
test('403 [core-8-3]', () => assert.equal(statusText(403), "You don't have permission."))
test('404 [core-8-4]', () => assert.equal(statusText(404), 'Not found.'))
test('500 [core-8-5]', () => assert.equal(statusText(500), 'Server error.'))
test('any other status [core-8-6]', () => {
  for (const status of [0, 200, 402, 405, 409, 410, 418, 429, 501, 503, 599])
    assert.equal(statusText(status), 'Something went wrong!', String(status))
})

test('a refusal has its code and its text, by default that of the code', () => {
  const usual = refuse('not found')
  assert.ok(usual instanceof Refusal)
  assert.equal(usual.message, refusals['not found'].text)
  assert.equal(refuse('conflict', 'It is there already').message, 'It is there already')
})

test('a success has the version 1 envelope', () => {
  assert.deepEqual(success([1]), { isSuccessful: true, data: [1], reason: null, message: null })
})
