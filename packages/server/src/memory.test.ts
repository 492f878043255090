import assert from 'node:assert/strict'
import { test } from 'vitest'
import { scarceMemory } from './memory.ts'

const mb = (megabytes: number) => megabytes * 1_048_576

test('less memory than the minimum is reported, of the machine or of its container', () => {
  assert.equal(scarceMemory({ limit: mb(300), total: mb(16_000) }), 300)
  assert.equal(scarceMemory({ limit: 0, total: mb(300) }), 300)
  assert.equal(scarceMemory({ limit: 2 ** 63, total: mb(300) }), 300)
  assert.equal(scarceMemory({ limit: mb(512), total: mb(16_000) }), undefined)
  assert.equal(scarceMemory({ limit: 0, total: mb(4000) }), undefined)
})
