import assert from 'node:assert/strict'
import { test } from 'vitest'
import {
  changedReason,
  componentStates,
  correctedResult,
  isPending,
  mayReplace,
  reasonOf,
  resultOf,
  sameBattery,
  testResults,
  testTypes,
  shortfall,
} from './tests.ts'

test('result values [core-4.3-5]', () => {
  for (const value of ['Passed', 'Degraded', 'Indeterminate', 'Failed'] as const) assert.ok(testResults.includes(value))
})

test('a test result has exactly seven states [dev-3ent-60]', () => {
  assert.deepEqual([...testResults].sort(), [
    'AwaitingAnalysis',
    'AwaitingReview',
    'Degraded',
    'Failed',
    'Indeterminate',
    'Passed',
    'Suppressed',
  ])
})

test('tests have types and components have states [dev-3ent-35 dev-3ent-37]', () => {
  assert.deepEqual(testTypes, ['T0', 'T5', 'T60', 'T180'])
  assert.deepEqual([...componentStates].sort(), ['Degraded', 'Failed', 'Ok'])
})

test('the result follows from component states: failed overrides degraded', () => {
  assert.equal(resultOf({}), 'Passed')
  assert.equal(resultOf({ Battery: 'Ok', Lamp: 'Ok' }), 'Passed')
  assert.equal(resultOf({ Battery: 'Degraded' }), 'Degraded')
  assert.equal(resultOf({ Battery: 'Degraded', Lamp: 'Failed' }), 'Failed')
})

test('the reason lists the components in order [dev-4tests-6 dev-4tests-7 dev-4tests-8 dev-4tests-9]', () => {
  assert.equal(reasonOf({ Battery: 'Ok' }), 'Device successfully completed test.')
  assert.equal(reasonOf({ Lamp: 'Failed', Battery: 'Failed' }), 'Predicted Failed Components: Battery, Lamp.')
  assert.equal(reasonOf({ Lamp: 'Degraded' }), 'Predicted degraded Components: Lamp.')
  assert.equal(
    reasonOf({ Battery: 'Failed', Inverter: 'Degraded' }),
    'Predicted Failed Components: Battery. Predicted degraded Components: Inverter.',
  )
})

test('a test goes from analysis over review to a final result and never back', () => {
  const order = ['AwaitingAnalysis', 'AwaitingReview', 'Passed'] as const
  for (const [from, stored] of order.entries())
    for (const [to, reported] of order.entries())
      assert.equal(mayReplace(stored, reported), from < to, `${stored} to ${reported}`)
  for (const stored of testResults.filter((result) => !isPending(result)))
    for (const reported of testResults) assert.equal(mayReplace(stored, reported), false)
})

test('the lit duration is shown if it is too short', () => {
  const text = 'Went out after 1 h 52 min of 3 h.'
  assert.equal(shortfall({ testType: 'T180', lasted: 6720, evidenceEnd: 'dark' }), text)
  const atOnce = 'Lit for 0 min of 1 h.'
  assert.equal(shortfall({ testType: 'T60', lasted: 59, evidenceEnd: 'ended' }), atOnce)
  for (const lasted of [null, 10_800, 11_000])
    assert.equal(shortfall({ testType: 'T180', lasted, evidenceEnd: null }), undefined)
  assert.equal(shortfall({ testType: 'T0', lasted: 3, evidenceEnd: null }), undefined)
})

test('a chosen other state replaces the derived result [dev-4tests-5]', () => {
  const componentStates = { Lamp: 'Failed' } as const
  assert.equal(correctedResult({ componentStates }), 'Failed')
  for (const other of ['Indeterminate', 'AwaitingAnalysis', 'AwaitingReview', 'Suppressed'] as const)
    assert.equal(correctedResult({ componentStates, other }), other)
})

test('text typed after the generated reason is kept when that changes [dev-4tests-10]', () => {
  const [well, failed] = [{ componentStates: { Lamp: 'Ok' } }, { componentStates: { Lamp: 'Failed' } }] as const
  const typed = 'Device successfully completed test. Seen by Ada.'
  const changed = changedReason(typed, well, failed)
  assert.equal(changed, 'Predicted Failed Components: Lamp. Seen by Ada.')
  assert.equal(changedReason(changed, failed, well), typed)
  assert.equal(changedReason(typed, well, { ...well, other: 'Suppressed' }), 'Seen by Ada.')
  assert.equal(changedReason('Seen by Ada.', { ...well, other: 'Suppressed' }, well), typed)
  assert.equal(changedReason('-', failed, well), 'Device successfully completed test.')
  assert.equal(changedReason('All of it typed', well, failed), 'Predicted Failed Components: Lamp. All of it typed')
})

test('the previous test of a worn battery is mentioned only if it was certainly the same battery', () => {
  const found = (day: string, Battery: 'Ok' | 'Degraded' | 'Failed' | undefined) => ({
    day,
    componentStates: { Lamp: 'Failed' as const, ...(Battery && { Battery }) },
  })
  const [failed, degraded] = [found('2026-11-14', 'Failed'), found('2025-11-15', 'Degraded')]
  for (const [test, before, installed, reported] of [
    [failed, degraded, '2022-02-12', 'Degraded'],
    [failed, found('2025-11-15', 'Failed'), '2022-02-12', 'Failed'],
    [found('2026-11-14', 'Degraded'), degraded, '2025-11-14', 'Degraded'],
    [failed, degraded, '2025-11-15', undefined],
    [failed, degraded, '2026-01-10', undefined],
    [failed, degraded, '2026-11-20', undefined],
    [failed, degraded, null, undefined],
    [failed, undefined, '2022-02-12', undefined],
    [failed, found('2025-11-15', 'Ok'), '2022-02-12', undefined],
    [failed, found('2025-11-15', undefined), '2022-02-12', undefined],
    [found('2026-11-14', 'Ok'), degraded, '2022-02-12', undefined],
  ] as const)
    assert.equal(sameBattery(test, before, installed), reported, JSON.stringify([test, before, installed]))
})
