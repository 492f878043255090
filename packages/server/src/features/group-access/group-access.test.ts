import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { getGroupAccess, setGroupAccess } from '@caretaker/contract/group-access.ts'
import { mostGroupAccess } from '@caretaker/rules/identity/group-access.ts'
import { groupAccessTable } from '../../identity/group-access.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { TestApp } from '../../testing/app.ts'
import { testApp } from '../../testing/app.ts'
import { addAccessRightsTag } from '../../testing/furnish/devices.ts'

let app: TestApp
let east: string
let theirs: string
const manager = 'manager@north.test'
const params = { tenant: 'north' }
beforeAll(async () => {
  app = await testApp()
  for (const id of ['north', 'south']) {
    await app.addTenant(id)
    await app.addMember(id, `manager@${id}.test`, 'Manager')
  }
  east = await addAccessRightsTag(app, 'north', 'East')
  theirs = await addAccessRightsTag(app, 'south', 'Theirs')
  await app.addMember('north', 'guest@north.test', 'Guest')
  await app.addMember('north', 'limited@north.test', 'Manager', [east])
})
afterAll(() => app.close())

const row = (group: string, role = 'Guest', tags: string[] = []) => ({ group, role, tags })
const set = (rows: object[], email: string | undefined = manager, tenant = 'north') =>
  app.send(setGroupAccess, { params: { tenant }, body: { rows } } as never, email)
const stored = async () => (await app.send(getGroupAccess, { params }, manager)).body.rows

test('the whole table is replaced, in its order', async () => {
  assert.equal(
    (await set([row('  Housing   managers ', 'Manager'), row('East', 'LightingEngineer', [east])])).status,
    204,
  )
  const rows = [row('Housing managers', 'Manager'), row('East', 'LightingEngineer', [east])]
  assert.deepEqual(await stored(), rows)
  assert.equal((await set(rows.toReversed())).status, 204)
  assert.deepEqual(await stored(), rows.toReversed())
  assert.deepEqual(await inTenant(app.database.db, 'north', groupAccessTable), rows.toReversed())
  assert.deepEqual(await inTenant(app.database.db, 'south', groupAccessTable), [])
  const count = async () =>
    (await app.database.owner.query(`select from audit_entry where action = 'group access changed'`)).rowCount
  assert.equal(await count(), 2)
  // Without a change nothing is recorded.
  assert.equal((await set(rows.toReversed())).status, 204)
  assert.equal(await count(), 2)
})

test('no group gives an internal role, and each group has one row', async () => {
  const before = await stored()
  for (const rows of [
    [row('Staff', 'Developer')],
    [row('Staff', 'Admin')],
    [row('Staff'), row(' staff')],
    [row('')],
    [row('Staff', 'Guest', [east, east])],
    [row('Staff', 'Guest', [crypto.randomUUID()])],
    [row('Staff', 'Guest', [theirs])],
    Array.from({ length: mostGroupAccess + 1 }, (_, n) => row(`Group ${n}`)),
  ])
    assert.equal((await set(rows)).status, 400, JSON.stringify(rows).slice(0, 100))
  assert.deepEqual(await stored(), before)
})

test('only managers who see the whole client read and set it', async () => {
  for (const [email, status] of [
    ['guest@north.test', 403],
    ['limited@north.test', 403],
    ['manager@south.test', 404],
  ] as const) {
    assert.equal((await app.send(getGroupAccess, { params }, email)).status, status)
    assert.equal((await set([row('Staff', 'Manager')], email)).status, status)
  }
  assert.equal((await app.send(getGroupAccess, { params })).status, 401)
})
