import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { fetchViewData, shouldUpdateDevice, shouldUpdateView } from '@caretaker/contract/devices.ts'
import { getSession } from '@caretaker/contract/session.ts'
import { setStatus } from '../testing/statuses.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { TestApp } from '../testing/app.ts'
import { testApp } from '../testing/app.ts'
import { addDevice } from '../testing/furnish/devices.ts'
import { changed, memory } from './changed.ts'
import { openFeed, positionOf } from './feed.ts'
import { forgetChanges } from './forget.ts'

let app: TestApp
let light: string
const tenant = 'north'
const manager = 'manager@north.test'
beforeAll(async () => {
  app = await testApp()
  for (const id of [tenant, 'south']) await app.addTenant(id)
  await app.addMember(tenant, manager, 'Manager')
  light = await addDevice(app, tenant)
  await app.send(getSession, {}, manager)
})
afterAll(() => app.close())

const pageOf = async () =>
  (await app.send(fetchViewData, { body: { tenant, listing: 'EmergencyLights' } }, manager)).body.data!
type Asked = { date: string | number; position?: string }
const viewSince = async (asked: Asked, on = app) =>
  (await on.send(shouldUpdateView, { body: { tenant, deviceTypes: ['EM'], ...asked } }, manager)).body.data!
const deviceSince = async (asked: Asked) =>
  (await app.send(shouldUpdateDevice, { body: { tenant, deviceId: light, ...asked } }, manager)).body.data!
const unseen = { shouldUpdate: false, deviceIds: [] }
const seen = (...deviceIds: string[]) => ({ shouldUpdate: true, deviceIds })

/** A transaction that stays open until `commit` is called; resolves when it has done its work. */
async function heldOpen(work: Parameters<typeof inTenant>[2]) {
  const worked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const over = inTenant(app.database.db, tenant, async (tx) => {
    await work(tx)
    worked.resolve()
    await released.promise
  })
  await Promise.race([worked.promise, over])
  return async () => {
    released.resolve()
    await over
  }
}

test('a change that started before a page was read and is committed later is not missed', async () => {
  const commit = await heldOpen((tx) => setStatus(tx, light, 'FailedEquipment'))
  const page = await pageOf()
  assert.equal(page.rows[0]!.deviceStatus, 'Ok')
  const device = await deviceSince({ date: 0 })
  assert.deepEqual(await viewSince({ date: page.updatedAt }), unseen)
  await commit()
  // The database clock has advanced by far more than the transaction took to start.
  assert.deepEqual(await viewSince({ date: page.updatedAt }), seen(light))
  assert.deepEqual(await viewSince({ date: page.updatedAt, position: page.position }), seen(light))
  assert.equal((await deviceSince({ date: device.updatedAt })).shouldUpdate, true)
  assert.equal((await deviceSince({ date: device.updatedAt, position: device.position })).shouldUpdate, true)
  const next = await pageOf()
  assert.equal(next.rows[0]!.deviceStatus, 'FailedEquipment')
  assert.deepEqual(await viewSince({ date: next.updatedAt }), unseen)
  assert.deepEqual(await viewSince({ date: next.updatedAt, position: next.position }), unseen)
})

test("a committed change is reported while an older transaction still runs, and that one's later", async () => {
  const other = await addDevice(app, tenant)
  const page = await pageOf()
  const commit = await heldOpen((tx) => setStatus(tx, light, 'Ok'))
  await inTenant(app.database.db, tenant, (tx) => setStatus(tx, other, 'FailedEquipment'))
  assert.deepEqual(await viewSince({ date: 0, position: page.position }), seen(other))
  const later = await pageOf()
  await commit()
  // A reported change is not repeated, although an older transaction was still running.
  assert.deepEqual(await viewSince({ date: 0, position: later.position }), seen(light))
  assert.deepEqual(await viewSince({ date: later.updatedAt }), seen(light))
})

test('a process that did not issue a date accepts it and reports no less', async () => {
  await inTenant(app.database.db, tenant, (tx) => setStatus(tx, light, 'FailedEquipment'))
  const commit = await heldOpen((tx) => setStatus(tx, light, 'Ok'))
  const { updatedAt } = await pageOf()
  await commit()
  const found = await inTenant(app.database.db, tenant, (tx) =>
    openFeed().since(tx, { date: Date.parse(updatedAt) * 1000 }, { subjects: ['device'] }),
  )
  assert.equal(found.everything, false)
  assert.deepEqual(found.rows[0]!.ids, [light])
})

