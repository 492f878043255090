import assert from 'node:assert/strict'
import { test } from 'vitest'
import { capabilityGroups, featureGroups, groupOf } from './features.ts'

test('feature flags and capabilities have groups', () => {
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

test('a feature has a group, an unknown name has none', () => {
  assert.equal(groupOf('HomeHub'), 'Portal')
  assert.equal(groupOf('toString'), undefined)
})
