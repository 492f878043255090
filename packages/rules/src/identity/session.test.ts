import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Person } from './session.ts'
import { actorOf, enabledCapabilities, enabledFeatures, sessionUser } from './session.ts'

const person: Person = {
  userId: 'u1',
  name: 'Priya Nair',
  pictureUrl: null,
  tenants: [
    {
      id: 'harbour',
      name: 'harbour',
      displayName: 'Harbour Facilities',
      memberId: 'm1',
      role: 'LightingEngineer',
      tags: [],
    },
    {
      id: 'northgate',
      name: 'northgate',
      displayName: 'Northgate Homes',
      memberId: 'm2',
      role: 'Manager',
      tags: ['east'],
    },
  ],
}

test('The session user has the fields of the specification [core-3-1]', () => {
  assert.deepEqual(Object.keys(sessionUser(person, 'northgate')).sort(), [
    'areas',
    'name',
    'pictureUrl',
    'role',
    'selectedTenant',
    'tags',
    'tenantSelected',
    'tenants',
    'userId',
  ])
})

test('Role and tags are those of the selected tenant [core-3-3]', () => {
  assert.equal(sessionUser(person, 'northgate').role, 'Manager')
  assert.deepEqual(sessionUser(person, 'northgate').tags, ['east'])
  assert.equal(sessionUser(person, 'harbour').role, 'LightingEngineer')
  assert.deepEqual(sessionUser(person, 'harbour').tags, [])
  assert.ok(!sessionUser(person, 'harbour').areas.includes('boilers'))
})

test('Without a tenant, or with one of others, there is no role, no tag and no area', () => {
  for (const tenant of [undefined, 'meridian']) {
    const user = sessionUser(person, tenant)
    assert.deepEqual([user.selectedTenant, user.role, user.tenantSelected], [undefined, undefined, false])
    assert.deepEqual([user.tags, user.areas], [[], []])
  }
  assert.equal(actorOf(person, 'meridian', { features: [], capabilities: [] }), undefined)
})

test('an actor has role, tags, features and capabilities of one tenant', () => {
  const enabled = { features: ['SystemDebug'], capabilities: ['ViewProperties'] } as const
  assert.deepEqual(actorOf(person, 'northgate', enabled), {
    userId: 'u1',
    memberId: 'm2',
    tenant: 'northgate',
    role: 'Manager',
    tags: ['east'],
    features: ['SystemDebug'],
    capabilities: ['ViewProperties'],
  })
})

test('a feature or capability that is off, missing or unknown is not enabled', () => {
  const areas = [
    {
      name: 'System',
      features: [
        { name: 'SystemDebug', isEnabled: true },
        { name: 'HideCustomerPersonalData', isEnabled: false },
        { name: 'Nonsense', isEnabled: true },
      ],
    },
  ]
  assert.deepEqual(enabledFeatures(areas), ['SystemDebug'])
  assert.deepEqual(enabledFeatures([]), [])
  const groups = { devices: { EditAccessRightsTags: true }, properties: { ViewProperties: false } }
  assert.deepEqual(enabledCapabilities(groups), ['EditAccessRightsTags'])
})

test('selecting a tenant sets its role and tags on the session user [core-4.4-2]', () => {
  const userIn = (tenant: string | undefined) => {
    const { selectedTenant, role, tags, tenantSelected } = sessionUser(person, tenant)
    return { selectedTenant, role, tags, tenantSelected }
  }
  assert.deepEqual(userIn(undefined), { selectedTenant: undefined, role: undefined, tags: [], tenantSelected: false })
  assert.deepEqual(userIn('northgate'), {
    selectedTenant: 'northgate',
    role: 'Manager',
    tags: ['east'],
    tenantSelected: true,
  })
  assert.deepEqual(userIn('harbour'), {
    selectedTenant: 'harbour',
    role: 'LightingEngineer',
    tags: [],
    tenantSelected: true,
  })
})
