import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'vitest'
import { testDatabase } from '../packages/server/src/testing/database.ts'
import { skipBecause } from '../packages/server/src/testing/skipping.ts'
import { root } from './child.mjs'
import { nodeFlags } from './install.mjs'
import { psqlEnvironment, tableOf } from './psql.ts'

const program = path.join(root, 'tools', 'psql.ts')

function shell(url: string, { args = [] as string[], input = '', PATH = process.env.PATH ?? '' } = {}) {
  const env = { ...process.env, DATABASE_URL: url, PATH }
  return spawnSync(process.execPath, [...nodeFlags, program, ...args], { encoding: 'utf8', input, env })
}

const withoutPsql = spawnSync('psql', ['--version']).status === 0 ? false : 'psql is not installed'

test('npm run psql runs psql on the database of the installation', skipBecause(withoutPsql), async () => {
  const database = await testDatabase()
  try {
    const { stdout, status, stderr } = shell(database.url, { args: ['-tAc', 'select count(*) from tenant'] })
    assert.equal(status, 0, stderr)
    assert.equal(stdout.trim(), '0')
    assert.match(stderr, /Using the database .* \(DATABASE_URL\)/)
  } finally {
    await database.drop()
  }
})

test('without psql, a small shell runs SQL and lists tables and columns', async () => {
  const database = await testDatabase()
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-psql-'))
  symlinkSync(process.execPath, path.join(folder, 'node'))
  try {
    const PATH = folder
    await database.owner.query(`insert into tenant (id, display_name) values ('northgate', 'Northgate Homes')`)
    const rows = shell(database.url, { args: ['-c', 'select id, display_name from tenant'], PATH })
    assert.equal(
      rows.stdout,
      'id        | display_name\n----------+----------------\nnorthgate | Northgate Homes\n(1 row)\n',
    )
    assert.match(shell(database.url, { input: '\\dt', PATH }).stdout, /^public \| alert_definition/m)
    assert.match(shell(database.url, { input: '\\d tenant', PATH }).stdout, /^display_name +\| text +\| true/m)
    const wrong = shell(database.url, { input: 'select nothing from nowhere;', PATH })
    assert.equal(wrong.status, 1)
    assert.match(wrong.stderr, /relation "nowhere" does not exist/)
  } finally {
    rmSync(folder, { recursive: true, force: true })
    await database.drop()
  }
})

test('psql gets the address from its environment, so that the list of processes does not show the password', () => {
  assert.deepEqual(psqlEnvironment('postgres://app:p%40ss@127.0.0.1:5544/postgres?sslmode=require'), {
    PGHOST: '127.0.0.1',
    PGPORT: '5544',
    PGUSER: 'app',
    PGPASSWORD: 'p@ss',
    PGDATABASE: 'postgres',
    PGSSLMODE: 'require',
  })
})

test('a table has a heading and a row count', () => {
  assert.equal(
    tableOf(
      ['a', 'bb'],
      [
        [1, null],
        ['long', { x: 1 }],
      ],
    ),
    'a    | bb\n-----+--------\n1    |\nlong | {"x":1}\n(2 rows)',
  )
})
