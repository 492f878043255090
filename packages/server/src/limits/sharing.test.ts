import assert from 'node:assert/strict'
import { onTestFinished, test, vi } from 'vitest'
import type pg from 'pg'
import type { Allowances } from './allowance.ts'
import { refilled, take, whole } from './allowance.ts'
import { openSharing } from './sharing.ts'

const [limit, minute] = [3000, 60_000]

/** Processes with test clocks that inform each other; each with a function that tries one more call of a caller. */
function processes(many: number) {
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.UTC(2026, 10, 22) })
  const sent: string[] = []
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
      sent.push(...payloads)
      for (const payload of payloads) for (const { sharing } of all) sharing.hear(payload)
    },
  } as unknown as pg.ClientBase
  for (const { sharing } of all) sharing.connect(connection)
  return { all, sent, connection }
}

/**
 * How many calls are accepted from a caller who makes this many per minute for some minutes, each to the chosen
 * process.
 */
function calls(takes: (at: number) => boolean, aMinute: number, minutes = 10): number {
  let taken = 0
  for (let at = 0; at < aMinute * minutes; at++) {
    taken += Number(takes(at))
    if (at % 10 === 0) vi.advanceTimersByTime((10 * minute) / aMinute)
  }
  return taken
}

for (const many of [1, 3, 8])
  test(`a caller at ${many + 1} times the allowed rate gets the allowed rate from ${many} processes together`, () => {
    const { all } = processes(many)
    const taken = calls((at) => all[at % many]!.takes('somebody'), limit * (many + 1))
    // The full initial allowance, and the one refilled in ten minutes.
    assert.ok(taken > limit * 10.5 && taken < limit * 11.5, `${taken} calls`)
  })

test('a caller within the limit is never rejected, whether spread over processes, at one, or at each for a while', () => {
  const { all } = processes(3)
  const aMinute = limit * 0.95
  for (const processOf of [(at: number) => at % 3, () => 0, (at: number) => Math.floor(at / 5000) % 3])
    assert.equal(
      calls((at) => all[processOf(at)]!.takes('somebody'), aMinute),
      aMinute * 10,
    )
})

test('the whole allowance may be used at once, also across processes', () => {
  const { all } = processes(3)
  for (let at = 0; at < limit; at++) assert.ok(all[at % 3]!.takes('somebody'))
  vi.advanceTimersByTime(1000)
  assert.ok(all.every(({ takes }) => takes('another')))
  // The allowance refilled within the second.
  assert.ok(all.filter(({ takes }) => takes('somebody')).length)
})

test('what three processes accepted before they informed each other blocks nobody for long', () => {
  const { all } = processes(3)
  for (const { takes } of all) for (let at = 0; at < limit; at++) assert.ok(takes('somebody'))
  vi.advanceTimersByTime(1000)
  assert.ok(all.every(({ takes }) => !takes('somebody')))
  vi.advanceTimersByTime(minute * 0.26)
  assert.ok(all.every(({ takes }) => takes('somebody')))
})

test('others are informed once a second, and rarely about callers with few calls', () => {
  const { all, sent } = processes(2)
  for (let at = 0; at < limit; at++) all[0]!.takes('somebody')
  for (let at = 0; at < 10; at++) all[0]!.takes('another')
  assert.equal(sent.length, 0)
  vi.advanceTimersByTime(1000)
  assert.match(sent.join('\n\n'), /^[\w-]{36}\nsomebody 3000$/)
  calls(() => all[0]!.takes('another'), 60, 10)
  assert.equal(sent.length, 1 + Math.floor(610 / 30))
})

test('without a connection each process counts alone, and does not report that later', () => {
  const { all, sent, connection } = processes(2)
  const [first, second] = all as [(typeof all)[0], (typeof all)[0]]
  first.sharing.connect(undefined)
  for (let at = 0; at < limit; at++) assert.ok(first.takes('somebody'))
  assert.ok(!first.takes('somebody'))
  first.sharing.connect(connection)
  vi.advanceTimersByTime(1000)
  assert.deepEqual(sent, [])
  assert.ok(second.takes('somebody'))
})

test('an announcement in the format of another version is ignored', () => {
  const { all } = processes(1)
  for (const payload of ['', 'x', 'x\n', 'x\nsomebody', 'x\nsomebody -5000', 'x\nsomebody many'])
    all[0]!.sharing.hear(payload)
  for (let at = 0; at < limit; at++) assert.ok(all[0]!.takes('somebody'))
})
