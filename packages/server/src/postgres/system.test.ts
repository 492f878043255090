import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'vitest'
import pg from 'pg'
import { freePort } from '../testing/ports.ts'
import { migrations } from '../migrations/index.ts'
import { migrate } from './migrate.ts'
import { openDb, openPool } from './pool.ts'
import { inTenant } from './tenant.ts'
import { skipBecause } from '../testing/skipping.ts'

/** The oldest supported server that is installed: what runs on it runs on newer ones too. */
function systemPostgres(): string | undefined {
  const base = '/usr/lib/postgresql'
  if (!existsSync(base)) return undefined
  const [oldest] = readdirSync(base)
    .filter((major) => Number(major) >= 15 && existsSync(`${base}/${major}/bin/initdb`))
    .sort()
  return oldest && `${base}/${oldest}/bin`
}

const programs = systemPostgres()

test(
  "an organisation's own Postgres works with an owner that is not a superuser",
  skipBecause(programs ? false : 'no system Postgres 15 or newer is installed'),
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-system-'))
    chmodSync(folder, 0o777)
    const data = path.join(folder, 'data')
    const port = await freePort()
    const root = process.getuid?.() === 0
    // Postgres refuses to run as root; Debian's package creates the user for it.
    const run = (program: string, ...args: string[]) => {
      const command = [...(root ? ['runuser', '-u', 'postgres', '--'] : []), path.join(programs!, program), ...args]
      const { status, stdout, stderr } = spawnSync(command[0]!, command.slice(1), {
        encoding: 'utf8',
        cwd: '/',
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      assert.equal(status, 0, `${program}: ${stdout}${stderr}`)
    }
    run('initdb', '-D', data, '-U', 'boss', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync')
    run(
      'pg_ctl',
      '-D',
      data,
      '-w',
      '-l',
      path.join(folder, 'log'),
      '-o',
      `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=`,
      'start',
    )
    try {
      const boss = new pg.Client({ connectionString: `postgres://boss@127.0.0.1:${port}/postgres` })
      await boss.connect()
      await boss.query('create role estate login createrole nosuperuser')
      await boss.query('create database estate owner estate')
      await boss.end()

      const url = `postgres://estate@127.0.0.1:${port}/estate`
      const owner = openPool(url, 'owner', 2)
      assert.deepEqual(await migrate(owner), Object.keys(migrations))
      assert.deepEqual(await migrate(owner), [], 'a second run has nothing to do')
      const app = openPool(url, 'app', 2)
      const db = openDb(app)
      for (const id of ['north', 'south']) await db.insertInto('tenant').values({ id, display_name: id }).execute()
      await inTenant(db, 'north', (tx) =>
        tx.insertInto('tag').values({ tenant_id: 'north', id: crypto.randomUUID(), name: 'mine' }).execute(),
      )
      const seen = (tenant: string) => inTenant(db, tenant, (tx) => tx.selectFrom('tag').selectAll().execute())
      assert.equal((await seen('north')).length, 1)
      assert.equal((await seen('south')).length, 0)
      await Promise.all([app.end(), owner.end()])
    } finally {
      run('pg_ctl', '-D', data, '-m', 'immediate', 'stop')
      rmSync(folder, { recursive: true, force: true })
    }
  },
)
