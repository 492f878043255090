import assert from 'node:assert/strict'
import { test } from 'vitest'
import { columnsOfFile } from './export-menu.tsx'

test('a file has the reason beside the status, once, and no other hidden columns', () => {
  const beside = { status: 'statusReason' }
  assert.deepEqual(columnsOfFile(['serial', 'status', 'floor'], beside), ['serial', 'status', 'statusReason', 'floor'])
  assert.deepEqual(columnsOfFile(['statusReason', 'status'], beside), ['statusReason', 'status'])
  assert.deepEqual(columnsOfFile(['serial', 'toString'], beside), ['serial', 'toString'])
  assert.deepEqual(columnsOfFile(['status']), ['status'])
})
