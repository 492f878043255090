import assert from 'node:assert/strict'
import { test } from 'vitest'
import { stateDocumentation } from './state-documentation.ts'
import { stateFields } from './state-fields.ts'

test('every field of the reported state is documented, and no other', () => {
  assert.deepEqual(Object.keys(stateDocumentation).toSorted(), Object.keys(stateFields).toSorted())
})
