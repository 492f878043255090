import assert from 'node:assert/strict'
import { test } from 'vitest'
import { Position, Since } from './changes.ts'

test('only a database snapshot is a valid position', () => {
  for (const good of ['1:1:-0', '748:752:-1790000000000', '748:752:748,750-1790000000000', '7:9:8-1'])
    assert.equal(Position.safeParse(good).success, true, good)
  for (const bad of [
    '',
    '0:1:-0',
    '9:8:-0',
    '7:9:9-0',
    '7:9:6-0',
    '7:99:8,8-0',
    '7:99:9,8-0',
    '7:9:8,-0',
    "7:9:'-0",
    7,
  ])
    assert.equal(Position.safeParse(bad).success, false, String(bad))
})

test('a date is read to the microsecond', () => {
  const ms = Date.parse('2026-11-21T10:00:00.123Z')
  assert.equal(Since.parse('2026-11-21T10:00:00.123456Z'), ms * 1000 + 456)
  assert.equal(Since.parse('2026-11-21T12:00:00.1234+02:00'), ms * 1000 + 400)
  assert.equal(Since.parse('2026-11-21T10:00:00.123Z'), ms * 1000)
  assert.equal(Since.parse(ms), ms * 1000)
  assert.equal(Since.safeParse('yesterday').success, false)
})
