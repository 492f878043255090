import assert from 'node:assert/strict'
import { test } from 'vitest'
import { provenText } from './proven.ts'

test('the last required tests of a light are listed with result and day, and so is a test that never took place', () => {
  const zone = 'Europe/London'
  const now = Date.parse('2026-11-27T12:00:00Z')
  const long = { testType: 'T180', testDate: '2026-11-26T02:00:00Z', result: 'Passed' } as const
  const short = { testType: 'T0', testDate: '2026-06-30T23:30:00Z', result: 'Failed' } as const
  const hour = { ...long, testType: 'T60' } as const
  assert.equal(
    provenText([hour, short, long], now, zone),
    'Last 3-hour test passed on 26/11/2026; last function test failed on 01/07/2026.',
  )
  assert.equal(provenText([short], now, zone), 'No 3-hour test on record; last function test failed on 01/07/2026.')
  assert.equal(provenText([], now, zone), 'No 3-hour test on record; no function test on record.')
  assert.equal(
    provenText([{ ...long, result: 'Indeterminate' }], now, zone),
    'Last 3-hour test without a result on 26/11/2026; no function test on record.',
  )
  const begun = { ...long, result: 'AwaitingAnalysis' } as const
  assert.equal(
    provenText([begun], Date.parse('2026-11-26T02:50:00Z'), zone),
    '3-hour test running since 02:00, 2 h 10 min left; no function test on record.',
  )
  assert.equal(
    provenText([begun], now, zone),
    'Last 3-hour test without a result since 26/11/2026; no function test on record.',
  )
})
