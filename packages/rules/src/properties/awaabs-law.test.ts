import assert from 'node:assert/strict'
import { test } from 'node:test'
import { awaabsLawDue, awaabsLawSteps, defaultAwaabsLaw, hazardOf, isKnownHazard, openCase } from './awaabs-law.ts'
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
