import assert from 'node:assert/strict'
import { onTestFinished, test, vi } from 'vitest'
import { QueryClient, QueryObserver, environmentManager } from '@tanstack/react-query'
import type { ChangeEvent } from '@caretaker/contract/changes.ts'
import type { Shows } from './changes.ts'
import { apartFor, hearing, silenceDetector } from './changes.ts'

const change = (of: Partial<ChangeEvent['changes'][number]> = {}): ChangeEvent['changes'][number] => ({
  subject: 'device',
  ids: ['a'],
  products: ['EM'],
  ...of,
})
const eventOf = (...changes: ChangeEvent['changes']): ChangeEvent => ({ everything: false, changes })

test('a change refreshes a query for its own subject at once, and for others of the same kind later', () => {
  const page: Shows = { subjects: ['device', 'device state'], deviceId: 'a' }
  assert.equal(apartFor(page, change(), undefined), 200)
  assert.equal(apartFor(page, change({ subject: 'device state' }), undefined), 200)
  assert.equal(apartFor(page, change({ ids: null, products: null }), undefined), 200)
  assert.equal(apartFor(page, change({ ids: ['b'] }), undefined), undefined)
  assert.equal(apartFor(page, change({ subject: 'tag' }), undefined), undefined)
  const home: Shows = { subjects: ['device readings'], deviceIds: ['a', 'b'] }
  assert.equal(apartFor(home, change({ subject: 'device readings', ids: ['b', 'c'] }), undefined), 200)
  assert.equal(apartFor(home, change({ subject: 'device readings', ids: ['c'] }), undefined), undefined)
  const gateway: Shows = {
    subjects: ['device'],
    deviceId: 'a',
    othersIn: (data) => (data as string[] | undefined) ?? [],
  }
  assert.equal(apartFor(gateway, change({ ids: ['b'] }), ['b', 'c']), 200)
  assert.equal(apartFor(gateway, change({ ids: ['d'] }), ['b', 'c']), undefined)
  assert.equal(apartFor(gateway, change(), undefined), 200)
  const listing: Shows = { subjects: ['device'], products: ['EM', 'EL'], rowsIn: (rows) => rows as string[] }
  assert.equal(apartFor(listing, change(), ['a']), 1000)
  assert.equal(apartFor(listing, change(), ['b']), 5000)
  assert.equal(apartFor(listing, change({ products: ['BX'] }), ['a']), undefined)
  assert.equal(apartFor(listing, change({ ids: null, products: null }), ['b']), 1000)
})

/** An active query that counts its fetches; each answer is released by the test. */
function opened(shows: Shows) {
  const client = new QueryClient({
    defaultOptions: { queries: { retry: false, networkMode: 'always', staleTime: 10_000 } },
  })
  const answers: (() => void)[] = []
  const observer = new QueryObserver(client, {
    queryKey: ['north', 'things'],
    meta: { shows },
    queryFn: () => new Promise((resolve) => answers.push(() => resolve(answers.length))),
  })
  return { client, answers, stop: observer.subscribe(() => undefined) }
}

/** The same with fake timers and change events; `pass` advances the clock, and `flush` waits for what is due. */
function listening(shows: Shows) {
  environmentManager.setIsServer(() => false)
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: Date.parse('2026-11-20T10:00:00Z') })
  const { client, answers, stop } = opened(shows)
  const { hear, stop: hush } = hearing(client, 'north')
  onTestFinished(() => {
    hush()
    stop()
    client.clear()
  })
  const flush = async () => {
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  const pass = async (ms: number) => {
    vi.advanceTimersByTime(ms)
    await flush()
  }
  return { client, answers, hear, pass, flush }
}

test('shown data is refetched at once, then at most once a second, and never while a request is pending', async () => {
  const { answers, hear, pass, flush } = listening({ subjects: ['tag'] })
  await flush()
  assert.equal(answers.length, 1)

  // The first answer is older than the change, so it is refetched after it arrives.
  hear(eventOf(change({ subject: 'tag', ids: null, products: null })))
  await pass(150)
  assert.equal(answers.length, 1)
  answers[0]!()
  await flush()
  await pass(100)
  assert.equal(answers.length, 2)
  answers[1]!()
  await flush()

  for (let time = 0; time < 10; time++) {
    hear(eventOf(change({ subject: 'tag', ids: null, products: null })))
    await pass(50)
  }
  assert.equal(answers.length, 2)
  await pass(500)
  assert.equal(answers.length, 3)
  answers[2]!()
  await flush()
  await pass(5000)
  assert.equal(answers.length, 3, 'nothing has changed since')

  hear(eventOf(change()))
  await pass(5000)
  assert.equal(answers.length, 3, 'a device is no tag')
  hear({ everything: true, changes: [] })
  await flush()
  assert.equal(answers.length, 4)
})

test('repeatedly slow queries are refetched less often', async () => {
  const { answers, hear, pass } = listening({ subjects: ['tag'] })
  const tags = change({ subject: 'tag', ids: null, products: null })
  await pass(0)
  answers[0]!()
  await pass(0)
  hear(eventOf(tags))
  await pass(0)
  assert.equal(answers.length, 2)
  await pass(2000)
  answers[1]!()
  await pass(0)
  hear(eventOf(tags))
  await pass(0)
  assert.equal(answers.length, 3, 'after one slow answer nobody waits')
  await pass(2000)
  answers[2]!()
  await pass(0)
  hear(eventOf(tags))
  await pass(1900)
  assert.equal(answers.length, 3, 'half of the time it is not asked')
  await pass(100)
  assert.equal(answers.length, 4)
})

test('changes by the page itself are not refetched at once, changes by others are', async () => {
  const { client, answers, hear, pass } = listening({ subjects: ['tag'], edited: true })
  const tags = change({ subject: 'tag', ids: null, products: null })
  await pass(0)
  answers[0]!()
  await pass(0)
  hear(eventOf(tags))
  await pass(600)
  assert.equal(answers.length, 2, 'somebody else')
  answers[1]!()
  await pass(2000)

  // The event for the page's own change arrives before the response to the call.
  hear(eventOf(tags))
  await pass(200)
  client.setQueryData(['north', 'things'], 'changed here')
  await pass(5000)
  assert.equal(answers.length, 2)
  await pass(30_000)
  assert.equal(answers.length, 3, 'what others may have changed meanwhile is there at last')
})

test('a silent stream is detected within four seconds and reopened after ten', () => {
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: 0 })
  const noticed: string[] = []
  const { beat, stop } = silenceDetector(
    () => noticed.push(`silent ${Date.now()}`),
    () => noticed.push(`deaf ${Date.now()}`),
  )
  vi.advanceTimersByTime(60_000)
  assert.deepEqual(
    noticed,
    [],
    'one that never gave a sign, as behind a proxy that holds them back, is not listened to',
  )
  // The server sends one every two seconds.
  for (let time = 0; time < 5; time++) {
    beat()
    vi.advanceTimersByTime(2000)
  }
  assert.deepEqual(noticed, [])
  const last = Date.now() - 2000
  for (let time = 0; time < 200; time++) vi.advanceTimersByTime(100)
  assert.deepEqual(noticed, [`silent ${last + 3400}`, `deaf ${last + 10_000}`])
  beat()
  stop()
  vi.advanceTimersByTime(20_000)
  assert.equal(noticed.length, 2)
})
