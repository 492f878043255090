import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { HeatingFacts } from './heating.ts'
import { heatingGroups, heatingOf, heatingOffStates, heatingStates } from './heating.ts'

const [early, late] = [new Date('2026-11-27T09:43:00Z'), new Date('2026-11-27T11:00:00Z')]
const quiet: HeatingFacts = {
  ...{ devices: 1, silent: 0, silentSince: null },
  ...{ lockedOutSince: null, brokenSince: null, frostSince: null },
}

test('a lockout overrides a broken boiler, that frost risk, and that silence; unknown heating is never working', () => {
  for (const [facts, state, since] of [
    [quiet, 'Working', null],
    [{ ...quiet, silent: 1, silentSince: early }, 'NoContact', early],
    [{ ...quiet, devices: 2, silent: 1, silentSince: early }, 'Working', null],
    [{ ...quiet, silent: 1, silentSince: early, frostSince: late }, 'FrostRisk', late],
    [{ ...quiet, lockedOutSince: early, frostSince: late }, 'LockedOut', early],
    [{ ...quiet, devices: 0, frostSince: late }, 'FrostRisk', late],
    [{ ...quiet, lockedOutSince: early, brokenSince: late }, 'LockedOut', early],
    [{ ...quiet, brokenSince: late, frostSince: early }, 'Broken', late],
    [{ ...quiet, devices: 0, brokenSince: early }, 'Broken', early],
  ] as const)
    assert.deepEqual(heatingOf(facts), { state, since })
  assert.equal(heatingOf({ ...quiet, devices: 0 }), null)
})

test('only working heating is green, and heating that is off is red', () => {
  assert.deepEqual(
    heatingStates.filter((state) => heatingGroups[state] === 'Passed'),
    ['Working'],
  )
  for (const state of heatingOffStates) assert.equal(heatingGroups[state], 'Failed')
})
