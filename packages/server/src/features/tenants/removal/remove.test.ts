import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { getTenantInfo } from '@caretaker/contract/tenants.ts'
import { getSession } from '@caretaker/contract/session.ts'
import { getTenantSetup, listTenants, resumeTenant } from '@caretaker/contract/tenant-administration.ts'
import type { FileStore } from '../../../context.ts'
import { keyOf } from '../../../files/keys.ts'
import { ensureAccount } from '../../../idp/accounts.ts'
import { makeAllDue } from '../../../postgres/due.ts'
import { openDb } from '../../../postgres/pool.ts'
import { inTenant } from '../../../postgres/tenant.ts'
import type { TestApp } from '../../../testing/app.ts'
import { testApp } from '../../../testing/app.ts'
import { contentsOf } from '../../../testing/contents.ts'
import { furnish } from '../../../testing/furnish/furnish.ts'
import { expectRemovable, removeTenant } from './remove.ts'
import { ownedTables } from './tables.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'caretaker-removal-'))
const developer = 'developer@vendor.test'
let app: TestApp
beforeAll(async () => {
  app = await testApp({ CARETAKER_DATA: folder })
  for (const tenant of ['north', 'south']) {
    await furnish(app, tenant)
    await app.addMember(tenant, developer, 'Developer')
    await makeAllDue(app.database.owner, tenant)
  }
  // Everyone is known, and the feed of another client has nothing about them.
  for (const email of [developer, 'first-manager@north.test', 'first-manager@south.test'])
    await app.send(getSession, {}, email)
})
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

const suspend = (days: number, tenant = 'north') =>
  app.database.owner.query(
    `update tenant set suspended_at = now() - make_interval(days => $2), suspended_reason = 'gone' where id = $1`,
    [tenant, days],
  )
const remove = (files: FileStore = app.context.files, routesForgotten = async () => {}) => {
  const { owner } = app.database.product
  const removal = { db: openDb(owner), owner, files, graceDays: 30, by: 'ops@host', report() {}, routesForgotten }
  return removeTenant(removal, 'north')
}
/** The number of rows per table that name a tenant, by the database catalogue. */
async function rowsOf(tenant: string): Promise<Record<string, number>> {
  const { owner } = app.database
  const { rows: tables } = await owner.query<{ name: string }>(
    `select table_name as name from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where column_name = 'tenant_id' and table_schema = 'public' and table_type = 'BASE TABLE'
       and table_name <> 'billing' order by 1`,
  )
  const counts: Record<string, number> = {}
  for (const { name } of tables) {
    const { rows } = await owner.query<{ count: string }>(`select count(*) from ${name} where tenant_id = $1`, [tenant])
    counts[name] = Number(rows[0]!.count)
  }
  return counts
}
const peopleOf = async (ids: string[]) =>
  (await app.database.owner.query<{ email: string }>('select email from person where id = any($1)', [ids])).rows

test('a client that is active, or not suspended for long enough, is not removed', async () => {
  const { db } = app.database
  await assert.rejects(expectRemovable(db, 'nowhere', 30), /There is no client nowhere/)
  await assert.rejects(remove(), /north is active. Suspend it first/)
  await suspend(29)
  await assert.rejects(remove(), /has been suspended since .* and can be removed from/)
  assert.equal((await db.selectFrom('tenant_removal').selectAll().execute()).length, 0)
})

test('each table comes before those that its rows refer to, and none is left out', async () => {
  const tables = (await ownedTables(app.database.owner)).map(({ name }) => name)
  assert.deepEqual(
    tables.toSorted(),
    Object.keys(await rowsOf('north')).filter((name) => !/^point_\d/.test(name)),
  )
  const { rows } = await app.database.owner.query<{ from: string; to: string }>(
    `select conrelid::regclass::text as from, confrelid::regclass::text as to from pg_constraint
     where contype = 'f' and conrelid <> confrelid and conparentid = 0`,
  )
  const place = (name: string) => tables.indexOf(name)
  for (const { from, to } of rows)
    if (place(from) >= 0 && place(to) >= 0) assert.ok(place(from) < place(to), `${from} before ${to}`)
})

