import assert from 'node:assert/strict'
import { test } from 'vitest'
import { askRegistry, readAudit } from './advisories.ts'

test('no shipped package has a published vulnerability of high or critical severity', async (t) => {
  const advice = await askRegistry()
  if ('unknown' in advice) return t.skip(`published holes are not known: ${advice.unknown}`)
  assert.deepEqual(advice.holes, [])
})

test('a serious vulnerability is listed with its package, a minor one is not, and no response is reported as unknown', () => {
  const via = [{ title: 'Prototype pollution', url: 'https://example.org/1' }, 'other']
  const found = { vulnerabilities: { one: { severity: 'critical', range: '<2', via }, two: { severity: 'moderate' } } }
  assert.deepEqual(readAudit(JSON.stringify(found)), {
    holes: ['one <2 (critical), Prototype pollution, https://example.org/1, through other'],
  })
  assert.deepEqual(readAudit('{"vulnerabilities": {}}'), { holes: [] })
  for (const unanswered of ['', 'npm error', '{}', '{"message": "405 Method Not Allowed", "error": {"summary": ""}}'])
    assert.ok('unknown' in readAudit(unanswered), unanswered)
})
