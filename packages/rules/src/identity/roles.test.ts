import assert from 'node:assert/strict'
import { test } from 'vitest'
import { areas, areasOf, levelOf, levels, roles } from './roles.ts'

test('the roles [core-6-1 core-1-9]', () => {
  assert.deepEqual([...roles].sort(), ['Admin', 'BoilerEngineer', 'Developer', 'Guest', 'LightingEngineer', 'Manager'])
})

test('the permission areas [core-6-2]', () => {
  assert.deepEqual(areas, [
    'misc',
    'lighting',
    'boilers',
    'fireAlarms',
    'liftMonitors',
    'peopleCounters',
    'networking',
    'users',
    'reports',
    'thirdParty',
    'all',
  ])
})

test('access levels in their order, a higher one including every lower one [core-4.3-6]', () => {
  assert.deepEqual(levels, { none: 0, read: 1, edit: 2, manage: 3, admin: 4, dev: 5 })
})

test('only the developer holds the area all [core-6-3]', () => {
  for (const role of roles) assert.equal(levelOf(role, 'all'), role === 'Developer' ? 5 : 0, role)
})

test('an area is available when the level on it is above none [core-6-4]', () => {
  for (const role of roles)
    for (const area of areas) assert.equal(areasOf(role).includes(area), levelOf(role, area) > 0, `${role} ${area}`)
})

const rest = (given: Record<string, number>, others: number) =>
  Object.fromEntries(areas.map((area) => [area, given[area] ?? (area === 'all' ? 0 : others)]))
const row = (role: (typeof roles)[number]) => Object.fromEntries(areas.map((area) => [area, levelOf(role, area)]))

test('the lighting engineer [core-6-5]', () => {
  const given = { lighting: 2, networking: 2, misc: 1, users: 1, reports: 1, thirdParty: 1 }
  assert.deepEqual(row('LightingEngineer'), rest(given, 0))
})
test('the boiler engineer [core-6-6]', () => {
  const given = { boilers: 2, networking: 2, thirdParty: 2, misc: 1, users: 1, reports: 1 }
  assert.deepEqual(row('BoilerEngineer'), rest(given, 0))
})
test('the manager [core-6-7]', () => assert.deepEqual(row('Manager'), rest({}, 3)))
test('the guest [core-6-8]', () => assert.deepEqual(row('Guest'), rest({}, 1)))
test('the admin [core-6-9]', () => assert.deepEqual(row('Admin'), rest({}, 4)))
test('the developer [core-6-10]', () => assert.deepEqual(row('Developer'), rest({ all: 5 }, 5)))
