import type { TestType } from '@caretaker/rules/lighting/tests.ts'
import { minutesOf } from '@caretaker/rules/lighting/tests.ts'

/** The status bytes of a light that proves a test: no failure, a valid result, and ten minutes more than the test asks for. */
export const proofOf = (testType: TestType) => ({
  failure: 0,
  emergency: 0b110,
  ...(minutesOf[testType] > 0 && { durationResult: minutesOf[testType] / 2 + 5 }),
})
