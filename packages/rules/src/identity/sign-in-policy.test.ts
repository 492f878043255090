import assert from 'node:assert/strict'
import { test } from 'vitest'
import { obligationOf, policyOf } from './sign-in-policy.ts'

const standard = policyOf(undefined, false)

test('managers, admins and developers need a second factor by default, in a demo nobody does', () => {
  for (const role of ['Manager', 'Admin', 'Developer'] as const)
    assert.equal(obligationOf([{ role, policy: standard }]).needsSecondFactor, true, role)
  for (const role of ['Guest', 'LightingEngineer', 'BoilerEngineer'] as const)
    assert.equal(obligationOf([{ role, policy: standard }]).needsSecondFactor, false, role)
  assert.equal(obligationOf([{ role: 'Developer', policy: policyOf(undefined, true) }]).needsSecondFactor, false)
})

test('of several clients the strictest policy counts', () => {
  const strict = policyOf({ secondFactorRoles: ['Guest'], idleMinutes: 30, sessionHours: 12 }, false)
  const guest = [{ role: 'Guest', policy: standard } as const, { role: 'Guest', policy: strict } as const]
  assert.deepEqual(obligationOf(guest), { needsSecondFactor: true, idleMinutes: 30, sessionHours: 12 })
})

test('a person without a client has the default time limits', () => {
  assert.deepEqual(obligationOf([]), { needsSecondFactor: false, idleMinutes: 1440, sessionHours: 336 })
})
