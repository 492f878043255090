import assert from 'node:assert/strict'
import { test } from 'vitest'
import { holdsKey, keyPrefix, keyStateAt, remainingKeyLines, rolesForKey, tenantOfKey } from './api-keys.ts'

test('removing a user shows which of their API keys keep working', () => {
  assert.deepEqual(remainingKeyLines('Ann', []), [])
  assert.deepEqual(remainingKeyLines('Ann', [{ name: 'Energy dashboard' }]), [
    '1 API key that Ann made still works: Energy dashboard.',
    'Revoke it in Settings, API keys, if nothing should use it.',
  ])
  assert.match(
    remainingKeyLines('Ann', [{ name: 'A' }, { name: 'B' }])[0]!,
    /^2 API keys that Ann made still work: A, B\.$/,
  )
})

test('users cannot give a key more rights than they have, nor a role that the portal never grants', () => {
  assert.deepEqual(rolesForKey({ role: 'Manager' }), ['LightingEngineer', 'BoilerEngineer', 'Manager', 'Guest'])
  assert.deepEqual(rolesForKey({ role: 'Developer' }), rolesForKey({ role: 'Manager' }))
  assert.deepEqual(rolesForKey({ role: 'LightingEngineer' }), ['LightingEngineer'])
  assert.deepEqual(rolesForKey({ role: 'Guest' }), ['Guest'])
})

test('a key is valid up to its last instant, unless it is revoked', () => {
  assert.equal(keyStateAt({ expiresAt: 10, revokedAt: null }, 9), 'active')
  assert.equal(keyStateAt({ expiresAt: 10, revokedAt: null }, 10), 'expired')
  assert.equal(keyStateAt({ expiresAt: 10, revokedAt: 5 }, 9), 'revoked')
})

test('a key identifies its client, and is detected anywhere in an address', () => {
  const key = `${keyPrefix('north-gate')}${'a_-9'.repeat(10)}abc`
  assert.equal(tenantOfKey(key), 'north-gate')
  for (const other of ['', 'caretaker_', `${key}x`, ` ${key}`, `resident_${'a'.repeat(43)}`, 'a.b.c'])
    assert.equal(tenantOfKey(other), undefined, other)
  assert.equal(holdsKey(`/api/x?key=${key}`), true)
  assert.equal(holdsKey(`/api/${key}/x`), true)
  assert.equal(holdsKey('/api/x?key=caretaker_north-gate_short'), false)
})
