import assert from 'node:assert/strict'
import { test } from 'vitest'
import { lightGroups, lightsOf, lightStates, lockoutTitle } from './safety.ts'

test('lights are as bad as the worst of them; silence and a test that is owed are never passed', () => {
  const passed = { status: 'Ok', open: [] } as const
  for (const [lights, state] of [
    [[], null],
    [[passed], 'Passed'],
    [[passed, { status: 'PreventativeMaintenance', open: ['testOverdue'] }], 'Overdue'],
    [[passed, { status: 'RepairedEquipment', open: ['equipmentRepaired'] }], 'Overdue'],
    [[passed, { status: 'Installed', open: ['noContact'] }], 'NoReadings'],
    [[{ status: 'FailedDevice', open: ['notHeard'] }], 'NoReadings'],
    [
      [
        { status: 'FailedEquipment', open: ['testFailed'] },
        { status: 'Installed', open: ['neverTested'] },
      ],
      'Failed',
    ],
  ] as const)
    assert.equal(lightsOf(lights), state)
  assert.deepEqual(
    lightStates.filter((state) => lightGroups[state] === 'Passed'),
    ['Passed'],
  )
})

test('a lockout says since when, and for how many people', () => {
  for (const [facts, title] of [
    [{ since: '09:43', isVoid: false, people: 5 }, 'Boiler locked out since 09:43, no heating, 5 people'],
    [{ since: '09:43', isVoid: false, people: 1 }, 'Boiler locked out since 09:43, no heating, 1 person'],
    [{ since: null, isVoid: false, people: null }, 'Boiler locked out, no heating'],
    [{ since: '27/11/2026', isVoid: true, people: 5 }, 'Boiler locked out since 27/11/2026, no heating, void home'],
  ] as const)
    assert.equal(lockoutTitle(facts), title)
})
