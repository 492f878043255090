import assert from 'node:assert/strict'
import { test } from 'vitest'
import { formFaults } from './merge-errors.ts'

const nothing = { message: '', domainErrors: [], validationErrors: [] }
const fields = ['name', 'email', 'tags']

test('validation errors are shown at the field that they name, however deep', () => {
  const faults = formFaults(
    {
      ...nothing,
      status: 400,
      message: 'Request failed.',
      validationErrors: [
        { field: 'body.email', message: 'Please enter a valid email' },
        { field: 'Name', message: 'Name is required!' },
        { field: 'body.tags.0.value', message: 'Invalid' },
        { field: 'user.tags', message: 'Unknown tag' },
      ],
    },
    fields,
  )
  assert.deepEqual(faults, {
    fields: { email: ['Please enter a valid email'], name: ['Name is required!'], tags: ['Invalid', 'Unknown tag'] },
    whole: [],
  })
})

test('domain errors and validation errors of unknown fields apply to the whole form', () => {
  const validationErrors = [{ field: 'body.owner', message: 'Unknown owner' }]
  const faults = formFaults({ ...nothing, status: 422, domainErrors: ['No licence left'], validationErrors }, fields)
  assert.deepEqual(faults, { fields: {}, whole: ['No licence left', 'Unknown owner'] })
})

test('without errors, the text of the status applies to the whole form', () => {
  assert.deepEqual(formFaults({ ...nothing, status: 500, message: 'boom' }, fields).whole, ['Server error.'])
  assert.deepEqual(formFaults({ ...nothing, status: 403 }, fields).whole, ["You don't have permission."])
  assert.deepEqual(formFaults({ ...nothing, status: 418 }, fields).whole, ['Something went wrong!'])
})

test('a refusal with its own message shows that message once', () => {
  const refused = { ...nothing, status: 409, message: 'Already a member', domainErrors: ['Already a member'] }
  assert.deepEqual(formFaults(refused, fields).whole, ['Already a member'])
})

test('an error at a field is not repeated for the whole form', () => {
  const message = 'View name already in use'
  const refused = { ...nothing, status: 400, message, validationErrors: [{ field: 'name', message }] }
  assert.deepEqual(formFaults(refused, fields), { fields: { name: [message] }, whole: [] })
})
