import assert from 'node:assert/strict'
import { onTestFinished, test, vi } from 'vitest'
import type pg from 'pg'
import type { Allowances } from './allowance.ts'
import { refilled, take, whole } from './allowance.ts'
import { openSharing } from './sharing.ts'

const [limit, minute] = [3000, 60_000]

/** Processes that count on clocks of the test and hear of each other, each with whether it takes one more of a caller. */
function processes(many: number) {
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.UTC(2026, 10, 22) })
  const told: string[] = []
  const open = () => {
    const callers = new Map<string, Allowances<'calls'>>()
    const find = (caller: string) => callers.get(caller) ?? callers.set(caller, {}).get(caller)!
    const sharing = openSharing({ channel: 'test', limits: { calls: limit }, over: minute, find })
    const takes = (caller: string) => {
      const calls = (find(caller).calls ??= whole(limit, Date.now()))
      if (refilled(calls, limit, Date.now(), minute) < 1) return false
      take(calls, 1)
      sharing.took(caller, find(caller))
      return true
    }
    return { sharing, takes }
  }
  const all = Array.from({ length: many }, open)
  const connection = {
    query: async (_text: string, [, payloads]: [string, string[]]) => {
      told.push(...payloads)
      for (const payload of payloads) for (const { sharing } of all) sharing.hear(payload)
    },
  } as unknown as pg.ClientBase
  for (const { sharing } of all) sharing.connect(connection)
  return { all, told, connection }
}

/** How many calls are taken of one who makes so many a minute for some minutes, each to the process that is chosen. */
function calls(takes: (at: number) => boolean, aMinute: number, minutes = 10): number {
  let taken = 0
  for (let at = 0; at < aMinute * minutes; at++) {
    taken += Number(takes(at))
    if (at % 10 === 0) vi.advanceTimersByTime((10 * minute) / aMinute)
  }
  return taken
}

for (const many of [1, 3, 8])
  test(`who calls ${many + 1} times as often as allowed gets what is allowed from ${many} processes together`, () => {
    const { all } = processes(many)
    const taken = calls((at) => all[at % many]!.takes('somebody'), limit * (many + 1))
    // The whole allowance of the beginning, and what grew back in ten minutes.
    assert.ok(taken > limit * 10.5 && taken < limit * 11.5, `${taken} calls`)
  })

test('who is within the limit is never refused, whether spread over processes, at one, or at each for a while', () => {
  const { all } = processes(3)
  const aMinute = limit * 0.95
  for (const processOf of [(at: number) => at % 3, () => 0, (at: number) => Math.floor(at / 5000) % 3])
    assert.equal(
      calls((at) => all[processOf(at)]!.takes('somebody'), aMinute),
      aMinute * 10,
    )
})

test('all of it may be taken at once, of several processes too', () => {
  const { all } = processes(3)
  for (let at = 0; at < limit; at++) assert.ok(all[at % 3]!.takes('somebody'))
  vi.advanceTimersByTime(1000)
  assert.ok(all.every(({ takes }) => takes('another')))
  // What grew back in the second.
  assert.ok(all.filter(({ takes }) => takes('somebody')).length)
})

test('what three processes took before they heard of each other keeps nobody out for long', () => {
  const { all } = processes(3)
  for (const { takes } of all) for (let at = 0; at < limit; at++) assert.ok(takes('somebody'))
  vi.advanceTimersByTime(1000)
  assert.ok(all.every(({ takes }) => !takes('somebody')))
  vi.advanceTimersByTime(minute * 0.26)
  assert.ok(all.every(({ takes }) => takes('somebody')))
})

test('others are told once a second, and of callers who make few calls seldom', () => {
  const { all, told } = processes(2)
  for (let at = 0; at < limit; at++) all[0]!.takes('somebody')
  for (let at = 0; at < 10; at++) all[0]!.takes('another')
  assert.equal(told.length, 0)
  vi.advanceTimersByTime(1000)
  assert.match(told.join('\n\n'), /^[\w-]{36}\nsomebody 3000$/)
  calls(() => all[0]!.takes('another'), 60, 10)
  assert.equal(told.length, 1 + Math.floor(610 / 30))
})

test('without a connection each process counts for itself, and tells nothing of that later', () => {
  const { all, told, connection } = processes(2)
  const [first, second] = all as [(typeof all)[0], (typeof all)[0]]
  first.sharing.connect(undefined)
  for (let at = 0; at < limit; at++) assert.ok(first.takes('somebody'))
  assert.ok(!first.takes('somebody'))
  first.sharing.connect(connection)
  vi.advanceTimersByTime(1000)
  assert.deepEqual(told, [])
  assert.ok(second.takes('somebody'))
})

test('an announcement of another version that says something else is passed over', () => {
  const { all } = processes(1)
  for (const payload of ['', 'x', 'x\n', 'x\nsomebody', 'x\nsomebody -5000', 'x\nsomebody many'])
    all[0]!.sharing.hear(payload)
  for (let at = 0; at < limit; at++) assert.ok(all[0]!.takes('somebody'))
})
