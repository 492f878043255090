import assert from 'node:assert/strict'
import { test } from 'vitest'
import { testDatabase } from '../testing/database.ts'
import { openPool } from './pool.ts'

test('broken connections are logged in one line per incident', async () => {
  const database = await testDatabase()
  const lines: object[] = []
  const pool = openPool(database.url, 'app', 3, { error: (details) => lines.push(details) })
  const kill = async () => {
    // Three idle connections and one in use.
    const clients = await Promise.all([pool.connect(), pool.connect(), pool.connect()])
    const ended = clients.map((client) => new Promise((resolve) => client.once('end', resolve)))
    for (const client of clients.slice(1)) client.release()
    await database.owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and usename = session_user and pid <> pg_backend_pid()
         and application_name = 'caretaker-app'`,
    )
    await Promise.all(ended)
    clients[0]!.release(true)
  }
  try {
    await kill()
    assert.equal(lines.length, 1)
    const { role, err } = lines[0] as { role: string; err: { code: string } }
    assert.deepEqual([role, err.code], ['app', '57P01'])
    await kill()
    assert.equal(lines.length, 2)
  } finally {
    await pool.end()
    await database.drop()
  }
})
