import assert from 'node:assert/strict'
import { test } from 'vitest'
import { datedByReceipt, timesInState } from './state-times.ts'

const now = Date.UTC(2026, 10, 28, 12)
const earlier = now - 3_600_000

test('the times in a state are found among other fields', () => {
  assert.deepEqual(timesInState({ mainsSince: 5, fault: { timestamp: '2026-11-28T12:00:00Z' } }), [
    { path: 'mainsSince', at: 5 },
    { path: 'fault.timestamp', at: now },
  ])
  assert.deepEqual(timesInState({ mainsSince: 'now', fault: { timestamp: 'soon' } }), [])
  assert.deepEqual(timesInState({ fault: null }), [])
})

test('times of an unset clock become the time of receipt, and stay while nothing changes', () => {
  const state = { mains: true, mainsSince: 5000 }
  assert.deepEqual(datedByReceipt(state, {}, now), { mains: true, mainsSince: now })
  assert.equal(datedByReceipt(state, { mains: true, mainsSince: earlier }, now)['mainsSince'], earlier)
  assert.equal(datedByReceipt({ mainsSince: 9000 }, { mains: true, mainsSince: earlier }, now)['mainsSince'], earlier)
  assert.equal(datedByReceipt(state, { mains: false, mainsSince: earlier }, now)['mainsSince'], now)
  assert.equal(datedByReceipt(state, { mains: true, mainsSince: 4000 }, now)['mainsSince'], now)
  const fault = { faultCode: 'EA', fault: { description: 'No flame', timestamp: '2000-01-01T00:00:10Z' } }
  assert.deepEqual(datedByReceipt(fault, {}, now)['fault'], { description: 'No flame', timestamp: now })
  const known = { faultCode: 'EA', fault: { timestamp: earlier } }
  assert.deepEqual(datedByReceipt(fault, known, now)['fault'], { description: 'No flame', timestamp: earlier })
  assert.deepEqual(datedByReceipt(fault, { ...known, faultCode: 'F1' }, now)['fault'], {
    description: 'No flame',
    timestamp: now,
  })
  const set = { mains: true, mainsSince: earlier, fault: null }
  assert.deepEqual(datedByReceipt(set, {}, now), set)
})
