import { sql } from 'kysely'
import type { TestResult } from '@caretaker/rules/lighting/tests.ts'

/** The result that a `test` counts as: a disputed test counts as before until an administrator decides. */
export const countedResult = sql<TestResult>`coalesce(test.disputed ->> 'result', test.result)`
