import assert from 'node:assert/strict'
import { test } from 'vitest'
import { stepperBounds, typedInto } from '../forms/stepper.ts'
import {
  architypes,
  awaabsLawStatuses,
  chemicalTestChoices,
  countWords,
  monitoringOfHome,
  propertyReferenceFault,
  testDayFault,
} from './details.ts'

test('a reference has at most 30 characters and may be empty [est-5-8] [est-5-9] [est-5-44]', () => {
  for (const fine of ['', 'NG-1', 'x'.repeat(30)]) assert.equal(propertyReferenceFault(fine), undefined)
  assert.equal(propertyReferenceFault('x'.repeat(31)), 'Property reference must be under 30 characters')
})

test('a check is not in the future and has no two-digit year [est-5-27] [est-5-28]', () => {
  assert.equal(testDayFault('2026-11-22', '2026-11-22'), undefined)
  assert.equal(testDayFault('2024-02-29', '2026-11-22'), undefined)
  assert.equal(testDayFault('2026-11-23', '2026-11-22'), 'A date cannot be later than today')
  assert.ok(testDayFault('0026-11-22', '2026-11-22'))
})

test('the choices are those of the law and of the form', () => {
  assert.deepEqual(awaabsLawStatuses, ['None', 'Investigation', 'Summary', 'Repairs', 'Audit', 'Feedback'])
  assert.deepEqual(chemicalTestChoices, ['Same as Gas Safety Test', 'Different Date'])
  assert.equal(architypes.length, 6)
  assert.deepEqual([1, 9, 10].map(countWords), ['1', '9', '10+'])
})

test('the heating of a property is what its devices monitor', () => {
  assert.equal(monitoringOfHome([null, 'Boiler']), 'Boiler')
  assert.equal(monitoringOfHome(['Boiler', 'HeatPump']), 'HeatPump')
  assert.equal(monitoringOfHome([null, 'None', 'Unknown']), 'None')
})

test('a stepper goes from 0 to 100 by 1 by default [est-5-20]', () => {
  assert.deepEqual(stepperBounds, { min: 0, max: 100, step: 1 })
})

test('a typed value out of range keeps the previous one [est-5-23]', () => {
  assert.equal(typedInto('5', '101', stepperBounds), '5')
  assert.equal(typedInto('5', '-1', stepperBounds), '5')
  assert.equal(typedInto('5', '1.5', stepperBounds), '5')
  assert.equal(typedInto('5', '100', stepperBounds), '100')
})

test('a typed 0 is accepted, whatever the range [est-5-24]', () => {
  assert.equal(typedInto('5', '0', { min: 1, max: 10 }), '0')
  assert.equal(typedInto('5', '', { min: 1, max: 10 }), '0')
})
