import assert from 'node:assert/strict'
import { test } from 'vitest'
import { idInOrder } from './ids.ts'

test('ids are UUIDs of version 7, ordered by time and unique within a millisecond', () => {
  const now = Date.UTC(2026, 2, 14, 9, 30, 0, 5)
  const ids = Array.from({ length: 1000 }, () => idInOrder(now))
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) {
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.equal(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16), now)
    assert.ok(id < idInOrder(now + 1))
  }
})
