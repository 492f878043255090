import assert from 'node:assert/strict'
import { test } from 'vitest'
import { needsLongTest } from './long-test.ts'

test.each([
  ['a failed 3-hour test', { kind: 'testFailed', key: 'T180', states: { Lamp: 'Failed' } }, true],
  ['a battery that failed a function test', { kind: 'testFailed', key: 'T0', states: { Battery: 'Failed' } }, true],
  ['a battery that degraded', { kind: 'testDegraded', key: 'T5', states: { Battery: 'Degraded' } }, true],
  ['a lamp that failed a function test', { kind: 'testFailed', key: 'T0', states: { Lamp: 'Failed' } }, false],
  ['a repair after a failed 3-hour test', { kind: 'equipmentRepaired', key: 'T180' }, true],
  ['a repair after a failed function test', { kind: 'equipmentRepaired', key: 'T0', states: null }, false],
  ['a 3-hour test that is not proven', { kind: 'testNotProven', key: 'T180' }, true],
  ['no contact', { kind: 'noContact', key: '' }, false],
] as const)('a light with %s is offered a 3-hour test of its own, or not', (_, condition, expected) =>
  assert.equal(needsLongTest(condition), expected),
)