test('an interrupted removal resumes, and leaves nothing of the client and everything of the others', async () => {
  const { owner, db } = app.database
  await suspend(31)
  // The account of a person who was invited and never signed in.
  const account = await ensureAccount(owner, 'secret-of-north@north.test', 'Invited')
  const { rows: members } = await owner.query<{ id: string; email: string }>(
    `select person_id as id, person.email from membership join person on person.id = person_id where tenant_id = 'north'`,
  )
  const { rows: files } = await owner.query<{ id: string }>(`select id from file where tenant_id = 'north'`)
  for (const { id } of files) await app.context.files.put(keyOf('north', id), new Blob(['x']))
  assert.ok(members.length > 1 && files.length > 0)
  const before = await rowsOf('north')
  const empty = Object.keys(before).filter((name) => !before[name])
  assert.ok(Object.keys(before).length - empty.length > 40, `rows for few tables: none in ${empty.join(', ')}`)
  const others = await contentsOf(owner, 'south')

  // If the command cannot reach the files, the client stays unchanged.
  const elsewhere = { ...app.context.files, read: () => Promise.reject(new Error('There is no such file')) }
  await assert.rejects(remove(elsewhere), /not in the file store of this command.*Nothing was removed/)
  assert.deepEqual(await rowsOf('north'), before)
  await owner.query(`create table billing (tenant_id text); insert into billing values ('north')`)

  const failing = { ...app.context.files, delete: () => Promise.reject(new Error('The store is away')) }
  await assert.rejects(remove(failing), /The store is away/)
  // It is closed permanently, also for the vendor's staff, and accepts nothing.
  const params = { tenant: 'north' }
  for (const answer of [
    await app.send(getTenantInfo, { body: params }, developer),
    await app.send(getTenantSetup, { params }, developer),
    await app.send(resumeTenant, { params }, developer),
  ])
    assert.equal(answer.status, 404)
  const { body: session } = await app.send(getSession, {}, developer)
  assert.deepEqual(
    session.tenants.map(({ id }) => id),
    ['south'],
  )
  assert.deepEqual(
    (await app.send(listTenants, {}, developer)).body.results.map(({ id }) => id),
    ['south'],
  )
  assert.equal((await owner.query(`select from device_route where tenant_id = 'north'`)).rowCount, 0)

  const { rows, people } = await remove()
  assert.ok(rows > 40)
  assert.deepEqual(
    Object.entries(await rowsOf('north')).filter(([, count]) => count),
    [],
  )
  assert.equal((await owner.query(`select from tenant where id = 'north'`)).rowCount, 0)
  for (const { id } of files) assert.ok(!existsSync(path.join(folder, 'files', keyOf('north', id))))
  assert.equal((await owner.query('select from billing')).rowCount, 1, 'a table of the database administrator stays')
  await owner.query('drop table billing')
  assert.deepEqual(await contentsOf(owner, 'south'), others)
  // The vendor's developer is a member elsewhere, the manager is not.
  assert.deepEqual(await peopleOf(members.map(({ id }) => id)), [{ email: developer }])
  assert.ok(people >= members.length - 1)
  assert.equal((await owner.query('select from idp.account where id = $1', [account])).rowCount, 0)
  const [record, ...more] = await db.selectFrom('tenant_removal').selectAll().execute()
  assert.equal(more.length, 0)
  assert.deepEqual(
    [record!.client, record!.removed_by_whom, record!.people, record!.invited, Number(record!.rows_deleted)],
    ['north', 'ops@host', [], [], rows],
  )
  assert.ok(record!.finished_at! >= record!.began_at)
  await assert.rejects(expectRemovable(db, 'north', 30), /There is no client north/)
})

test('what arrives while a client is being removed is removed as well', async () => {
  await app.addTenant('north')
  await suspend(31)
  const { db } = app.database
  const tag = { tenant_id: 'north', id: crypto.randomUUID(), display_name: 'Late', protected: false }
  await remove(undefined, async () => {
    await inTenant(db, 'north', (tx) => tx.insertInto('access_rights_tag').values(tag).execute())
  })
  assert.deepEqual(
    Object.entries(await rowsOf('north')).filter(([, count]) => count),
    [],
  )
})
