import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { ComplianceState } from '../compliance/due.ts'
import type { RecordType } from '../compliance/records.ts'
import type { ConditionKind } from '../conditions/conditions.ts'
import type { Facts } from './signals.ts'
import { signalsOf, silences } from './signals.ts'

const never = { state: null, dueSince: null }
const records = { GasSafety: never, WaterTreatment: never }
const open = (kind: ConditionKind, key = '', began = 5) => ({ kind, key, began, ended: null })
const facts = (bend: Partial<Facts> = {}): Facts => ({
  ...{
    product: 'EM',
    connection: 'Connected',
    connectionSince: 1,
    open: [],
    lastEnded: 2,
    tagIds: [],
    buildingId: null,
  },
  ...{ isVoid: false, records, testMissedSince: null, dampSince: null },
  ...bend,
})
const told = (bend: Partial<Facts>) =>
  signalsOf(facts(bend))
    .filter(({ kind }) => kind !== 'CONNECTIONSTATUS' && kind !== 'BUILDING')
    .map(({ kind, key, since }) => `${kind} ${key} ${since}`)

test('a device tells its status and since when, and its connection', () => {
  assert.deepEqual(signalsOf(facts()), [
    { kind: 'BUILDING', key: 'none', since: null },
    { kind: 'DEVICESTATUS', key: 'Ok', since: 2 },
    { kind: 'CONNECTIONSTATUS', key: 'Connected', since: 1 },
  ])
  assert.deepEqual(told({ product: 'BX', open: [open('equipmentBroken')] }), ['DEVICESTATUS FailedEquipment 5'])
  assert.deepEqual(told({ product: 'BX', open: [open('deviceBroken')] }), [], 'no rule waits for it')
})

test('no data is no news: a light that is worn and falls silent is still worn', () => {
  assert.deepEqual(told({ open: [open('testDegraded', 'T60'), open('notHeard', '', 9)] }), [
    'DEVICESTATUS PreventativeMaintenance 5',
  ])
})

test('what is in stock tells nothing but its tags and its building', () => {
  assert.deepEqual(
    signalsOf(facts({ open: [open('inStock'), open('fault', 'boiler EA')], tagIds: ['t'], buildingId: 'b' })),
    [
      { kind: 'TAG', key: 't', since: null },
      { kind: 'BUILDING', key: 'b', since: null },
    ],
  )
})

test('events come from faults, tests, checks and the silence of gateways', () => {
  const events = (bend: Partial<Facts>) => told(bend).filter((one) => one.startsWith('ALERTABLEEVENT'))
  assert.deepEqual(events({ product: 'BX', open: [open('fault', 'boiler EA')] }), ['ALERTABLEEVENT boilerLockout 5'])
  assert.deepEqual(events({ product: 'BX', open: [open('fault', 'autofill AF1')] }), [
    'ALERTABLEEVENT autofillLockout 5',
  ])
  assert.deepEqual(events({ open: [open('testFailed', 'T180', 7), open('deviceTestFailed', 'T0', 6)] }), [
    'ALERTABLEEVENT testFailed 6',
    'ALERTABLEEVENT lightFailed 6',
  ])
  for (const [kind, event] of [
    ['highEvent', 'lightFailed'],
    ['testOverdue', 'testOverdue'],
    ['inhibited', 'lightInhibited'],
    ['unstable', 'lightUnstable'],
    ['noContact', 'noContact'],
  ] as const) {
    assert.deepEqual(events({ open: [open(kind, '', 9)] }), [`ALERTABLEEVENT ${event} 9`])
    assert.deepEqual(events({ product: 'BX', open: [open(kind, '', 9)] }), [])
  }
  assert.deepEqual(events({ open: [open('batteryNotFull', '', 9)] }), ['ALERTABLEEVENT batteryNotFull 9'])
  assert.deepEqual(events({ testMissedSince: 8 }), ['ALERTABLEEVENT testMissed 8'])
  const standing = (type: RecordType, state: ComplianceState) =>
    events({ records: { ...records, [type]: { state, dueSince: 4 } } })
  for (const [type, event] of [
    ['GasSafety', 'gasCheckDue'],
    ['WaterTreatment', 'waterTreatmentDue'],
  ] as const) {
    for (const state of ['Due', 'Overdue', 'Failed'] as const)
      assert.deepEqual(standing(type, state), [`ALERTABLEEVENT ${event} 4`])
    for (const state of ['InDate', 'NoRecord'] as const) assert.deepEqual(standing(type, state), [])
  }
  assert.deepEqual(events({ product: 'MG', connection: 'NotConnected' }), [
    'ALERTABLEEVENT gatewaySilent 1',
    'ALERTABLEEVENT noContact 1',
  ])
  assert.deepEqual(events({ product: 'EM', connection: 'NotConnected' }), [])
  assert.deepEqual(events({ darkSince: 3 }), ['ALERTABLEEVENT lampDark 3'])
  assert.deepEqual(events({ dampSince: 7 }), ['ALERTABLEEVENT dampAndMould 7'])
  assert.deepEqual(events({ dampSince: null }), [])
  assert.deepEqual(events({ darkSince: null }), ['ALERTABLEEVENT lampDark null'])
})

test('void homes, maintenance and what was switched off keep rules silent', () => {
  const mutes = (bend: Partial<Facts>) => told(bend).filter((one) => one.startsWith('MUTED'))
  assert.deepEqual(mutes({ isVoid: true }), ['MUTED void null'])
  assert.deepEqual(mutes({ open: [open('maintenance')] }), ['MUTED maintenance 5'])
  assert.deepEqual(mutes({ open: [open('disabledOther', '', 1), open('disabledNonPayment', '', 2)] }), [
    'MUTED disabled 1',
  ])
  assert.ok(silences('maintenance', 'FailedEquipment'))
  assert.ok(!silences('maintenance', 'PreventativeMaintenance'), 'it is what that rule tells of')
  assert.ok(silences('void', 'PreventativeMaintenance'))
})
