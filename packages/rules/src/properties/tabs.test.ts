import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Actor } from '../identity/actor.ts'
import type { Feature } from '../identity/features.ts'
import { propertyTabsOf } from './tabs.ts'

const actor = (role: Actor['role'], features: Feature[]): Actor => ({
  ...{ userId: 'u', memberId: 'm', tenant: 't', role, tags: [], features, capabilities: [] },
})
const always = ['info', 'telemetry', 'thermoScheduler']

test('each tab depends on its own feature', () => {
  const shown = (...features: Feature[]) => propertyTabsOf(actor('Manager', features))
  assert.deepEqual(shown(), ['info', 'devices', 'telemetry', 'thermoScheduler'])
  assert.deepEqual(shown('HideDeviceTab'), always)
  assert.deepEqual(shown('HideDeviceTab', 'ManagedService'), ['info', 'services', 'telemetry', 'thermoScheduler'])
  assert.deepEqual(shown('HideDeviceTab', 'PropertyRecords'), [...always, 'propertyRecords'])
  assert.deepEqual(shown('HideDeviceTab', 'AuditTab'), [...always, 'propertyAudit'])
})

test('a developer sees every tab, even if switched off or hidden', () => {
  assert.equal(propertyTabsOf(actor('Developer', ['HideDeviceTab'])).length, 7)
})
