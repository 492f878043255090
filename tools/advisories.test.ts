import assert from 'node:assert/strict'
import { test } from 'vitest'
import { askRegistry, readAudit } from './advisories.ts'

test('no package that ships has a published hole that is high or critical', async (t) => {
  const advice = await askRegistry()
  if ('unknown' in advice) return t.skip(`published holes are not known: ${advice.unknown}`)
  assert.deepEqual(advice.holes, [])
})

test('a serious hole is named with its package, a small one is not, and no answer is no clean bill', () => {
  const via = [{ title: 'Prototype pollution', url: 'https://example.org/1' }, 'other']
  const found = { vulnerabilities: { one: { severity: 'critical', range: '<2', via }, two: { severity: 'moderate' } } }
  assert.deepEqual(readAudit(JSON.stringify(found)), {
    holes: ['one <2 (critical), Prototype pollution, https://example.org/1, through other'],
  })
  assert.deepEqual(readAudit('{"vulnerabilities": {}}'), { holes: [] })
  for (const unanswered of ['', 'npm error', '{}', '{"message": "405 Method Not Allowed", "error": {"summary": ""}}'])
    assert.ok('unknown' in readAudit(unanswered), unanswered)
})
