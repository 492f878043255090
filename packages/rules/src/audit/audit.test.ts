import assert from 'node:assert/strict'
import { test } from 'vitest'
import { differences, withoutCustomerData } from './audit.ts'

test('a difference contains only changed fields, with both values', () => {
  assert.deepEqual(differences({ name: 'a', role: 'Guest' }, { name: 'b', role: 'Guest' }), {
    before: { name: 'a' },
    after: { name: 'b' },
  })
  assert.deepEqual(differences({}, { tag: 'East' }), { before: { tag: null }, after: { tag: 'East' } })
  assert.deepEqual(differences({ tag: 'East' }, { tag: null }), { before: { tag: 'East' }, after: { tag: null } })
  assert.equal(differences({ list: [1, 2], tag: null }, { list: [1, 2], tag: undefined }), undefined)
})

test('addresses are removed from every record at any depth, names and contacts only from those of residents', () => {
  const record = { name: 'Tom', email: 't@x.test', address1: '1 Road', nested: [{ Postcode: 'AB1', role: 'Guest' }] }
  assert.deepEqual(withoutCustomerData('user', record), { name: 'Tom', email: 't@x.test', nested: [{ role: 'Guest' }] })
  assert.deepEqual(withoutCustomerData('resident', { ...record, approved: true }), {
    nested: [{ role: 'Guest' }],
    approved: true,
  })
  assert.equal(withoutCustomerData('device', null), null)
})
