import assert from 'node:assert/strict'
import { test } from 'vitest'
import { isFilled, requiredFaults, requiredText } from './required.ts'

test('a required field without its own text shows its capitalised name [core-5-2]', () => {
  assert.equal(requiredText('name'), 'Name is required!')
  assert.equal(requiredText('phoneNumber'), 'PhoneNumber is required!')
  assert.equal(requiredText('phone', 'Phone number is required'), 'Phone number is required')
})

test('each required field that is empty is named; others may be empty [core-5-7]', () => {
  const values = { name: ' ', email: '', role: 'Guest', floor: 0, tags: [] as string[], note: '' }
  const faults = requiredFaults(values, { name: true, email: 'Email please', role: true, floor: true, tags: true })
  assert.deepEqual(faults, { name: 'Name is required!', email: 'Email please', tags: 'Tags is required!' })
})

test('zero and false are not empty', () => {
  assert.deepEqual([0, false, 'x', [1]].map(isFilled), [true, true, true, true])
  assert.deepEqual(['', '  ', null, undefined, []].map(isFilled), [false, false, false, false, false])
})
