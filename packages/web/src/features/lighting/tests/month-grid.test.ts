import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { EmergencyTest, LightRun } from '@caretaker/contract/lighting.ts'
import { gridOf, monthsOf } from './month-grid.ts'

const now = Date.parse('2026-05-20T12:00:00Z')
const testOf = (testDate: string, result: EmergencyTest['result'], testType: EmergencyTest['testType'] = 'T0') =>
  ({ eventId: testDate, testDate, result, testType }) as EmergencyTest
const run = (startsAt: string, state: LightRun['state']) =>
  ({ runId: startsAt, startsAt, state, testType: 'T0' }) as LightRun

test('a month shows its worst test, in the time zone of the client', () => {
  const tests = [
    testOf('2026-03-31T23:30:00Z', 'Failed'),
    testOf('2026-04-20T01:00:00Z', 'Passed'),
    testOf('2026-01-04T01:00:00Z', 'Passed', 'T5'),
  ]
  const [year] = gridOf(tests, [], { zone: 'Europe/London', now })
  assert.deepEqual([year!.year, year!.rows.map(({ type }) => type)], [2026, ['T0', 'T5']])
  const april = year!.rows[0]!.months[3]!
  assert.deepEqual([april.result, april.day, april.tests.length], ['Failed', 1, 2])
  assert.equal(year!.rows[0]!.months[2], undefined)
})

test('a test without a result is shown where there is no result, before scheduled tests', () => {
  const runs = [
    run('2027-05-28T01:00:00Z', 'planned'),
    run('2026-05-28T01:00:00Z', 'planned'),
    run('2026-05-03T01:00:00Z', 'missed'),
    run('2026-06-03T01:00:00Z', 'missed'),
  ]
  const years = gridOf([testOf('2026-06-09T01:00:00Z', 'Passed')], runs, { zone: 'UTC', now })
  assert.deepEqual(
    years.map(({ year }) => year),
    [2026],
  )
  const [may, june] = years[0]!.rows[0]!.months.slice(4)
  assert.deepEqual([may!.next?.day, may!.next?.run.state, june!.next], [28, 'planned', undefined])
  assert.deepEqual([may!.run?.state, may!.day, june!.result, june!.run], ['missed', 3, 'Passed', undefined])
})

test('a month with a result and scheduled tests shows the result and the first scheduled test', () => {
  const runs = [run('2026-05-28T01:00:00Z', 'planned'), run('2026-05-21T01:00:00Z', 'planned')]
  const [year] = gridOf([testOf('2026-05-04T01:00:00Z', 'Failed')], runs, { zone: 'UTC', now })
  const may = year!.rows[0]!.months[4]!
  assert.deepEqual([may.result, may.day, may.run, may.next?.day], ['Failed', 4, undefined, 21])
  const [alone] = gridOf([], runs, { zone: 'UTC', now })
  const planned = alone!.rows[0]!.months[4]!
  assert.deepEqual([planned.run?.state, planned.day, planned.next], ['planned', 21, undefined])
})

test('in the year of a light, a month shows its worst test of any type, in the time zone of the client', () => {
  const months = monthsOf(
    [
      testOf('2026-03-31T23:30:00Z', 'Failed', 'T180'),
      testOf('2026-04-20T01:00:00Z', 'Passed'),
      testOf('2026-06-20T01:00:00Z', 'Passed'),
      testOf('2026-06-02T01:00:00Z', 'Degraded'),
    ],
    'Europe/London',
  )
  assert.deepEqual(
    months.map((cell) => cell && `${cell.day} ${cell.result} ${cell.tests.length} ${cell.tests[0]!.testType}`),
    [undefined, undefined, undefined, '1 Failed 2 T180', undefined, '2 Degraded 2 T0', ...Array(6).fill(undefined)],
  )
})
