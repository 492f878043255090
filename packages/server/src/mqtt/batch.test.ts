import assert from 'node:assert/strict'
import { test } from 'vitest'
import pino from 'pino'
import { blamesData, openBatch } from './batch.ts'

const log = pino({ level: 'silent' })
const failed = (code: string, message = '') => Object.assign(new Error(message), { code })

function recorder(write: (items: number[], attempt: number) => void, rejected: number[] = []) {
  const written: number[][] = []
  const stored: number[] = []
  const refused: [number, boolean][] = []
  let attempt = 0
  const batch = openBatch<number>({
    write: async (items) => {
      write(items, attempt++)
      written.push(items)
      return items.filter((item) => rejected.includes(item))
    },
    stored: (items) => stored.push(...items),
    refused: (item, error) => refused.push([item, error !== undefined]),
    full: 4,
    wait: 1,
    log,
  })
  return { batch, written, stored, refused }
}

test('items are written in batches, in order, up to the maximum size', async () => {
  const { batch, written, stored } = recorder(() => {})
  for (let n = 0; n < 10; n++) batch.add(n)
  assert.equal(batch.size(), 10)
  assert.equal(await batch.drain(5000), true)
  assert.deepEqual(written, [
    [0, 1, 2, 3],
    [4, 5, 6, 7],
    [8, 9],
  ])
  assert.deepEqual(stored, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  assert.equal(batch.size(), 0)
})

test('a batch waits while the database is unreachable, and later batches do not overtake it', async () => {
  const { batch, written, stored } = recorder((items, attempt) => {
    if (attempt < 3) throw failed('57P01', 'terminating connection')
    assert.ok(stored.length === (items[0] === 0 ? 0 : 4))
  })
  for (let n = 0; n < 8; n++) batch.add(n)
  assert.equal(await batch.drain(5000), true)
  assert.deepEqual(written, [
    [0, 1, 2, 3],
    [4, 5, 6, 7],
  ])
})

test('an item that cannot be stored is rejected and the others of its batch are stored', async () => {
  const { batch, stored, refused } = recorder((items) => {
    if (items.includes(2)) throw failed('22P05')
  })
  for (let n = 0; n < 6; n++) batch.add(n)
  await batch.drain(5000)
  assert.deepEqual(stored, [0, 1, 3, 4, 5])
  assert.deepEqual(refused, [[2, true]])
})

test('items of unknown devices are rejected after the others are stored', async () => {
  const { batch, stored, refused } = recorder(() => {}, [1])
  for (let n = 0; n < 3; n++) batch.add(n)
  await batch.drain(5000)
  assert.deepEqual([stored, refused], [[0, 2], [[1, false]]])
})

test('a drain that times out completes no items', async () => {
  const { batch, stored } = recorder(() => {
    throw failed('ECONNREFUSED')
  })
  batch.add(1)
  assert.equal(await batch.drain(100), false)
  assert.deepEqual(stored, [])
})

test('only errors caused by the data itself reject an item', () => {
  const data = [failed('22P02'), failed('23503'), failed('54001'), new TypeError('x'), new RangeError('x')]
  const trouble = [
    failed('57P01'),
    failed('08006'),
    failed('40P01'),
    failed('53100'),
    failed('42P01'),
    failed('23514', 'no partition of relation "point" found for row'),
    failed('ECONNRESET'),
    new Error('Connection terminated unexpectedly'),
    new Error('timeout exceeded when trying to connect'),
  ]
  assert.deepEqual(
    data.map(blamesData),
    data.map(() => true),
  )
  assert.deepEqual(
    trouble.map(blamesData),
    trouble.map(() => false),
  )
})
