import assert from 'node:assert/strict'
import { test } from 'vitest'
import { byQuarter, counts, hitsIn, nextHit, passes } from './found.ts'
import { validMessagesSearch } from './messages-place.ts'

const message = (channel: 'state' | 'telemetry', more: object = {}) => ({
  ...{ channel, source: channel, message: '{"a":1}', parsedMessage: 'Firmware 1', notUnderstood: 0, refused: null },
  ...more,
})
const refused = { reason: 'not JSON', detail: '' }

test('filters count their messages; a rejected message also counts for its topic', () => {
  const all = [message('state'), message('telemetry', { refused }), message('state', { notUnderstood: 2 })]
  assert.deepEqual(counts(all), [
    { filter: 'telemetry', count: 1 },
    { filter: 'state', count: 2 },
    { filter: 'refused', count: 1 },
    { filter: 'not understood', count: 1 },
  ])
  assert.deepEqual(
    all.map((one) => passes(one, 'refused')),
    [false, true, false],
  )
})

test('a search covers topic, message and text, and wraps around', () => {
  const all = [message('state'), message('telemetry', { parsedMessage: 'Fault EA' }), message('state')]
  assert.deepEqual(hitsIn(all, 'fault'), [1])
  assert.deepEqual(hitsIn(all, 'STATE'), [0, 2])
  assert.deepEqual(hitsIn(all, 'ea telemetry'), [1])
  assert.deepEqual(hitsIn([message('state', { message: 'Café' })], 'CAFE'), [0])
  assert.deepEqual(hitsIn(all, '  '), [])
  assert.deepEqual([nextHit([0, 2], 0, true), nextHit([0, 2], 2, true), nextHit([0, 2], 0, false)], [2, 0, 2])
  assert.equal(nextHit([], 0, true), undefined)
})

test('messages are counted by quarters of an hour, whatever the length of the day', () => {
  const hour = 3_600_000
  const found = byQuarter([{ time: new Date(0).toISOString() }, { time: new Date(hour).toISOString() }], 0, 23 * hour)
  assert.deepEqual([found.length, found[0], found[4], found[5]], [92, 1, 1, 0])
})

test('the address keeps known parameters and no future day', () => {
  const read = (search: Record<string, unknown>) => validMessagesSearch(search, '2026-11-22')
  assert.deepEqual(read({ date: '2026-11-21', topic: 'state', find: 'x', message: 'm' }), {
    ...{ date: '2026-11-21', topic: 'state', find: 'x', message: 'm' },
  })
  for (const date of ['2026-11-22', '2026-11-23', 'today', 7]) assert.deepEqual(read({ date, topic: 'no' }), {})
})
