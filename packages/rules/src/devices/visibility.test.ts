import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Role } from '../identity/roles.ts'
import { productCodes } from './products.ts'
import { isVisible } from './visibility.ts'

const seenBy = (role: Role) =>
  productCodes
    .filter((product) => isVisible(role, product))
    .sort()
    .join(' ')

test('lighting engineers see emergency lights only [core-6-11]', () => {
  assert.equal(seenBy('LightingEngineer'), 'EL EM')
})

test('boiler engineers see boilers and boiler control modules only [core-6-12]', () => {
  assert.equal(seenBy('BoilerEngineer'), 'BC BX')
})

test('managers, guests, admins and developers see boilers, modules, lights, gateways and extenders [core-6-13]', () => {
  for (const role of ['Manager', 'Guest', 'Admin', 'Developer'] as const)
    assert.equal(seenBy(role), 'BC BX EL EM MG ZG ZR', role)
})
