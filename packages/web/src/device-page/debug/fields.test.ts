import assert from 'node:assert/strict'
import { test } from 'vitest'
import { hasText, sideBySide } from './fields.ts'

test('two states are compared value by value; only requested values that are not reported differ', () => {
  const rows = sideBySide(
    { chMax: 68, relays: { 1: true } },
    { chMax: 60, relays: { 1: true, 2: false }, fault: null, firmware: '4.1' },
  )
  assert.deepEqual(
    rows,
    [
      { key: 'relays.1', desired: true, reported: true, differs: false },
      { key: 'chMax', desired: 68, reported: 60, differs: true },
      { key: 'fault', desired: undefined, reported: null, differs: false },
      { key: 'firmware', desired: undefined, reported: '4.1', differs: false },
      { key: 'relays.2', desired: undefined, reported: false, differs: false },
    ].toSorted((a, b) => order.indexOf(a.key) - order.indexOf(b.key)),
  )
  assert.equal(sideBySide({ buzzer: true }, {})[0]!.differs, true)
})
const order = ['chMax', 'relays.1', 'fault', 'firmware', 'relays.2']

test('a row is found by its key and its values', () => {
  const [row] = sideBySide({}, { firmware: '4.1' })
  assert.ok(hasText(row!, 'FIRM') && hasText(row!, '4.1') && hasText(row!, ''))
  assert.ok(hasText(row!, '4.1 firm'))
  assert.ok(!hasText(row!, 'relay'))
})
