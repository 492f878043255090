import assert from 'node:assert/strict'
import { test } from 'vitest'
import { outcomeOf, worstOf } from './run-outcome.ts'

const none = { passed: 0, degraded: 0, failed: 0, missed: 0, open: 0 }

test('the outcome of a run is the worst of its lights, and unknown is no success', () => {
  assert.equal(outcomeOf('over', { ...none, passed: 9, degraded: 1, failed: 1, missed: 1 }), 'failed')
  assert.equal(outcomeOf('over', { ...none, passed: 9, degraded: 1, missed: 1 }), 'degraded')
  assert.equal(outcomeOf('over', { ...none, passed: 9, missed: 1 }), 'missed')
  assert.equal(outcomeOf('over', { ...none, passed: 9 }), 'passed')
  assert.equal(outcomeOf('over', none), 'unknown')
  assert.equal(outcomeOf('running', { ...none, passed: 1, open: 1 }), 'running')
  assert.equal(outcomeOf('running', { ...none, failed: 1, open: 1 }), 'failed')
  assert.equal(outcomeOf('planned', none), 'planned')
})

test('of several runs in one place the one that needs attention is shown', () => {
  assert.equal(worstOf(['passed', 'failed', 'planned']), 'failed')
  assert.equal(worstOf(['passed', 'planned']), 'planned')
  assert.equal(worstOf([]), undefined)
})
