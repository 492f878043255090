import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Role } from '../identity/roles.ts'
import { visibleProducts } from './visibility.ts'

const seenBy = (role: Role) => [...visibleProducts[role]].sort().join(' ')

test('lighting engineers see emergency lights only', () => {
  assert.equal(seenBy('LightingEngineer'), 'EL EM')
})

test('boiler engineers see boilers and boiler control modules only', () => {
  assert.equal(seenBy('BoilerEngineer'), 'BC BX')
})

test('managers, guests, admins and developers see boilers, modules, lights, gateways and extenders', () => {
  for (const role of ['Manager', 'Guest', 'Admin', 'Developer'] as const)
    assert.equal(seenBy(role), 'BC BX EL EM MG ZG ZR', role)
})
