import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { BulkPlan } from './bulk-run.ts'
import { bulkRun } from './bulk-run.ts'

const ids = (count: number) => Array.from({ length: count }, (_, at) => `d${at}`)
const plan = (send: BulkPlan['send']): BulkPlan => ({
  chunk: 25,
  parallel: 3,
  begin: async () => {},
  giveUp: async () => {},
  send,
  failureOf: (error) => (error as Error).message,
})

test('devices are sent in parts, each once, and no more parts at a time than allowed', async () => {
  const sent: string[] = []
  let [now, most] = [0, 0]
  const send: BulkPlan['send'] = async (part) => {
    most = Math.max(most, ++now)
    assert.ok(part.length <= 25)
    sent.push(...part)
    await new Promise((resolve) => setImmediate(resolve))
    now--
    return part.map((deviceId) => ({ deviceId }))
  }
  const run = bulkRun(ids(240), plan(send), () => {})
  assert.deepEqual(run.counts(), { done: 0, failed: 0, loading: 240 })
  await run.send(ids(240))
  assert.deepEqual(sent.toSorted(), ids(240).toSorted())
  assert.equal(most, 3)
  assert.deepEqual(run.counts(), { done: 240, failed: 0, loading: 0 })
})

test('each device has its own outcome, and only those that failed are sent again', async () => {
  const sent: string[][] = []
  const send: BulkPlan['send'] = async (part) => {
    sent.push(part)
    if (part.includes('d30')) throw new Error('no answer')
    return part
      .filter((deviceId) => deviceId !== 'd2')
      .map((deviceId) => (deviceId === 'd1' && sent.length < 3 ? { deviceId, error: 'busy' } : { deviceId }))
  }
  const run = bulkRun(ids(31), plan(send), () => {})
  await run.send(ids(31))
  assert.deepEqual(run.outcomeOf('d0'), { state: 'success' })
  assert.deepEqual(run.outcomeOf('d1'), { state: 'error', message: 'busy' })
  // Missing in the response, which is not a success.
  assert.equal(run.outcomeOf('d2').state, 'error')
  for (const id of ids(31).slice(25)) assert.deepEqual(run.outcomeOf(id), { state: 'error', message: 'no answer' })
  assert.deepEqual(run.counts(), { done: 23, failed: 8, loading: 0 })
  const again = run.failed()
  assert.deepEqual(again, ['d1', 'd2', ...ids(31).slice(25)])
  await run.send(['d1'])
  assert.deepEqual(sent.at(-1), ['d1'])
  assert.deepEqual(run.outcomeOf('d1'), { state: 'success' })
  assert.deepEqual(run.counts(), { done: 24, failed: 7, loading: 0 })
})

test('devices are pending while they are sent again', async () => {
  let answer = () => {}
  const send: BulkPlan['send'] = (part) =>
    new Promise((resolve) => (answer = () => resolve(part.map((deviceId) => ({ deviceId, error: 'busy' })))))
  const seen: number[] = []
  const run = bulkRun(['d0'], plan(send), () => seen.push(run.counts().loading))
  const asked = () => new Promise((resolve) => setImmediate(resolve))
  const first = run.send(['d0'])
  await asked()
  answer()
  await first
  assert.deepEqual(run.failed(), ['d0'])
  const second = run.send(['d0'])
  assert.deepEqual(run.outcomeOf('d0'), { state: 'loading' })
  await asked()
  answer()
  await second
  assert.deepEqual(seen, [1, 0, 1, 0])
})

test('nothing is sent before the server has registered the action, and registration is retried only until it succeeds', async () => {
  const calls: string[] = []
  let fails = true
  const begun: BulkPlan = {
    ...plan(async (part) => {
      calls.push(...part)
      return part.map((deviceId) => ({ deviceId }))
    }),
    begin: async (all) => {
      if (fails) throw new Error('no answer')
      calls.push(`begin ${all.length}`)
    },
  }
  const run = bulkRun(ids(2), begun, () => {})
  await run.send(ids(2))
  assert.deepEqual([calls, run.failed()], [[], ids(2)])
  assert.deepEqual(run.outcomeOf('d0'), { state: 'error', message: 'no answer' })
  fails = false
  await run.send(['d0'])
  await run.send(['d1'])
  assert.deepEqual(calls, ['begin 2', 'd0', 'd1'])
})

test('devices without an answer are given up, so that the action does not run after the page has reported a failure', async () => {
  let [given, fails] = [0, true]
  const plans: BulkPlan = {
    ...plan(async (part) => {
      if (fails) throw new Error('no answer')
      return part.map((deviceId) => ({ deviceId }))
    }),
    giveUp: async () => void given++,
  }
  const run = bulkRun(ids(2), plans, () => {})
  await run.send(ids(2))
  assert.deepEqual([given, run.failed()], [1, ids(2)])
  fails = false
  await run.send(ids(2))
  assert.deepEqual([given, run.failed()], [1, []])
})
