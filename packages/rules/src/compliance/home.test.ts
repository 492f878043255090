import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Appliance } from './home.ts'
import { checksOfHome } from './home.ts'
import { complianceGroups, complianceRank, complianceStates, defaultFigures } from './due.ts'

const today = '2026-11-27'
const passed = (day: string) => ({ day, status: 'Pass' as const })
const failed = (day: string) => ({ day, status: 'Fail' as const })
const boiler = (id: string, ...checks: Appliance['checks'][number][]): Appliance => ({ id, checks })

function homeWith(
  appliances: Appliance[],
  statedOn: string | null = null,
  type: 'GasSafety' | 'WaterTreatment' = 'GasSafety',
) {
  return checksOfHome({ type, appliances, statedOn }, today, defaultFigures[type])
}

test('the state of a property depends on its appliances, its records and its stated dates', () => {
  for (const [what, appliances, statedOn, state, dueOn] of [
    ['nothing that burns gas', [], null, undefined, undefined],
    ['a boiler without a record', [boiler('a')], null, 'NeverChecked', null],
    ['a date without a certificate, however far away', [boiler('a')], '2026-11-01', 'Stated', '2027-11-01'],
    ['a date without a certificate and no appliance', [], '2026-02-09', 'Stated', '2027-02-09'],
    ['a stated date on its last day', [boiler('a')], '2025-11-27', 'Due', '2026-11-27'],
    ['a stated date that is over', [boiler('a')], '2025-11-26', 'Overdue', '2026-11-26'],
    ['a record', [boiler('a', passed('2026-03-10'))], null, 'InDate', '2027-03-10'],
    [
      'a record and a later date without a certificate',
      [boiler('a', passed('2025-03-10'))],
      '2026-10-01',
      'Overdue',
      '2026-03-10',
    ],
    ['a record two months before its date', [boiler('a', passed('2026-01-27'))], null, 'Due', '2027-01-27'],
    [
      'a record two months and a day before its date',
      [boiler('a', passed('2026-01-28'))],
      null,
      'InDate',
      '2027-01-28',
    ],
    [
      'a failed check after one that passed',
      [boiler('a', passed('2026-03-10'), failed('2026-11-01'))],
      null,
      'Failed',
      '2027-03-10',
    ],
    [
      'one boiler in date and one never checked',
      [boiler('a', passed('2026-03-10')), boiler('b')],
      null,
      'NeverChecked',
      '2027-03-10',
    ],
    [
      'one boiler overdue and one failed',
      [boiler('a', passed('2025-03-10')), boiler('b', failed('2026-11-01'))],
      null,
      'Failed',
      '2026-03-10',
    ],
    [
      'one boiler in date and one stated',
      [boiler('a', passed('2026-03-10')), boiler('b')],
      '2026-02-09',
      'Stated',
      '2027-02-09',
    ],
  ] as const) {
    const { home } = homeWith([...appliances], statedOn)
    assert.deepEqual([home?.state, home?.dueOn], [state, dueOn], what)
  }
})

test('untreated water is no failure', () => {
  assert.equal(homeWith([boiler('a')], null, 'WaterTreatment').home?.state, 'NoRecord')
})

test('each appliance has a state, which a boiler shows as its own', () => {
  const { appliances } = homeWith([boiler('a', passed('2026-03-10')), boiler('b')], '2026-02-09')
  assert.deepEqual(
    [...appliances].map(([id, { state }]) => [id, state]),
    [
      ['a', 'InDate'],
      ['b', 'Stated'],
    ],
  )
})

test('a state changes without new records on the announced day', () => {
  const turns = (appliances: Appliance[], statedOn: string | null = null) =>
    homeWith(appliances, statedOn).home?.turnsOn
  assert.equal(turns([boiler('a', passed('2026-03-10'))]), '2027-01-10')
  // Near from two months before its date.
  assert.equal(turns([boiler('a')], '2026-02-09'), '2026-12-09')
  assert.equal(turns([boiler('a')]), null)
  assert.equal(turns([boiler('a', passed('2026-03-10')), boiler('b', passed('2026-01-01'))]), '2027-01-02')
  // A failed check also becomes overdue.
  assert.equal(turns([boiler('a', passed('2026-03-10'), failed('2026-11-03'))]), '2027-03-11')
  assert.equal(turns([boiler('a', passed('2025-03-10'), failed('2026-11-03'))]), null)
})

test('failed sorts before never checked, overdue, due and stated; only a record within its date is green', () => {
  const worstFirst = complianceStates.toSorted((a, b) => complianceRank(b) - complianceRank(a))
  assert.deepEqual(worstFirst, ['Failed', 'NeverChecked', 'Overdue', 'Due', 'Stated', 'InDate', 'NoRecord'])
  assert.deepEqual(
    complianceStates.filter((state) => complianceGroups[state] === 'Passed'),
    ['InDate'],
  )
  assert.deepEqual(
    complianceStates.filter((state) => complianceGroups[state] === 'Warning'),
    ['Stated', 'Due'],
  )
})
