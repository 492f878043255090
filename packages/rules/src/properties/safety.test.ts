import assert from 'node:assert/strict'
import { test } from 'vitest'
import { lightGroups, lightsOf, lightStates, lockoutTitle } from './safety.ts'

test('lights have the worst state among them; silence and a missing test are never passed', () => {
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

test('a lockout title states its start and the number of people', () => {
  for (const [facts, title] of [
    [{ since: '09:43', isVoid: false, people: 5 }, 'Boiler locked out since 09:43, no heating, 5 people'],
    [{ since: '09:43', isVoid: false, people: 1 }, 'Boiler locked out since 09:43, no heating, 1 person'],
    [{ since: null, isVoid: false, people: null }, 'Boiler locked out, no heating'],
    [{ since: '27/11/2026', isVoid: true, people: 5 }, 'Boiler locked out since 27/11/2026, no heating, void property'],
  ] as const)
    assert.equal(lockoutTitle(facts), title)
})
