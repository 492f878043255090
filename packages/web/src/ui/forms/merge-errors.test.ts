import assert from 'node:assert/strict'
import { test } from 'vitest'
import { formFaults } from './merge-errors.ts'

const nothing = { message: '', domainErrors: [], validationErrors: [] }
const fields = ['name', 'email', 'tags']

test('validation errors stand at the field that they name, however deep', () => {
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

test('domain errors, and validation errors of no field here, stand for the whole', () => {
  const validationErrors = [{ field: 'body.owner', message: 'Unknown owner' }]
  const faults = formFaults({ ...nothing, status: 422, domainErrors: ['No licence left'], validationErrors }, fields)
  assert.deepEqual(faults, { fields: {}, whole: ['No licence left', 'Unknown owner'] })
})

test('with neither, the text of the status stands for the whole', () => {
  assert.deepEqual(formFaults({ ...nothing, status: 500, message: 'boom' }, fields).whole, ['Server error.'])
  assert.deepEqual(formFaults({ ...nothing, status: 403 }, fields).whole, ["You don't have permission."])
  assert.deepEqual(formFaults({ ...nothing, status: 418 }, fields).whole, ['Something went wrong!'])
})

test('a refusal that says more than its status is told in its own words, once', () => {
  const refused = { ...nothing, status: 409, message: 'Already a member', domainErrors: ['Already a member'] }
  assert.deepEqual(formFaults(refused, fields).whole, ['Already a member'])
})

test('what is said at a field is not said of the whole as well', () => {
  const message = 'View name already in use'
  const refused = { ...nothing, status: 400, message, validationErrors: [{ field: 'name', message }] }
  assert.deepEqual(formFaults(refused, fields), { fields: { name: [message] }, whole: [] })
})
