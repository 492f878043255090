import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Membership, Origin } from './groups.ts'
import { added, buildingFault, groupNameFault, lightFault, membershipOf, memberships, removed } from './groups.ts'

const origins: readonly Origin[] = ['inGroup', 'noGroup', 'anotherGroup', 'conflictingGroup']
const outside = origins.filter((origin) => origin !== 'inGroup')

test('a light has one of six memberships [dev-3ent-61]', () => {
  const named = ['inGroup', 'noGroup', 'anotherGroup', 'conflictingGroup', 'addedToGroup', 'removedFromGroup']
  assert.deepEqual([...memberships], named)
  const reached = origins.flatMap((origin) => [membershipOf(origin, true), membershipOf(origin, false)])
  assert.deepEqual(new Set(reached), new Set(memberships))
})

test('a light can be added from any membership [dev-4groups-1]', () => {
  for (const origin of outside) assert.equal(added(origin), 'addedToGroup', origin)
  for (const origin of outside) assert.equal(membershipOf(origin, true), 'addedToGroup', origin)
})

test('a light of the group is removed from it [dev-4groups-2]', () => {
  assert.equal(removed('inGroup', 'inGroup'), 'removedFromGroup')
  assert.equal(membershipOf('inGroup', false), 'removedFromGroup')
})

test('a removed light that had been added returns to its origin [dev-4groups-3]', () => {
  for (const origin of outside) assert.equal(removed('addedToGroup', origin), origin)
  for (const origin of outside) assert.equal(membershipOf(origin, false), origin)
})

test('a light that was removed and added again is as before [dev-4groups-4]', () => {
  assert.equal(added('removedFromGroup'), 'inGroup')
  assert.equal(membershipOf('inGroup', true), 'inGroup')
})

test("after any clicks a light's membership depends on its origin and the last click", () => {
  for (const origin of origins)
    for (let presses = 0; presses < 64; presses++) {
      let state: Membership = origin
      let isChosen = origin === 'inGroup'
      for (let bit = 0; bit < 6; bit++) {
        isChosen = Boolean(presses & (1 << bit))
        state = isChosen ? added(state) : removed(state, origin)
      }
      assert.equal(state, membershipOf(origin, isChosen))
    }
})

test('a group name is required and unique regardless of case [dev-5val-54 dev-5val-55 est-5-52]', () => {
  assert.equal(groupNameFault('', []), 'Group Name is required')
  assert.equal(groupNameFault('   ', []), 'Group Name is required')
  assert.equal(groupNameFault('Stair A', ['stair a']), 'Group Name already being used')
  assert.equal(groupNameFault(' Stair A ', ['STAIR A']), 'Group Name already being used')
  assert.equal(groupNameFault('Stair A', ['Stair B']), undefined)
})

test('a group needs a building from the list [dev-5val-57 dev-5val-58 est-5-51]', () => {
  assert.equal(buildingFault('', ['a']), 'Building is required')
  assert.equal(buildingFault('b', ['a']), 'Building is not in list')
  assert.equal(buildingFault('a', ['a']), undefined)
})

test('a light that cannot be in a group has a reason', () => {
  const fine = { name: 'Stair A', isLight: true, isInstalled: true, isInBuilding: true, hasFloor: true }
  assert.equal(lightFault(fine), undefined)
  assert.equal(lightFault({ ...fine, isLight: false }), 'Stair A is not an emergency light')
  assert.equal(lightFault({ ...fine, isInstalled: false }), 'Stair A is no longer installed')
  assert.equal(lightFault({ ...fine, isInBuilding: false }), 'Stair A is not in this building')
  assert.equal(lightFault({ ...fine, hasFloor: false }), 'Stair A is not on a floor')
})
