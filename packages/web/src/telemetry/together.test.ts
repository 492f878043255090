import assert from 'node:assert/strict'
import { onTestFinished, test, vi } from 'vitest'
import { CallError, parseCallFailure } from '@caretaker/contract/error-texts.ts'
import type { CardAnswer, CardWanted } from './source.ts'
import { fetchTogether } from './together.ts'

const wanted = (id: string, type: CardWanted['card']['type'] = 'numericCard', from = 1, again = false): CardWanted => ({
  view: 'property',
  card: { id, type, deviceIds: id === 'rooms' ? ['one', 'other'] : ['one'] },
  range: { from, to: 9 },
  again,
})
const never = new AbortController().signal
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Fake timers: batching depends on milliseconds. */
function stopClock() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

/** A card fetcher and its calls; the named ones fail with their status. */
function fetching(failing: Record<string, number> = {}) {
  const calls: string[][] = []
  const signals: AbortSignal[] = []
  const fetchCard = fetchTogether(async (all, signal) => {
    const ids = all.map(({ card }) => card.id)
    calls.push(ids)
    signals.push(signal)
    await sleep(20)
    const status = ids.map((id) => failing[id]).find(Boolean)
    if (status) throw new CallError(parseCallFailure(status, {}))
    return ids.map((id) => (id === 'nothing' ? null : ({ from: 1, to: 9, chart: { id } } as CardAnswer)))
  })
  const ask = async (one: CardWanted, signal = never) => (await fetchCard(one, signal))?.chart.id ?? null
  return { ask, calls, signals }
}

test('figures and events requested together come in one call, lines of one device in one call, and lines of several devices or another range in separate calls', async () => {
  const { ask, calls } = fetching()
  const answers = await Promise.all([
    ask(wanted('mean')),
    ask(wanted('rooms', 'lineGraph')),
    ask(wanted('flow', 'lineGraph')),
    ask(wanted('nothing')),
    ask(wanted('faults', 'numericCard', 2)),
    ask(wanted('events', 'eventsGraph')),
    ask(wanted('pressure', 'lineGraph')),
  ])
  assert.deepEqual(answers, ['mean', 'rooms', 'flow', null, 'faults', 'events', 'pressure'])
  assert.deepEqual(calls, [['mean', 'nothing', 'events'], ['flow', 'pressure'], ['rooms'], ['faults']])
  assert.equal(await ask(wanted('mean')), 'mean')
  assert.deepEqual(calls.slice(4), [['mean']])
})

test('cards not shown yet do not wait for changed cards', async () => {
  stopClock()
  const { ask, calls } = fetching()
  const changed = ask(wanted('rooms', 'lineGraph', 1, true))
  await vi.advanceTimersByTimeAsync(1)
  const fresh = ask(wanted('mean'))
  await vi.advanceTimersByTimeAsync(1)
  assert.deepEqual(calls, [['mean']])
  await vi.advanceTimersByTimeAsync(100)
  await Promise.all([changed, fresh])
  assert.deepEqual(calls, [['mean'], ['rooms']])
})

test('changed cards that are already shown are refetched in one call, including lines', async () => {
  stopClock()
  const { ask, calls } = fetching()
  const due = [['rooms', 0] as const, ['mean', 2] as const, ['flow', 4] as const]
  const asked = due.map(async ([id, after]) => {
    await sleep(after)
    return ask(wanted(id, id === 'mean' ? 'numericCard' : 'lineGraph', 1, true))
  })
  await vi.advanceTimersByTimeAsync(100)
  assert.deepEqual(await Promise.all(asked), ['rooms', 'mean', 'flow'])
  assert.deepEqual(calls, [['rooms', 'mean', 'flow']])
})

test('if the server fails for one card the others still get their data; a refused request is not repeated [dev-4charts-3]', async () => {
  const failing = fetching({ faults: 500 })
  const outcomes = await Promise.allSettled(['mean', 'faults', 'events'].map((id) => failing.ask(wanted(id))))
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(failing.calls, [['mean', 'faults', 'events'], ['mean'], ['faults'], ['events']])

  const refusing = fetching({ faults: 429 })
  const refused = await Promise.allSettled(['mean', 'faults'].map((id) => refusing.ask(wanted(id))))
  assert.ok(refused.every(({ status }) => status === 'rejected'))
  assert.equal(refusing.calls.length, 1)
})

test('a card that is not shown yet does not wait for a slow card', async () => {
  stopClock()
  const calls: string[][] = []
  const signals: AbortSignal[] = []
  const [shared, own] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const fetchCard = fetchTogether(async (all, signal) => {
    const ids = all.map(({ card }) => card.id)
    calls.push(ids)
    signals.push(signal)
    if (ids.length > 1 && calls.length === 1) await shared.promise
    else if (ids[0] === 'slow') await own.promise
    return ids.map((id) => ({ from: 1, to: 9, chart: { id } }) as CardAnswer)
  })
  const [slow, quick] = ['slow', 'quick'].map((id) => fetchCard(wanted(id, 'lineGraph'), never))
  await Promise.resolve()
  assert.deepEqual(calls, [['slow', 'quick']])
  vi.advanceTimersByTime(1000)
  assert.equal((await quick)!.chart.id, 'quick')
  assert.deepEqual(calls, [['slow', 'quick'], ['slow'], ['quick']])
  assert.equal(signals[0]!.aborted, false)
  own.resolve()
  assert.equal((await slow)!.chart.id, 'slow')
  // Nothing waits for the shared call any more.
  assert.equal(signals[0]!.aborted, true)

  // A shown card is requested only once.
  const again = Promise.all(['slow', 'quick'].map((id) => fetchCard(wanted(id, 'lineGraph', 1, true), never)))
  vi.advanceTimersByTime(15)
  await again
  assert.deepEqual(calls.slice(3), [['slow', 'quick']])
})

test('a call is aborted when nothing waits for it any more', async () => {
  stopClock()
  const { ask, signals } = fetching()
  const [one, other] = [new AbortController(), new AbortController()]
  const answers = [ask(wanted('mean'), one.signal), ask(wanted('faults'), other.signal)]
  await vi.advanceTimersByTimeAsync(5)
  one.abort()
  assert.equal(signals[0]!.aborted, false)
  other.abort()
  assert.equal(signals[0]!.aborted, true)
  await vi.advanceTimersByTimeAsync(100)
  await Promise.all(answers)
})
