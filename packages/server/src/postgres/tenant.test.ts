import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { sql } from 'kysely'
import type { TestDatabase } from '../testing/database.ts'
import { testDatabase } from '../testing/database.ts'
import { inTenant } from './tenant.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  // Statements without a tenant, to show what row-level security does alone.
  database.unwatch()
  await database.owner.query(`insert into tenant (id, display_name) values ('north', 'North'), ('south', 'South')`)
})
afterAll(() => database.drop())

test('a row of one tenant is not visible to another, nor without a tenant', async () => {
  const { db } = database
  await inTenant(db, 'north', (tx) =>
    tx.insertInto('tag').values({ tenant_id: 'north', id: crypto.randomUUID(), name: 'mine' }).execute(),
  )
  const seen = (tenant: string) => inTenant(db, tenant, (tx) => tx.selectFrom('tag').selectAll().execute())
  assert.equal((await seen('north')).length, 1)
  assert.equal((await seen('south')).length, 0)
  assert.equal((await db.selectFrom('tag').selectAll().execute()).length, 0)
})

test("a row of another tenant cannot be written, and a tenant's name cannot break out of its quotes", async () => {
  const write = inTenant(database.db, 'south', (tx) =>
    tx.insertInto('tag').values({ tenant_id: 'north', id: crypto.randomUUID(), name: 'theirs' }).execute(),
  )
  await assert.rejects(write, /row-level security/)
  const rows = await inTenant(database.db, "south'; set role postgres; --", (tx) =>
    tx.selectFrom('tag').selectAll().execute(),
  )
  assert.equal(rows.length, 0)
})

test('the application role cannot bypass row-level security, and stays itself after RESET ROLE', async () => {
  const { rows } = await sql<{ role: string; bypass: boolean }>`
    select current_user as role, rolbypassrls or rolsuper as bypass from pg_roles where rolname = current_user`.execute(
    database.db,
  )
  assert.deepEqual(rows, [{ role: 'caretaker_app', bypass: false }])
  const client = await database.app.connect()
  await client.query('reset role')
  const after = await client.query<{ role: string }>('select current_user as role')
  client.release()
  assert.equal(after.rows[0]!.role, 'caretaker_app')
})

test('every table with a tenant_id has forced row-level security, or is one of the few shared by all tenants', async () => {
  const { rows } = await database.owner.query<{ name: string }>(
    `select relname as name from pg_class
     join pg_attribute on attrelid = pg_class.oid and attname = 'tenant_id' and not attisdropped
     where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace
       and not (relrowsecurity and relforcerowsecurity) order by 1`,
  )
  assert.deepEqual(
    rows.map((row) => row.name),
    [
      ...['client_error', 'command_outbox', 'connection_route', 'device_route', 'due', 'invitation'],
      ...['loose_file', 'mail_outbox'],
    ],
  )
})

test('tenant_id leads every primary, unique and foreign key of a tenant table', async () => {
  const { rows } = await database.owner.query<{ name: string }>(
    `select conrelid::regclass || '.' || conname as name from pg_constraint
     join pg_class on pg_class.oid = conrelid and relrowsecurity
     join pg_attribute on attrelid = conrelid and attnum = conkey[1]
     where contype in ('p', 'u', 'f') and attname <> 'tenant_id'
       and not (contype = 'f' and confrelid in ('person'::regclass, 'tenant'::regclass))`,
  )
  assert.deepEqual(rows, [])
})
