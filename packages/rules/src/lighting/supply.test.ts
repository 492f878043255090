import assert from 'node:assert/strict'
import { test } from 'node:test'
import { darkSince, supplyOf } from './supply.ts'

test('a lamp is dark when it is inhibited and mains is away, and not known to be in any other case', () => {
  const dark = (reported: Record<string, unknown>) => darkSince(supplyOf(reported))
  assert.equal(dark({ mains: false, mainsSince: 5, inhibited: true }), 5)
  assert.equal(dark({ mains: false, inhibited: true }), null)
  for (const reported of [
    {},
    { mains: true, inhibited: true },
    { mains: false, inhibited: false },
    { mains: false },
    { inhibited: true },
    { mains: 'no', inhibited: 1 },
    { mains: null, inhibited: true },
  ])
    assert.equal(dark(reported), undefined, JSON.stringify(reported))
})
