import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { RecordDraft } from './records.ts'
import { recordFaults, recordStatuses, statusFault, testKits } from './records.ts'

const today = '2026-11-20'
const whole: RecordDraft = {
  serialNumber: 'LGSR-2026-11207',
  day: today,
  status: 'Pass',
  testKit: '',
  hasCertificate: true,
}
const gas = (bend: Partial<RecordDraft>) => recordFaults('GasSafety', { ...whole, ...bend }, today)
const water = (bend: Partial<RecordDraft>) =>
  recordFaults('WaterTreatment', { ...whole, testKit: testKits[0], ...bend }, today)

test("the result of a record is 'Pass' or 'Fail' and nothing else [dev-3ent-26 dev-5val-8 dev-5val-13]", () => {
  assert.deepEqual(recordStatuses, ['Pass', 'Fail'])
  for (const faultsOf of [gas, water]) {
    for (const status of recordStatuses) assert.deepEqual(faultsOf({ status }), {})
    for (const status of ['pass', 'Passed', 'Maybe', '0', 'Pass ', 'constructor'])
      assert.deepEqual(faultsOf({ status }), { status: 'Result can only be passed or failed' })
    assert.deepEqual(faultsOf({ status: '' }), { status: 'Result must be selected' })
  }
  assert.equal(statusFault('Fail'), undefined)
})

test('a gas safety record has required fields, each with its text', () => {
  assert.deepEqual(gas({}), {})
  assert.deepEqual(
    recordFaults(
      'GasSafety',
      { serialNumber: ' ', day: undefined, status: '', testKit: '', hasCertificate: false },
      today,
    ),
    {
      serialNumber: 'Certificate Number is required',
      day: 'Date is required',
      status: 'Result must be selected',
      hasCertificate: 'Certificate must be provided',
    },
  )
})

test('a water treatment record needs a test kit from the list and no certificate', () => {
  assert.deepEqual(testKits, ['Fernox Express Inhibitor Test', 'Adey MC1+ Quick Test', 'Sentinel X100 Quick Test'])
  for (const testKit of testKits) assert.deepEqual(water({ testKit, hasCertificate: false }), {})
  for (const testKit of ['', 'Other', 'fernox express inhibitor test'])
    assert.deepEqual(water({ testKit }), { testKit: 'Testkit must be provided' })
})

test('future and very old days, and numbers that are too long, are rejected', () => {
  assert.deepEqual(gas({ day: '2026-11-21' }), { day: 'Date can not be in the future' })
  assert.deepEqual(gas({ day: '1989-12-31' }), { day: 'Date cannot be before 01/01/1990' })
  assert.deepEqual(gas({ day: '1990-01-01' }), {})
  assert.deepEqual(gas({ serialNumber: 'x'.repeat(60) }), {})
  assert.deepEqual(gas({ serialNumber: 'x'.repeat(61) }), {
    serialNumber: 'Certificate Number can not be longer than 60 characters',
  })
})
