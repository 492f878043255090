import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Actor } from '../identity/actor.ts'
import type { Role } from '../identity/roles.ts'
import type { HomeOffer, SelectedHomes } from './home-actions.ts'
import { offeredHomeActions, selectsHomes } from './home-actions.ts'

const actor = (role: Role, more: Partial<Actor> = {}): Actor => ({
  ...{ userId: 'u', memberId: 'm', tenant: 'north', role, tags: [] },
  ...{ features: ['PropertyCentric'], capabilities: ['ViewProperties', 'EditAccessRightsTags'] },
  ...more,
})
const some: SelectedHomes = { total: 3, occupied: 0, openCases: 0, devices: 0 }

test.each<[about: string, who: Actor, homes: SelectedHomes, expected: HomeOffer[]]>([
  [
    'homes without devices are archived, and given and taken an access rights tag',
    actor('Manager'),
    some,
    [
      { action: 'add tags', suitable: 0, reason: 'The selected properties have no devices that you can tag' },
      { action: 'remove tags', suitable: 0, reason: 'The selected properties have no devices that you can tag' },
      { action: 'archive properties', suitable: 3 },
      { action: 'set access rights tag of properties', suitable: 3 },
      { action: 'remove access rights tag of properties', suitable: 3 },
    ],
  ],
  [
    'a home with devices is not archived, and its devices are tagged',
    actor('Manager'),
    { total: 3, occupied: 1, openCases: 0, devices: 4 },
    [
      { action: 'add tags', suitable: 4 },
      { action: 'remove tags', suitable: 4 },
      { action: 'archive properties', suitable: 2, reason: '1 selected property has devices' },
      { action: 'set access rights tag of properties', suitable: 3 },
      { action: 'remove access rights tag of properties', suitable: 3 },
    ],
  ],
  [
    "homes with an open Awaab's Law case are not archived",
    actor('Manager'),
    { total: 5, occupied: 1, openCases: 3, devices: 4 },
    [
      { action: 'add tags', suitable: 4 },
      { action: 'remove tags', suitable: 4 },
      {
        action: 'archive properties',
        suitable: 1,
        reason: "1 selected property has devices; 3 selected properties have an open Awaab's Law case",
      },
      { action: 'set access rights tag of properties', suitable: 5 },
      { action: 'remove access rights tag of properties', suitable: 5 },
    ],
  ],
  [
    "a home with an open Awaab's Law case alone",
    actor('Manager'),
    { total: 1, occupied: 0, openCases: 1, devices: 1 },
    [
      { action: 'add tags', suitable: 1 },
      { action: 'remove tags', suitable: 1 },
      { action: 'archive properties', suitable: 0, reason: "1 selected property has an open Awaab's Law case" },
      { action: 'set access rights tag of properties', suitable: 1 },
      { action: 'remove access rights tag of properties', suitable: 1 },
    ],
  ],
  ['a guest is offered nothing', actor('Guest'), some, []],
  ['without the capability nobody is offered anything', actor('Manager', { features: [] }), some, []],
])('%s', (_about, who, homes, expected) => {
  const offers = offeredHomeActions(who, homes)
  assert.deepEqual(
    who.features.length === 0 ? offers.filter(({ action }) => !action.endsWith('tags')) : offers,
    expected,
  )
  assert.equal(selectsHomes(who), expected.length > 0)
})

test('a manager restricted by tags cannot archive properties', () => {
  const offers = offeredHomeActions(actor('Manager', { tags: ['east'] }), some)
  assert.ok(!offers.some(({ action }) => action === 'archive properties'))
})
