import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import type pg from 'pg'
import { sql } from 'kysely'
import { uninstall } from '../features/actions/uninstall.ts'
import { holdDevices } from '../features/devices/held.ts'
import type { Db } from '../postgres/pool.ts'
import { openDb, openPool } from '../postgres/pool.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { TestDatabase } from '../testing/database.ts'
import { isDistributed, testDatabase } from '../testing/database.ts'
import { openStore } from './store.ts'
import { skipBecause } from '../testing/skipping.ts'

let database: TestDatabase
/** A single session, so that its statistics are complete once they are flushed. */
let pool: pg.Pool
let db: Db
let devices: string[]
/** 50 devices spread over all pages of the table, as in practice: devices of one page do not all report at once. */
let spread: string[]
const tenant = 'north'
const skip = (await isDistributed()) && 'each machine of a distributed database counts its own pieces of the tables'
beforeAll(async () => {
  database = await testDatabase()
  pool = openPool(database.url, 'app', 1)
  db = openDb(pool)
  await database.owner.query(`insert into tenant (id, display_name) values ('north', 'North')`)
  const { rows } = await database.owner.query<{ id: string }>(
    `insert into device (tenant_id, id, serial, product, name, listing, status, severity, connection_status, reported)
     select 'north', gen_random_uuid(), 'EM1' || lpad(n::text, 6, '0'), 'EM', 'Light ' || n, 'EmergencyLights', 'Ok', 2,
       'Connected', jsonb_build_object('firmware', '1.0', 'signal', n)
     from generate_series(1, 300) n returning id`,
  )
  devices = rows.map((row) => row.id)
  spread = devices.filter((_, n) => n % 6 === 0)
  await database.owner.query(
    `insert into device_link (tenant_id, device_id, heard_at, connected) select 'north', id, now(), true from device`,
  )
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

interface Writes {
  rows: number
  hot: number
  /** Index entries at most: each row not updated in place adds one entry to every index of its table. */
  entries: number
}

/** Rows and index entries written, by table. */
async function written(work: () => Promise<unknown>): Promise<Record<string, Writes>> {
  const look = async () => {
    await sql`select pg_stat_force_next_flush()`.execute(db)
    // Flush the setup's statistics, so that they are not counted later.
    await database.owner.query('select pg_stat_force_next_flush()')
    const { rows } = await database.owner.query<{ name: string; rows: number; hot: number; indexes: number }>(
      `select relname as name, n_tup_ins + n_tup_upd as rows, n_tup_hot_upd as hot,
         (select count(*) from pg_index where indrelid = relid) as indexes
       from pg_stat_user_tables`,
    )
    return new Map(rows.map((row) => [row.name, row]))
  }
  const before = await look()
  await work()
  const after = await look()
  return Object.fromEntries(
    [...after].flatMap(([name, now]) => {
      const rows = now.rows - before.get(name)!.rows
      const hot = now.hot - before.get(name)!.hot
      return rows ? [[name, { rows, hot, entries: (rows - hot) * now.indexes }]] : []
    }),
  )
}

const total = (writes: Record<string, Writes>) => Object.values(writes).reduce((sum, { entries }) => sum + entries, 0)

test('a heartbeat writes no index entry of the device', skipBecause(skip), async () => {
  const store = openStore(db, { announce: () => {}, setAside: () => {} })
  // Once an hour a change also announces the cleanup of old ones.
  await store.links([{ deviceId: devices[1]!, tenant, at: Date.now() }])
  const writes = await written(async () => {
    for (const deviceId of spread) await store.links([{ deviceId, tenant, at: Date.now() + 1000 }])
  })
  assert.deepEqual(Object.keys(writes).toSorted(), ['change', 'device_link'])
  assert.deepEqual(writes['device_link'], { rows: 50, hot: 50, entries: 0 })
  assert.deepEqual(writes['change'], { rows: 50, hot: 0, entries: 50 })
})

test(
  'a state that no listing shows updates the device row in place, with at most 4 further index entries',
  skipBecause(skip),
  async () => {
    const store = openStore(db, { announce: () => {}, setAside: () => {} })
    const some = spread
    const writes = await written(async () => {
      for (const deviceId of some) {
        const message = { deviceId, tenant, payload: { signal: -70, uptime: 5 }, receivedAt: new Date() }
        await store.reports([{ channel: 'state', tenant, message, raw: Buffer.from(''), done: () => {} }])
        await store.links([{ deviceId, tenant, at: Date.now() + 2000 }])
      }
    })
    assert.equal(writes['device']!.rows, 50)
    // A page without room for both versions of two rows at once lets one of them move.
    assert.ok(writes['device']!.hot >= 40, JSON.stringify(writes))
    // One of them belongs to the raw message itself.
    assert.equal(writes['device_message']!.entries, some.length)
    assert.ok((total(writes) - writes['device']!.entries) / some.length <= 4, JSON.stringify(writes))
  },
)

test('uninstalling writes the row of each device once', skipBecause(skip), async () => {
  const some = devices.slice(100, 120)
  await database.owner.query(`update device set room = 'Hall', building_name = 'House' where id = any($1)`, [some])
  const writes = await written(() =>
    inTenant(db, tenant, async (tx) =>
      uninstall(tx, { id: null, name: 'Somebody' }, [...(await holdDevices(tx, some)).values()]),
    ),
  )
  assert.equal(writes['device']!.rows, some.length)
  const { rows } = await database.owner.query(
    `select distinct status, room, building_name from device where id = any($1)`,
    [some],
  )
  assert.deepEqual(rows, [{ status: 'Inventory', room: null, building_name: null }])
})
