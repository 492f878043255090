import { sql } from 'kysely'
import type { TestResult } from '@caretaker/rules/lighting/tests.ts'

/** The result that a `test` counts as: a disputed one counts as it did until an administrator has decided. */
export const countedResult = sql<TestResult>`coalesce(test.disputed ->> 'result', test.result)`
