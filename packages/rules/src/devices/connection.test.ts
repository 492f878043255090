import assert from 'node:assert/strict'
import { test } from 'vitest'
import { connectionStates, connectionStatus, genericConnection } from './connection.ts'

test('online is Connected [core-4.2-1]', () => assert.equal(connectionStates.online, 'Connected'))
test('offline is NotConnected [core-4.2-2]', () => assert.equal(connectionStates.offline, 'NotConnected'))
test('intermittent and never connected are separate states [core-4.2-3 core-4.2-4]', () => {
  assert.equal(new Set(Object.values(connectionStates)).size, 4)
  assert.ok('intermittent' in connectionStates && 'neverconnected' in connectionStates)
})

const now = 1_800_000_000_000
const link = { connected: false, heardAt: null, reportingInterval: 60, drops: [] }
const minutes = (n: number) => now - n * 60_000

test('the connection state follows from drops and reports', () => {
  assert.equal(connectionStatus(link, now), 'neverconnected')
  assert.equal(connectionStatus({ ...link, connected: true }, now), 'Connected')
  assert.equal(connectionStatus({ ...link, heardAt: minutes(3) }, now), 'Connected')
  assert.equal(connectionStatus({ ...link, heardAt: minutes(3) - 1 }, now), 'NotConnected')
  const drops = [1, 2, 3].map(minutes)
  assert.equal(connectionStatus({ ...link, heardAt: now, drops }, now), 'Connected')
  assert.equal(connectionStatus({ ...link, heardAt: now, drops: [...drops, minutes(1439)] }, now), 'intermittent')
  assert.equal(connectionStatus({ ...link, heardAt: now, drops: [...drops, minutes(1440)] }, now), 'Connected')
})

test('displays with two states show Online or Offline [core-3-47]', () => {
  const shown = Object.values(connectionStates).map(genericConnection)
  assert.deepEqual(shown, ['Online', 'Offline', 'Online', 'Offline'])
})
