import assert from 'node:assert/strict'
import { test } from 'vitest'
import { sql } from 'kysely'
import { testDatabase } from '../testing/database.ts'
import { openDb, openPool } from './pool.ts'
import { prepared } from './prepared.ts'

test('a connection keeps the plan of a marked statement for all values, also when the tables have changed', async () => {
  const database = await testDatabase()
  const pool = openPool(database.url, 'owner', 1)
  const db = openDb(pool)
  const find = async (id: string) => {
    const found = await db
      .selectFrom('tenant')
      .select('display_name')
      .where('id', '=', id)
      .modifyEnd(prepared)
      .executeTakeFirst()
    return found?.display_name
  }
  const kept = async () => {
    const { rows } = await sql<{ statement: string; runs: number }>`
      select statement, (generic_plans + custom_plans)::integer as runs from pg_prepared_statements`.execute(db)
    return rows
  }
  try {
    await database.owner.query(`insert into tenant (id, display_name) values ('one', 'One'), ('two', 'Two')`)
    assert.deepEqual([await find('one'), await find('two'), await find('three')], ['One', 'Two', undefined])
    assert.deepEqual(
      (await kept()).map(({ runs }) => runs),
      [3],
    )
    await db.selectFrom('tenant').select('display_name').where('id', '=', 'one').execute()
    assert.equal((await kept()).length, 1)

    await database.owner.query('alter table tenant add column later text')
    await database.owner.query('create index on tenant (display_name)')
    assert.equal(await find('two'), 'Two')
    assert.equal((await kept()).length, 1)
  } finally {
    await db.destroy()
    await database.drop()
  }
})
