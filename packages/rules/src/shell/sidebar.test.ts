import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Actor } from '../identity/actor.ts'
import type { Role } from '../identity/roles.ts'
import { isAt, sidebarFor } from './sidebar.ts'

const actor = (role: Role, tags: string[] = []): Actor => ({
  userId: 'u1',
  memberId: 'member',
  tenant: 'northgate',
  role,
  tags,
  features: [],
  capabilities: [],
})
const names = (role: Role, tags?: string[]) =>
  sidebarFor(actor(role, tags)).map((entry) =>
    'items' in entry ? `${entry.name}: ${entry.items.map((item) => item.name).join(', ')}` : entry.name,
  )

const sensors = ['V-Stats', 'Multi-dots', 'API Integration', 'Reporting']
const limitedLighting = 'Lighting: Emergency Lights, Networking Devices'
const lighting = `${limitedLighting}, Buildings, Test Schedules`

test('managers and guests are offered every area; users need edit level on misc', () => {
  assert.deepEqual(names('Manager'), ['Dashboard', lighting, 'Boilers', ...sensors, 'Users', 'Settings', 'Support'])
  assert.deepEqual(names('Guest'), ['Dashboard', lighting, 'Boilers', ...sensors, 'Settings', 'Support'])
})

test('settings, buildings and test schedules are not offered to restricted users, unless they are developers [core-2.4-23] [core-2.4-25]', () => {
  assert.deepEqual(names('Manager', ['east']), [
    'Dashboard',
    limitedLighting,
    'Boilers',
    ...sensors,
    'Users',
    'Support',
  ])
  assert.deepEqual(names('Guest', ['east']), ['Dashboard', limitedLighting, 'Boilers', ...sensors, 'Support'])
  for (const entry of ['Settings', `${lighting}, Test Results`]) assert.ok(names('Developer', ['east']).includes(entry))
})

test('the audit log is offered to admins, the mailbox to developers', () => {
  assert.deepEqual(names('Admin').slice(-3), ['Settings', 'Audit', 'Support'])
  assert.deepEqual(names('Developer').slice(-4), ['Settings', 'Audit', 'Mailbox', 'Support'])
})

test('the test results are offered to developers only', () => {
  assert.ok(names('Developer').includes(`${lighting}, Test Results`))
  assert.ok(names('Admin').includes(lighting))
})

test('home hubs are offered if the client has them', () => {
  const withHubs = sidebarFor({ ...actor('Guest'), features: ['HomeHub'] })
  assert.ok(withHubs.some((entry) => entry.name === 'Home hubs'))
  assert.ok(!names('Guest').includes('Home hubs'))
})

test('an engineer is offered only the areas of the trade', () => {
  assert.deepEqual(names('LightingEngineer'), ['Dashboard', lighting, ...sensors, 'Settings', 'Support'])
  assert.deepEqual(names('BoilerEngineer'), [
    'Dashboard',
    'Lighting: Networking Devices, Buildings',
    'Boilers',
    ...sensors,
    'Settings',
    'Support',
  ])
})

test('an item is current on its page and the pages below it; Boilers also on pages of modules', () => {
  const boilers = { name: 'Boilers', area: 'Boilers' } as const
  assert.ok(isAt('/northgate/Boilers', boilers))
  assert.ok(isAt('/northgate/Boilers/123?tab=info', boilers))
  assert.ok(isAt('/northgate/boilers', boilers))
  assert.ok(isAt('/northgate/Bcms?filter=x', boilers))
  assert.ok(!isAt('/northgate/BoilerConnectedDevice/1', boilers))
  assert.ok(!isAt('/boilers/Dashboard', boilers))
})
