import assert from 'node:assert/strict'
import { test } from 'vitest'
import { logTimeText } from './log-time.ts'

test('log times are in UTC, even without a zone, and are shown in local time [dev-9const-13]', () => {
  for (const [timestamp, zone, text] of [
    ['2026-07-01T11:30:00Z', 'Europe/London', '01/07/2026 12:30'],
    ['2026-07-01T11:30:00', 'Europe/London', '01/07/2026 12:30'],
    ['2026-07-01 23:30:00', 'Europe/London', '02/07/2026 00:30'],
    ['2026-12-01 23:30:00 UTC', 'Europe/London', '01/12/2026 23:30'],
    ['2026-10-25T00:30:00Z', 'Europe/London', '25/10/2026 01:30 BST'],
    ['2026-10-25T01:30:00Z', 'Europe/London', '25/10/2026 01:30 GMT'],
    ['2026-12-01T12:00:00', 'Pacific/Auckland', '02/12/2026 01:00'],
    ['unknown', 'Europe/London', 'unknown'],
  ] as const)
    assert.equal(logTimeText(timestamp, zone), text)
})
