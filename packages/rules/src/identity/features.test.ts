import assert from 'node:assert/strict'
import { test } from 'vitest'
import { capabilityGroups, featureGroups, groupOf } from './features.ts'

test('the groups of feature flags and of capabilities', () => {
  assert.deepEqual(Object.keys(featureGroups), [
    'Properties',
    'System',
    'Residents',
    'HomeApp',
    'Boilers',
    'Reporting',
    'Portal',
    'Installation',
  ])
  assert.deepEqual(capabilityGroups, { Devices: ['EditAccessRightsTags'], Properties: ['ViewProperties'] })
})

test('a feature knows its group; a name that is no feature has none', () => {
  assert.equal(groupOf('HomeHub'), 'Portal')
  assert.equal(groupOf('toString'), undefined)
})
