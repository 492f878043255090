import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { ComplianceState } from '../compliance/due.ts'
import type { RecordType } from '../compliance/records.ts'
import type { ConditionKind } from '../conditions/conditions.ts'
import type { DampLevel } from '../properties/damp.ts'
import type { HeatingState } from '../properties/heating.ts'
import type { Facts, HomeFacts, RecordStanding } from './signals.ts'
import { signalsOf, signalsOfHome, mutesRule } from './signals.ts'
import { alertableEventNames, isOfHome } from './triggers.ts'

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
  ...{ isVoid: false, records, testMissedSince: null },
  ...bend,
})
const signalTexts = (bend: Partial<Facts>) =>
  signalsOf(facts(bend))
    .filter(({ kind }) => kind !== 'CONNECTIONSTATUS' && kind !== 'BUILDING')
    .map(({ kind, key, since }) => `${kind} ${key} ${since}`)

test('a device has signals for its status with its start, and for its connection', () => {
  assert.deepEqual(signalsOf(facts()), [
    { kind: 'BUILDING', key: 'none', since: null },
    { kind: 'DEVICESTATUS', key: 'Ok', since: 2 },
    { kind: 'CONNECTIONSTATUS', key: 'Connected', since: 1 },
  ])
  assert.deepEqual(signalTexts({ product: 'BX', open: [open('equipmentBroken')] }), [
    'DEVICESTATUS FailedEquipment 5',
    'ALERTABLEEVENT deviceFailed 5',
  ])
  assert.deepEqual(signalTexts({ product: 'BX', open: [open('deviceBroken')] }), ['ALERTABLEEVENT deviceFailed 5'])
})

test('missing data changes nothing: a worn light that goes silent stays worn', () => {
  assert.deepEqual(signalTexts({ open: [open('testDegraded', 'T60'), open('notHeard', '', 9)] }), [
    'DEVICESTATUS PreventativeMaintenance 5',
  ])
})

test('a device in stock has signals for its tags and building only', () => {
  assert.deepEqual(
    signalsOf(facts({ open: [open('inStock'), open('fault', 'boiler EA')], tagIds: ['t'], buildingId: 'b' })),
    [
      { kind: 'TAG', key: 't', since: null },
      { kind: 'BUILDING', key: 'b', since: null },
    ],
  )
})

const eventsOf = (bend: Partial<Facts>) =>
  signalTexts(bend)
    .filter((one) => one.startsWith('ALERTABLEEVENT'))
    .map((one) => one.slice('ALERTABLEEVENT '.length))

test('a device of any family fails by its conditions, never by silence', () => {
  const failed = (product: Facts['product'], kind: ConditionKind, key = '') =>
    eventsOf({ product, open: [open(kind, key)] }).includes('deviceFailed 5')
  for (const product of ['EM', 'BX', 'MG', 'TH', 'PM'] as const) {
    assert.ok(failed(product, 'equipmentBroken'), product)
    assert.ok(failed(product, 'deviceFault', 'radio'), product)
    for (const kind of ['notHeard', 'noContact', 'maintenance', 'neverTested'] as const)
      assert.ok(!failed(product, kind), `${product} ${kind}`)
  }
})

const homeFacts = (bend: Partial<HomeFacts> = {}): HomeFacts => ({
  ...{ tagIds: [], buildingId: null, isVoid: false, hasPeople: true, records, heating: null, frostSince: null },
  ...{ damp: { level: 'low', since: null, pressingSince: null }, law: [] },
  ...bend,
})
const ofHome = (bend: Partial<HomeFacts>) =>
  signalsOfHome(homeFacts(bend))
    .filter(({ kind }) => kind === 'ALERTABLEEVENT')
    .map(({ key, since, about }) => [key, since, ...(about ? [about] : [])].join(' '))

test('a property has signals for its tags, its building and void mode', () => {
  assert.deepEqual(signalsOfHome(homeFacts({ tagIds: ['t'], buildingId: 'b', isVoid: true, hasPeople: false })), [
    { kind: 'TAG', key: 't', since: null },
    { kind: 'BUILDING', key: 'b', since: null },
    { kind: 'MUTED', key: 'void', since: null },
  ])
})

