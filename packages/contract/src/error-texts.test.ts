import assert from 'node:assert/strict'
import { test } from 'vitest'
import { parseCallFailure, errorTexts, version1Text } from './error-texts.ts'

const silent = { status: 400, message: '', domainErrors: [], validationErrors: [] }

test('The message comes first, then domain and validation errors', () => {
  const complaint = {
    status: 422,
    message: 'Not saved.',
    domainErrors: ['The name is taken.'],
    validationErrors: [{ field: 'body.name', message: 'must not be empty' }],
  }
  assert.deepEqual(errorTexts(complaint), ['Not saved.', 'The name is taken.', 'must not be empty'])
})

test('A domain or validation error that equals the message is shown only once [core-8-10]', () => {
  const complaint = {
    status: 422,
    message: 'The name is taken.',
    domainErrors: ['The name is taken.', 'Try another.'],
    validationErrors: [{ field: 'body.name', message: 'The name is taken.' }],
  }
  assert.deepEqual(errorTexts(complaint), ['The name is taken.', 'Try another.'])
})

test('Without a message or domain error, the status text is shown', () => {
  assert.deepEqual(errorTexts({ ...silent, status: 403 }), ["You don't have permission."])
  assert.deepEqual(errorTexts({ ...silent, status: 418 }), ['Something went wrong!'])
  assert.deepEqual(errorTexts({ ...silent, validationErrors: [{ field: '', message: 'must not be empty' }] }), [
    'Request failed.',
    'must not be empty',
  ])
})

test('A domain error alone needs no status text', () => {
  assert.deepEqual(errorTexts({ ...silent, domainErrors: ['The light is in wholesale.'] }), [
    'The light is in wholesale.',
  ])
})

test('A version 1 error shows the reason, the message or the fixed text', () => {
  assert.equal(version1Text({ reason: 'a', message: 'b' }), 'a')
  assert.equal(version1Text({ reason: null, message: 'b' }), 'b')
  assert.equal(version1Text({ reason: null, message: null }), 'Failed to update device, please try again')
})

test('A body of any shape is read safely', () => {
  assert.deepEqual(parseCallFailure(404, { message: 'Not found.', domainErrors: [], validationErrors: [] }), {
    ...silent,
    status: 404,
    message: 'Not found.',
  })
  assert.equal(parseCallFailure(403, { isSuccessful: false, data: null, reason: 'No.', message: null }).message, 'No.')
  assert.deepEqual(parseCallFailure(400, '<html>'), silent)
  assert.deepEqual(parseCallFailure(400, null), silent)
  assert.deepEqual(
    parseCallFailure(400, { message: 7, domainErrors: 'x', validationErrors: [null, { message: 'bad' }] }),
    {
      ...silent,
      validationErrors: [{ field: '', message: 'bad' }],
    },
  )
})
