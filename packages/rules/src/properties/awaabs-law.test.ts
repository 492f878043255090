import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import {
  awaabsLawDue,
  awaabsLawSteps,
  correctedSteps,
  defaultAwaabsLaw,
  hazardOf,
  isKnownHazard,
  openCase,
  stagesOf,
  stepDayFault,
} from './awaabs-law.ts'
import type { AwaabsLawStatus } from './details.ts'

const steps = (...given: [AwaabsLawStatus, string][]) => given.map(([status, on]) => ({ status, on }))
const due = (...given: [AwaabsLawStatus, string][]) => awaabsLawDue(steps(...given), defaultAwaabsLaw)

test('an investigation is due in 10 working days, over Christmas later', () => {
  assert.equal(due(['Investigation', '2026-11-05']), '2026-11-19')
  assert.equal(due(['Investigation', '2026-12-18']), '2027-01-06')
})

test('summary and repairs are counted from the end of the investigation', () => {
  assert.equal(due(['Investigation', '2026-11-05'], ['Summary', '2026-11-16']), '2026-11-19')
  assert.equal(due(['Investigation', '2026-11-05'], ['Summary', '2026-11-16'], ['Repairs', '2026-11-18']), '2026-11-23')
  assert.equal(due(['Repairs', '2026-11-18']), '2026-11-25')
})

test('no day is named for an audit, for feedback, or without a case', () => {
  assert.equal(due(['Audit', '2026-11-18']), null)
  assert.equal(due(['Feedback', '2026-11-18']), null)
  assert.equal(due(), null)
  assert.equal(due(['Investigation', '2026-11-05'], ['None', '2026-11-06']), null)
})

test('a case that was closed says nothing of the next one', () => {
  const all = steps(['Investigation', '2026-01-05'], ['None', '2026-02-01'], ['Repairs', '2026-11-18'])
  assert.deepEqual(openCase(all), steps(['Repairs', '2026-11-18']))
})

test('an organisation has its own figures', () => {
  assert.equal(
    awaabsLawDue(steps(['Investigation', '2026-11-05']), { ...defaultAwaabsLaw, investigation: 5 }),
    '2026-11-12',
  )
  assert.deepEqual(awaabsLawSteps, ['Investigation', 'Summary', 'Repairs', 'Audit', 'Feedback'])
})

test('a hazard counts from the day on which the law knows it; one that nobody has named is taken to be known', () => {
  const known = [
    ['Damp and mould', '2025-10-26', false],
    ['Damp and mould', '2025-10-27', true],
    ['Excess cold', '2026-11-29', false],
    ['Excess cold', '2026-11-30', true],
    ['Another hazard', '2027-12-31', false],
    [null, '2026-01-01', true],
  ] as const
  for (const [hazard, on, is] of known) assert.equal(isKnownHazard(hazard, on), is, `${hazard} on ${on}`)
})

test('no day is due by law in a case that began before it knew the hazard', () => {
  const cold = (on: string) => [{ status: 'Investigation' as const, on, hazard: 'Excess cold' as const }]
  assert.equal(awaabsLawDue(cold('2026-11-27'), defaultAwaabsLaw), null)
  assert.equal(awaabsLawDue(cold('2026-12-01'), defaultAwaabsLaw), '2026-12-15')
  // The hazard holds for later steps, in which nobody says it again, and not for another case.
  const later = [...cold('2026-11-27'), { status: 'Summary' as const, on: '2026-12-04' }]
  assert.equal(awaabsLawDue(later, defaultAwaabsLaw), null)
  assert.equal(hazardOf(later), 'Excess cold')
  const next = [...later, ...steps(['None', '2026-12-10'], ['Investigation', '2026-12-11'])]
  assert.equal(hazardOf(next), null)
})

test('what is said of a step later moves no day: the law counts from when it was first so', () => {
  const said = { status: 'Investigation' as const, on: '2026-11-12', hazard: 'Damp and mould' as const }
  const investigating = [...steps(['Investigation', '2026-11-05']), said]
  assert.equal(awaabsLawDue(investigating, defaultAwaabsLaw), '2026-11-19')
  const repairing = [
    ...investigating,
    ...steps(['Repairs', '2026-11-16']),
    { ...said, status: 'Repairs' as const, on: '2026-11-20' },
  ]
  assert.equal(awaabsLawDue(repairing, defaultAwaabsLaw), '2026-11-23')
  assert.deepEqual(
    stagesOf(repairing).map(({ status, on }) => [status, on]),
    [
      ['Investigation', '2026-11-05'],
      ['Repairs', '2026-11-16'],
    ],
  )
  // Of an investigation that is taken up again after another step the law counts anew.
  assert.equal(
    due(['Investigation', '2026-11-05'], ['Summary', '2026-11-09'], ['Investigation', '2026-11-16']),
    '2026-11-30',
  )
})

describe('the day of a step', () => {
  const entries = [
    { id: 'a', status: 'Investigation' as const, on: '2026-11-05' },
    { id: 'b', status: 'Summary' as const, on: '2026-11-16' },
    { id: 'c', status: 'Investigation' as const, on: '2026-11-03', corrects: 'a' },
  ]

  test('is the one to which it was corrected last, and what was entered stays', () => {
    const known = (some: typeof entries) => correctedSteps(some).map(({ id, on }) => [id, on])
    assert.deepEqual(known(entries), [
      ['a', '2026-11-03'],
      ['b', '2026-11-16'],
    ])
    const again = [...entries, { id: 'd', status: 'Investigation' as const, on: '2026-11-04', corrects: 'a' }]
    assert.deepEqual(known(again)[0], ['a', '2026-11-04'])
    assert.equal(entries[0]!.on, '2026-11-05')
    assert.equal(awaabsLawDue(correctedSteps(entries.toSpliced(1, 1)), defaultAwaabsLaw), '2026-11-17')
  })

  test('lies between those of the steps around it, and not in the future', () => {
    const known = correctedSteps(entries)
    const today = '2026-11-24'
    const given = [
      ['2026-11-24', undefined, undefined],
      ['2026-11-16', undefined, undefined],
      ['2026-11-15', undefined, /before it, which was on 16\/11\/2026/],
      ['2026-11-25', undefined, /later than today/],
      ['0026-11-20', undefined, /DD\/MM\/YYYY/],
      ['2026-11-16', known[0], undefined],
      ['2026-11-17', known[0], /after it, which was on 16\/11\/2026/],
      ['2026-11-02', known[1], /before it, which was on 03\/11\/2026/],
      ['2026-11-20', known[1], undefined],
    ] as const
    // What was said of a step on a later day is no step before the next.
    const said = [...known, { id: 'd', status: 'Summary' as const, on: '2026-11-23' }]
    assert.equal(stepDayFault(said, { on: '2026-11-17', today }), undefined)
    assert.equal(stepDayFault(said, { on: '2026-11-24', today, corrected: said[1] }), undefined)
    assert.equal(stepDayFault([], { on: '2026-11-17', today }), undefined)
    // Nothing comes before the first one.
    assert.equal(stepDayFault(known, { on: '2026-01-02', today, corrected: known[0] }), undefined)
    for (const [on, corrected, fault] of given)
      assert.match(stepDayFault(known, { on, today, corrected }) ?? '', fault ?? /^$/, on)
  })
})