test('a client that was away for too long, or comes from a restored database, reloads everything', async () => {
  const now = await inTenant(app.database.db, tenant, (tx) => app.app.feed.now(tx))
  const past = { ...now, at: now.at - memory * 1000 - 1000 }
  const [first, end] = now.snapshot.split(':').map((xid) => Number(xid) + 1_000_000)
  const restored = { ...now, snapshot: `${first}:${end}:` }
  for (const moment of [past, restored]) {
    const { shouldUpdate, deviceIds } = await viewSince({ date: 0, position: positionOf(moment) })
    assert.equal(shouldUpdate, true)
    assert.ok(deviceIds.includes(light))
    assert.equal((await deviceSince({ date: 0, position: positionOf(moment) })).shouldUpdate, true)
  }
  assert.equal((await deviceSince({ date: 0, position: positionOf(now) })).shouldUpdate, false)
})

test("another tenant's changes are not read, nor are rolled-back ones", async () => {
  const start = await inTenant(app.database.db, tenant, (tx) => app.app.feed.now(tx))
  await inTenant(app.database.db, 'south', (tx) => changed(tx, 'device', [light]))
  await assert.rejects(
    inTenant(app.database.db, tenant, async (tx) => {
      await changed(tx, 'device', [light])
      throw new Error('no')
    }),
  )
  assert.equal((await deviceSince({ date: 0, position: positionOf(start) })).shouldUpdate, false)
})

test('many items take one row; above 5,000 it covers all, and an empty list records nothing', async () => {
  const ids = (count: number) => Array.from({ length: count }, () => crypto.randomUUID())
  const rowsOf = (things: string[] | null) =>
    inTenant(app.database.db, tenant, async (tx) => {
      const start = await app.app.feed.now(tx)
      await changed(tx, 'tag', things)
      const { rows } = await app.app.feed.since(tx, { position: positionOf(start) }, { subjects: ['tag'] })
      return rows.map((row) => row.ids?.length)
    })
  assert.deepEqual(await rowsOf(ids(1000)), [1000])
  assert.deepEqual(await rowsOf(ids(5001)), [undefined])
  assert.deepEqual(await rowsOf(null), [undefined])
  assert.deepEqual(await rowsOf([]), [])
})

test('repeated changes of an item are recorded once per transaction', async () => {
  const [one, two] = [crypto.randomUUID(), crypto.randomUUID()]
  const { db } = app.database
  const start = await inTenant(db, tenant, (tx) => app.app.feed.now(tx))
  const change = () =>
    inTenant(db, tenant, async (tx) => {
      await changed(tx, 'device', [one])
      await changed(tx, 'device', [one, two])
      await changed(tx, 'device', [two, one])
      await changed(tx, 'tag', [one])
    })
  const reported = async () => {
    const scope = { subjects: ['device', 'tag'] as const }
    const { rows } = await inTenant(db, tenant, (tx) => app.app.feed.since(tx, { position: positionOf(start) }, scope))
    return rows.map(({ subject, ids }) => `${subject} ${ids?.join()}`).toReversed()
  }
  await change()
  assert.deepEqual(await reported(), [`device ${one}`, `device ${two}`, `tag ${one}`])
  await change()
  assert.equal((await reported()).length, 6)
})

test('expired rows are deleted, for every tenant', async () => {
  const { owner, db } = app.database
  await owner.query(`update change set at = at - interval '3 hours'`)
  assert.equal(await forgetChanges(db), 0, 'none is due yet')
  await owner.query(`update due set due_at = due_at - interval '3 hours' where work = 'forget changes'`)
  const { rowCount } = await owner.query('select from change')
  await inTenant(db, tenant, (tx) => changed(tx, 'tag', null))
  assert.ok(rowCount! > 5)
  assert.equal(await forgetChanges(db), rowCount)
  const { rows } = await owner.query(`select subject from change`)
  assert.deepEqual(rows, [{ subject: 'tag' }])
  const due = await owner.query<{ tenant: string }>(`select tenant_id as tenant from due where work = 'forget changes'`)
  assert.deepEqual(due.rows, [{ tenant }])
})
