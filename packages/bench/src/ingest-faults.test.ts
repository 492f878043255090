import assert from 'node:assert/strict'
import { test } from 'vitest'
import { faultsOf, lossesOf } from './ingest-faults.ts'

const even = {
  ...{ messagesPerSecond: 20_000, p95: 90, p99: 140, unacknowledged: 0.2, waiting: 900, feedLag: 0.1 },
  memory: { server: 180, database: 300 },
}
const minutes = (change: (minute: number) => object) =>
  Array.from({ length: 10 }, (_, minute) => ({ ...even, ...change(minute) }))

test('ten steady minutes have no fault, nor do minutes with fluctuating figures', () => {
  assert.deepEqual(faultsOf(minutes(() => ({}))), [])
  assert.deepEqual(
    faultsOf(minutes((minute) => ({ messagesPerSecond: 20_000 + (minute % 2) * 3000, p95: 90 + (minute % 3) * 10 }))),
    [],
  )
})

test('each growing figure is a fault with its name', () => {
  const growing: [object, RegExp][] = [
    [{ memory: { server: 240, database: 300 } }, /server's memory .* from 180 to 240/],
    [{ memory: { server: 180, database: 700 } }, /database's memory/],
    [{ p95: 300 }, /acknowledgement/],
    [{ unacknowledged: 4 }, /oldest message/],
    [{ waiting: 5000 }, /number of waiting messages/],
    [{ feedLag: 3 }, /lag of the feed/],
    [{ messagesPerSecond: 12_000 }, /the rate falls from 20000 to 12000/],
  ]
  for (const [worse, expected] of growing) {
    const faults = faultsOf(minutes((minute) => (minute >= 7 ? worse : {})))
    assert.equal(faults.length, 1)
    assert.match(faults[0]!, expected)
  }
})

test('a figure beyond its alert limit is a fault in the shortest run', () => {
  assert.deepEqual(faultsOf([{ ...even, unacknowledged: 31, feedLag: 11 }]), [
    'unacknowledged 31 s (at most 30)',
    'feedLag 11 s (at most 10)',
  ])
})

test('messages without an acknowledgement, and acknowledged values not stored exactly once, are losses', () => {
  const whole = { sent: 1000, acknowledged: 1000, values: 2940, stored: { points: 2940, inRollUps: 2940 } }
  assert.deepEqual(lossesOf(whole), [])
  assert.deepEqual(lossesOf({ ...whole, acknowledged: 999 }), ['1 of 1000 messages were not acknowledged'])
  assert.deepEqual(lossesOf({ ...whole, stored: { points: 2937, inRollUps: 2943 } }), [
    '2940 values acknowledged, 2937 stored',
    '2940 values acknowledged, 2943 in the roll-ups',
  ])
})
