import assert from 'node:assert/strict'
import { onTestFinished, test, vi } from 'vitest'
import { QueryClient, QueryObserver, environmentManager } from '@tanstack/react-query'
import { exportListing, fetchViewData, getFieldChoices, shouldUpdateView } from '@caretaker/contract/devices.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import { call } from '../api/call.ts'
import type { ListSource } from './list-source.ts'
import { pageQuery } from './queries.ts'

const wanted = { filters: [], sorts: [], search: '', page: 1, pageSize: 100 }
const empty = { rows: [], total: 0, outOf: 0, page: 1, pageSize: 100 }
const interval = 10_000
const source: Pick<ListSource, 'list' | 'calls' | 'changedSince' | 'rowId'> = {
  list: listings.EmergencyLights,
  calls: { page: fetchViewData, choices: getFieldChoices, file: exportListing },
  async changedSince(tenant, { updatedAt }, signal) {
    return (await call(shouldUpdateView, { body: { tenant, deviceTypes: ['EM'], date: updatedAt } }, { signal }))
      .deviceIds
  },
  rowId: () => '',
}

test('A refresh is skipped while an earlier fetch is still running [dev-2list-40]', async () => {
  environmentManager.setIsServer(() => false)
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({
    toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'Date'],
    now: Date.parse('2026-11-20T10:00:00Z'),
  })
  const asked: { path: string; answer: (data: unknown) => void }[] = []
  onTestFinished(() => void vi.unstubAllGlobals())
  vi.stubGlobal('fetch', (path: string) => {
    return new Promise((resolve) => {
      asked.push({
        path,
        answer: (data) => resolve(Response.json({ isSuccessful: true, reason: null, message: null, data })),
      })
    })
  })
  const flush = () => new Promise((resolve) => setImmediate(resolve))
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, networkMode: 'always' } } })
  const observer = new QueryObserver(client, pageQuery('northgate', source, wanted))
  const stop = observer.subscribe(() => undefined)
  onTestFinished(() => {
    stop()
    client.clear()
  })
  await flush()
  assert.deepEqual(
    asked.map(({ path }) => path),
    [fetchViewData.path],
  )
  for (let time = 0; time < 3; time++) {
    vi.advanceTimersByTime(interval)
    await flush()
  }
  assert.equal(asked.length, 1, 'the first fetch is still on its way')

  asked[0]!.answer({ ...empty, updatedAt: new Date().toISOString() })
  for (let turn = 0; turn < 5; turn++) await flush()
  vi.advanceTimersByTime(interval)
  await flush()
  assert.equal(asked.length, 2)
  assert.equal(asked[1]!.path, shouldUpdateView.path)
  vi.advanceTimersByTime(2 * interval)
  await flush()
  assert.equal(asked.length, 2, 'the question is still on its way')
  asked[1]!.answer({ shouldUpdate: false, deviceIds: [] })
  for (let turn = 0; turn < 5; turn++) await flush()
  vi.advanceTimersByTime(interval)
  await flush()
  assert.equal(asked.length, 3)
})

test('a list without change detection is fetched at every refresh', async () => {
  const fetched: string[] = []
  onTestFinished(() => void vi.unstubAllGlobals())
  vi.stubGlobal('fetch', async (path: string) => {
    fetched.push(path)
    const data = { ...empty, updatedAt: new Date().toISOString() }
    return Response.json({ isSuccessful: true, reason: null, message: null, data })
  })
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, networkMode: 'always' } } })
  onTestFinished(() => client.clear())
  const { changedSince: _, ...unasked } = source
  for (let time = 0; time < 2; time++) await client.fetchQuery(pageQuery('northgate', unasked, wanted))
  assert.deepEqual(fetched, [fetchViewData.path, fetchViewData.path])
})

test('a page continues after the nearest earlier page of the same query; if no rows follow, the last page is returned', async () => {
  const sent: { page: number; after?: string }[] = []
  onTestFinished(() => void vi.unstubAllGlobals())
  vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => {
    const { page, after } = JSON.parse(body) as { page: number; after?: string }
    sent.push({ page, ...(after !== undefined && { after }) })
    // No rows follow page 5: a request for any later page number returns the fifth page.
    const given = after === undefined ? Math.min(page, 5) : page
    const data = {
      ...{ ...empty, rows: given > 5 ? [] : [{}], page: given, next: given > 5 ? null : `end of ${given}` },
      ...{ updatedAt: new Date().toISOString(), position: '1' },
    }
    return Response.json({ isSuccessful: true, reason: null, message: null, data })
  })
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, networkMode: 'always' } } })
  onTestFinished(() => client.clear())
  const load = (page: number, more: object = {}) =>
    client.fetchQuery({ ...pageQuery('northgate', source, { ...wanted, page, ...more }), staleTime: 0 })
  for (const page of [3, 1, 2, 5]) await load(page)
  await load(2, { search: 'hall' })
  await load(2, { pageSize: 50 })
  assert.deepEqual(sent, [
    { page: 3 },
    { page: 1 },
    { page: 2, after: 'end of 1' },
    { page: 5, after: 'end of 3' },
    { page: 2 },
    { page: 2 },
  ])
  sent.length = 0
  const past = await load(6)
  assert.deepEqual([past.page, past.rows.length], [5, 1])
  assert.deepEqual(sent, [{ page: 6, after: 'end of 5' }, { page: 6 }])
})
