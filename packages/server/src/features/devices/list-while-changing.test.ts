import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addDevice } from '../../testing/furnish/devices.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  for (const tenant of ['north', 'south']) {
    await app.addTenant(tenant)
    await app.addMember(tenant, `manager@${tenant}.test`, 'Manager')
  }
})
afterAll(() => app.close())

const pageSize = 25
const sorts = [{ fieldId: 'name', descending: false }]
const load = async (more: object, tenant = 'north') => {
  const body = { tenant, listing: 'Bcms', sorts, pageSize, ...more } as const
  return app.send(fetchViewData, { body: body as never }, `manager@${tenant}.test`)
}
const named = (at: number) => `Boiler ${String(at).padStart(3, '0')}`
const fill = async (count: number) => {
  const ids: string[] = []
  for (let at = 0; at < count; at++) ids.push(await addDevice(app, 'north', { product: 'BX', name: named(at) }))
  return ids
}
const remove = (ids: readonly string[]) =>
  app.database.owner.query('delete from device where id = any($1::uuid[])', [ids])

test('pages continue where the previous one ended, whatever was added or removed: no row twice, none missing', async () => {
  const ids = await fill(80)
  const first = (await load({})).body.data!
  assert.deepEqual(
    first.rows.map((row) => row.deviceDisplayName),
    ids.slice(0, pageSize).map((_, at) => named(at)),
  )
  // Before the next page, ten rows of the first are removed, including its last one, and five are added before it.
  await remove([...ids.slice(0, 9), ids[24]!])
  for (let at = 0; at < 5; at++) await addDevice(app, 'north', { product: 'BX', name: `A boiler ${at}` })
  const seen = first.rows.map((row) => row.deviceDisplayName)
  let after = first.next
  for (let page = 2; after !== null && page <= 4; page++) {
    const next = (await load({ page, after })).body.data!
    if (next.page !== page) break
    seen.push(...next.rows.map((row) => row.deviceDisplayName))
    after = next.next
  }
  assert.deepEqual(
    seen,
    ids.map((_, at) => named(at)),
  )
  // By page number alone, the second page would miss five rows.
  const numbered = (await load({ page: 2 })).body.data!
  assert.equal(numbered.rows[0]!.deviceDisplayName, named(30))
  // A later page, using the cursor of the first.
  const third = (await load({ page: 3, after: first.next })).body.data!
  assert.equal(third.rows[0]!.deviceDisplayName, named(50))
})

test('after the last row there is an empty page without a cursor; by number alone there is the last page', async () => {
  const { next, total } = (await load({})).body.data!
  const pages = Math.ceil(total / pageSize)
  const past = (await load({ page: pages + 1, after: next })).body.data!
  assert.deepEqual([past.rows, past.page, past.total, past.next], [[], pages + 1, total, null])
  const numbered = (await load({ page: pages + 1 })).body.data!
  assert.equal(numbered.page, pages)
  // A caller that follows cursors reaches the end, with every row once.
  const seen = new Set<string>()
  let read = 0
  for (let page = 1, after: string | null | undefined; after !== null && page < 10; page++) {
    const data = (await load({ page, ...(after && { after }) })).body.data!
    for (const { deviceId } of data.rows) seen.add(deviceId)
    read += data.rows.length
    after = data.next
    assert.ok(page <= pages + 1)
  }
  assert.deepEqual([seen.size, read], [total, total])
})

test('a cursor belongs to its query and an earlier page; any other text is refused', async () => {
  const { next } = (await load({})).body.data!
  const made = (keys: unknown) => {
    const [page, size, digest] = JSON.parse(Buffer.from(next!, 'base64url').toString()) as unknown[]
    return Buffer.from(JSON.stringify([page, size, digest, keys])).toString('base64url')
  }
  for (const wrong of [
    { page: 2, after: 'nonsense' },
    { page: 2, after: '' },
    { page: 1, after: next },
    { page: 2, after: next, search: 'boiler' },
    { page: 2, after: next, sorts: [{ fieldId: 'name', descending: true }] },
    { page: 2, after: next, pageSize: 50 },
    { page: 2, after: made(['x']) },
    { page: 2, after: made(['x', 5]) },
  ]) {
    const { status, body } = await load(wrong)
    assert.equal(status, 400, JSON.stringify(wrong))
    assert.match(JSON.stringify(body), /after|cursor/i)
  }
})

test('a cursor discloses no rows of another client', async () => {
  const { next } = (await load({})).body.data!
  await addDevice(app, 'south', { product: 'BX', name: 'Southern boiler' })
  const { status, body } = await load({ page: 2, after: next }, 'south')
  assert.equal(status, 200)
  assert.deepEqual(
    body.data!.rows.map((row) => row.deviceDisplayName),
    ['Southern boiler'],
  )
})