test('every event of a property is recognised, and only as itself', () => {
  const check = { state: 'Overdue', dueSince: 1, overdueSince: 2, isNever: true } as const
  const failed = { ...check, state: 'Failed' } as const
  const law = (['In10', 'In5', 'In2', 'In1', 'Today', 'Missed'] as const).map((key) => ({
    ...{ key: `awaabsLaw${key}` as const, since: 1, about: 'AL-0001 Repairs' },
  }))
  const all = new Set(
    [check, failed].flatMap((one) =>
      signalsOfHome(
        homeFacts({
          ...{ records: { GasSafety: one, WaterTreatment: one }, heating: { state: 'FrostRisk', since: 1 }, law },
          ...{ frostSince: 1, damp: { level: 'severe', since: 1, pressingSince: 1 } },
        }),
      ).flatMap(({ kind, key }) => (kind === 'ALERTABLEEVENT' ? [key] : [])),
    ),
  )
  assert.deepEqual(
    alertableEventNames.filter((name) => isOfHome('ALERTABLEEVENT', name)),
    alertableEventNames.filter((name) => all.has(name)),
  )
  assert.ok(!isOfHome('DEVICESTATUS', 'gasCheckDue'))
})

test('heating is off in the states that the dashboard counts, if the property is occupied', () => {
  const off = (state: HeatingState, bend: Partial<HomeFacts> = {}) =>
    ofHome({ heating: { state, since: 5 }, ...bend }).includes('heatingOff 5')
  assert.ok(off('LockedOut'))
  assert.ok(off('Broken'))
  assert.ok(off('FrostRisk'))
  assert.ok(!off('NoContact'))
  assert.ok(!off('Working'))
  assert.ok(!off('LockedOut', { hasPeople: false }))
})

test('damp has signals for watch or higher, high or severe, and severe', () => {
  const damp = (level: DampLevel, pressingSince: number | null = null) =>
    ofHome({ damp: { level, since: 8, pressingSince } })
  assert.deepEqual(damp('low'), [])
  assert.deepEqual(damp('not assessed'), [])
  assert.deepEqual(damp('not assessed', 7), ['dampAndMould 7'], 'silent sensors show no dry home')
  assert.deepEqual(damp('watch'), ['dampWatch 8'])
  assert.deepEqual(damp('high', 7), ['dampAndMould 7', 'dampWatch '])
  assert.deepEqual(damp('severe', 7), ['dampAndMould 7', 'dampWatch ', 'dampSevere 8'])
})

test('due, overdue, failed and missing checks each have an event of their own', () => {
  const gas = (standing: Partial<RecordStanding>) =>
    eventsOf({ records: { ...records, GasSafety: { ...never, ...standing } } })
  const times = { dueSince: 4, overdueSince: 6 }
  assert.deepEqual(gas({ state: 'InDate', ...times }), [])
  assert.deepEqual(gas({ state: 'Due', ...times }), ['gasCheckDue 4'])
  assert.deepEqual(gas({ state: 'Overdue', ...times }), ['gasCheckDue 4', 'gasCheckOverdue 6'])
  assert.deepEqual(gas({ state: 'Failed' }), ['gasCheckDue null', 'gasCheckFailed null'])
  assert.deepEqual(gas({ state: 'Failed', failedSince: 3 }), ['gasCheckDue null', 'gasCheckFailed 3'])
  assert.deepEqual(gas({ isNever: true }), ['gasNeverChecked null'])
  // A worse state does not end Overdue or NeverChecked.
  assert.deepEqual(gas({ state: 'Failed', failedSince: 3, overdueSince: 6, isOverdue: true, isNever: true }), [
    ...['gasCheckDue null', 'gasCheckOverdue 6', 'gasCheckFailed 3', 'gasNeverChecked null'],
  ])
  const water = { ...never, state: 'Overdue', ...times } as const
  assert.deepEqual(eventsOf({ records: { ...records, WaterTreatment: water } }), [
    'waterTreatmentDue 4',
    'waterTreatmentOverdue 6',
  ])
})

