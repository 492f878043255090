import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import pg from 'pg'
import { machinesOf, placeTenant } from '../postgres/machines.ts'
import type { TestDatabase } from './database.ts'
import { isDistributed, testDatabase } from './database.ts'

const distributed = await isDistributed()
let database: TestDatabase
beforeAll(async () => {
  if (distributed) database = await testDatabase()
})
afterAll(() => database?.drop())

test('these tests run on a distributed database: tenants are spread over its nodes, shared tables copied, queues local', async (t) => {
  if (!distributed) return t.skip('TEST_DATABASE_URL names no Postgres with Citus and its nodes')
  const { owner } = database
  const { rows: walled } = await owner.query<{ name: string }>(
    `select relname as name from pg_class
     where relrowsecurity and relnamespace = 'public'::regnamespace and relname <> 'change' order by 1`,
  )
  const { rows: tables } = await owner.query<{ name: string; type: string; by: string; group: number }>(
    `select table_name::text as name, citus_table_type as type, distribution_column as by, colocation_id as group
     from citus_tables where table_name::text !~ '^point_' order by 1`,
  )
  const ofType = (type: string) => tables.filter((table) => table.type === type)
  const spread = ofType('distributed')
  assert.deepEqual(
    spread.map(({ name }) => name),
    walled.map(({ name }) => name),
  )
  assert.equal(new Set(spread.map(({ by, group }) => `${by} ${group}`)).size, 1)
  assert.equal(spread[0]!.by, 'tenant_id')
  const shared = ofType('reference').map(({ name }) => name)
  for (const name of ['tenant', 'person', 'invitation', 'device_route']) assert.ok(shared.includes(name), name)
  for (const name of ['command_outbox', 'mail_outbox', 'client_error']) assert.ok(!shared.includes(name), name)
  const { rows: nodes } = await owner.query(
    `select distinct nodename, nodeport from citus_shards where table_name = 'device'::regclass`,
  )
  assert.ok(nodes.length > 1)
})

test('a tenant is moved with all its rows to a known machine, and not to an unknown one', async (t) => {
  if (!distributed) return t.skip('TEST_DATABASE_URL names no Postgres with Citus and its nodes')
  const { owner } = database
  for (const id of ['large', 'small']) await owner.query('insert into tenant (id, display_name) values ($1, $1)', [id])
  for (const id of ['large', 'small'])
    await owner.query(`insert into property (tenant_id, id, reference) values ($1, gen_random_uuid(), 'A')`, [id])
  await assert.rejects(placeTenant(owner, 'large', 'nowhere.example:5432'), /knows no machine nowhere.example:5432/)
  const places = async () => {
    const { rows } = await owner.query<{ place: string }>(
      `select distinct nodename || ':' || nodeport as place from citus_shards
       where shardid = get_shard_id_for_distribution_column('property', 'large')`,
    )
    return rows.map(({ place }) => place)
  }
  const [before] = await places()
  const other = (await machinesOf(owner)).find((machine) => machine !== before)!
  assert.deepEqual(await placeTenant(owner, 'large', other), { before })
  assert.deepEqual(await places(), [other])
  assert.deepEqual(await placeTenant(owner, 'large', other), { before: other })

  // Its former shards are dropped later, and until then they prevent its return.
  const { rows: pieces } = await owner.query<{ piece: string }>(
    `select 'audit_entry_' || get_shard_id_for_distribution_column('audit_entry', 'large') as piece`,
  )
  const reader = new pg.Client({ connectionString: Object.assign(new URL(database.url), { host: before }).href })
  await reader.connect()
  await reader.query(`begin; select from ${pieces[0]!.piece} limit 1`)
  await assert.rejects(placeTenant(owner, 'large', before!), /its former data there is still in use: try again/)
  await reader.end()
  const { rows } = await owner.query(`select tenant_id, count(*)::int from property group by 1 order by 1`)
  assert.deepEqual(rows, [
    { tenant_id: 'large', count: 1 },
    { tenant_id: 'small', count: 1 },
  ])
})
