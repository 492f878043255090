import type { TestType } from '@caretaker/rules/lighting/tests.ts'
import { minutesOf } from '@caretaker/rules/lighting/tests.ts'

/**
 * The status bytes of a light that prove a test: no failure, a valid result, and ten minutes more than the test
 * requires.
 */
export const proofOf = (testType: TestType) => ({
  failure: 0,
  emergency: 0b110,
  ...(minutesOf[testType] > 0 && { durationResult: minutesOf[testType] / 2 + 5 }),
})