test("each Awaab's Law deadline is an event of its own, and no mute applies to it", () => {
  const law = [
    { key: 'awaabsLawMissed', since: 3, about: 'AL-0001 Repairs' },
    { key: 'awaabsLawMissed', since: 4, about: 'AL-0001 Summary' },
  ] as const
  assert.deepEqual(ofHome({ law }), ['awaabsLawMissed 3 AL-0001 Repairs', 'awaabsLawMissed 4 AL-0001 Summary'])
  for (const mute of ['void', 'maintenance', 'disabled']) assert.ok(!mutesRule(mute, 'awaabsLawMissed'), mute)
})

test('checks of a property give the same events as those of a device without a property', () => {
  const standing = { ...never, state: 'Overdue', dueSince: 4, overdueSince: 6 } as const
  const both = { GasSafety: standing, WaterTreatment: standing }
  assert.deepEqual(ofHome({ records: both }), eventsOf({ product: 'BX', records: both }))
})

test('events come from faults, tests, checks and silent gateways', () => {
  // Failures of other families are tested below.
  const events = (bend: Partial<Facts>) =>
    signalTexts(bend).filter((one) => one.startsWith('ALERTABLEEVENT') && !one.includes('deviceFailed'))
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
      assert.equal(standing(type, state)[0], `ALERTABLEEVENT ${event} 4`)
    for (const state of ['InDate', 'NoRecord'] as const) assert.deepEqual(standing(type, state), [])
  }
  assert.deepEqual(events({ product: 'MG', connection: 'NotConnected' }), ['ALERTABLEEVENT gatewaySilent 1'])
  assert.deepEqual(events({ product: 'MG', open: [open('noContact', '', 9)] }), ['ALERTABLEEVENT noContact 9'])
  assert.deepEqual(events({ product: 'EM', connection: 'NotConnected' }), [])
  assert.deepEqual(events({ darkSince: 3 }), ['ALERTABLEEVENT lampDark 3'])
  assert.deepEqual(events({ darkSince: null }), ['ALERTABLEEVENT lampDark null'])
})

test('void properties, maintenance and disabled devices mute rules', () => {
  const mutes = (bend: Partial<Facts>) => signalTexts(bend).filter((one) => one.startsWith('MUTED'))
  assert.deepEqual(mutes({ isVoid: true }), ['MUTED void null'])
  assert.deepEqual(mutes({ open: [open('maintenance')] }), ['MUTED maintenance 5'])
  assert.deepEqual(mutes({ open: [open('disabledOther', '', 1), open('disabledNonPayment', '', 2)] }), [
    'MUTED disabled 1',
  ])
  assert.ok(mutesRule('maintenance', 'FailedEquipment'))
  assert.ok(!mutesRule('maintenance', 'PreventativeMaintenance'), 'it is what that rule tells of')
  assert.ok(mutesRule('void', 'PreventativeMaintenance'))
})

test('frost, leaks and carbon monoxide are never muted by void mode; frost reported by a device is not muted by maintenance either', () => {
  for (const danger of ['frostRisk', 'waterLeak', 'autofillLockout', 'carbonMonoxide']) {
    assert.ok(!mutesRule('void', danger), danger)
    assert.equal(mutesRule('maintenance', danger), danger !== 'frostRisk', danger)
  }
  for (const other of ['boilerLockout', 'heatingOff', 'deviceFailed', 'FailedEquipment'])
    assert.ok(mutesRule('void', other), other)
})

test('frost, leaks and carbon monoxide are recognised by event category, and frost also by a room near freezing', () => {
  const dangers = (bend: Partial<Facts>) => eventsOf(bend).filter((one) => /^(frost|waterL|carbon)/.test(one))
  const high = (category: string) => dangers({ product: 'BX', open: [open('highEvent', category, 5)] })
  const cases = [
    ['Carbon monoxide', ['carbonMonoxide 5']],
    ['CO alarm', ['carbonMonoxide 5']],
    ['Water leak', ['waterLeak 5']],
    ['Flood', ['waterLeak 5']],
    ['Frost protection', ['frostRisk 5']],
    ['Defrost', []],
    ['Corrosion', []],
    ['Battery failure', []],
  ] as const
  for (const [category, events] of cases) assert.deepEqual(high(category), events, category)
  assert.deepEqual(ofHome({ frostSince: 3 }), ['frostRisk 3'])
  assert.deepEqual(ofHome({ frostSince: null }), [])
})
