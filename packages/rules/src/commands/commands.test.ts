import assert from 'node:assert/strict'
import { test } from 'vitest'
import { commandStatuses, mayBecome } from './commands.ts'

test('final states are never left, and no state returns to queued', () => {
  for (const end of ['confirmed', 'failed', 'expired', 'withdrawn'] as const)
    for (const to of commandStatuses) assert.equal(mayBecome(end, to), false, `${end} → ${to}`)
  for (const from of commandStatuses) assert.equal(mayBecome(from, 'queued'), false)
  assert.equal(mayBecome('queued', 'sent'), true)
  assert.equal(mayBecome('sent', 'confirmed'), true)
  assert.equal(mayBecome('queued', 'withdrawn'), true)
  assert.equal(mayBecome('sent', 'withdrawn'), false, 'the device may be at it already')
})
