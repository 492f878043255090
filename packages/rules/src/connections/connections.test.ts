import assert from 'node:assert/strict'
import { test } from 'vitest'
import { judgeConnection } from './connections.ts'
import type { ConnectionActivity } from './connections.ts'

const now = Date.parse('2026-11-28T15:34:12Z')
const quiet: ConnectionActivity = {
  ...{ paused: null, createdAt: now - 86_400_000, lastMessageAt: now - 60_000, usualInterval: 60 },
  ...{ errors: 0, lastErrorAt: null, mainReason: null },
}

test.each<[string, Partial<ConnectionActivity>, string, string | null]>([
  ['a webhook with messages', {}, 'Working', null],
  ['a connected broker', { broker: { isConnected: true, error: null } }, 'Working', null],
  ['a broker that refuses', { broker: { isConnected: false, error: 'Not authorized' } }, 'Errors', 'Not authorized'],
  [
    'a broker without a session',
    { broker: { isConnected: false, error: null } },
    'Errors',
    'The broker is not connected',
  ],
  [
    'a broker that was entered a moment ago',
    { broker: { isConnected: false, error: null }, createdAt: now - 5000, lastMessageAt: null },
    'Working',
    'Waiting for the first message',
  ],
  [
    'a paused one',
    { broker: { isConnected: false, error: null }, paused: { at: now, reason: 'Repair' } },
    'Paused',
    'Repair',
  ],
])('%s is judged by its broker and its messages', (_, activity, state, reason) => {
  const health = judgeConnection({ ...quiet, ...activity }, now)
  assert.deepEqual([health.state, health.reason], [state, reason])
})
