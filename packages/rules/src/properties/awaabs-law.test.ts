import assert from 'node:assert/strict'
import { test } from 'node:test'
import { awaabsLawDue, awaabsLawSteps, defaultAwaabsLaw, openCase } from './awaabs-law.ts'
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
