import assert from 'node:assert/strict'
import { test } from 'vitest'
import { reservedSegments } from '../links/addresses.ts'
import { placeAreas } from '../links/places.ts'
import { tenantIdFault, tenantIdOf } from './tenant-id.ts'

test('an id consists of word characters and hyphens only [est-5-41]', () => {
  for (const id of ['northgate', 'a', '7', 'north-gate-2', 'x'.repeat(40)])
    assert.equal(tenantIdFault(id), undefined, id)
  for (const id of ['north gate', 'nörth', 'a/b', 'a.b', '../x', 'a?b', 'a%20b', 'a\n', '<b>'])
    assert.equal(tenantIdFault(id), 'An ID can contain only letters, digits and hyphens.', id)
  for (const id of ['-a', '_a', 'a_b']) assert.match(tenantIdFault(id)!, /must begin with/, id)
  assert.match(tenantIdFault('x'.repeat(41))!, /at most 40/)
  assert.equal(tenantIdFault(''), 'ID is required!')
})

test('an id cannot be an address of the portal or the server, in any case', () => {
  for (const id of ['api', 'login', 'add', 'callback', ...reservedSegments, ...placeAreas, 'API', ' Oidc '])
    assert.match(tenantIdFault(tenantIdOf(id))!, /portal itself/, id)
  assert.equal(tenantIdOf(' NorthGate '), 'northgate')
})
