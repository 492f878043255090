import assert from 'node:assert/strict'
import { test } from 'vitest'
import { faultsOf } from './ingest.ts'

const even = {
  ...{ messagesPerSecond: 20_000, p95: 90, p99: 140, unacknowledged: 0.2, waiting: 900, feedLag: 0.1 },
  memory: { server: 180, database: 300 },
}
const minutes = (change: (minute: number) => object) =>
  Array.from({ length: 10 }, (_, minute) => ({ ...even, ...change(minute) }))

test('ten minutes of the same are well, and what moves to and fro', () => {
  assert.deepEqual(faultsOf(minutes(() => ({}))), [])
  assert.deepEqual(
    faultsOf(minutes((minute) => ({ messagesPerSecond: 20_000 + (minute % 2) * 3000, p95: 90 + (minute % 3) * 10 }))),
    [],
  )
})

test('whatever grows is told, each by its name', () => {
  const growing: [object, RegExp][] = [
    [{ memory: { server: 240, database: 300 } }, /server's memory .* from 180 to 240/],
    [{ memory: { server: 180, database: 700 } }, /database's memory/],
    [{ p95: 300 }, /acknowledgement/],
    [{ unacknowledged: 4 }, /oldest message/],
    [{ waiting: 5000 }, /what waits/],
    [{ feedLag: 3 }, /lag of the feed/],
    [{ messagesPerSecond: 12_000 }, /the rate falls from 20000 to 12000/],
  ]
  for (const [worse, said] of growing) {
    const faults = faultsOf(minutes((minute) => (minute >= 7 ? worse : {})))
    assert.equal(faults.length, 1)
    assert.match(faults[0]!, said)
  }
})

test('what is beyond the bound of its alert is told of the shortest run', () => {
  assert.deepEqual(faultsOf([{ ...even, unacknowledged: 31, feedLag: 11 }]), [
    'unacknowledged 31 s (at most 30)',
    'feedLag 11 s (at most 10)',
  ])
})
