import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, test } from 'vitest'
import { readConfig } from '../config.ts'
import { openStore } from '../files/store.ts'
import { migrations } from '../migrations/index.ts'
import { migrate } from '../postgres/migrate.ts'
import { testApp } from '../testing/app.ts'
import { contentsOf } from '../testing/contents.ts'
import type { TestDatabase } from '../testing/database.ts'
import { emptyDatabase, testDatabase } from '../testing/database.ts'
import { endConnections } from '../testing/operator-commands.ts'
import { openOperator } from '../testing/operator.ts'
import { startS3 } from '../testing/s3-server.ts'
import { furnish } from '../testing/furnish/furnish.ts'
import { backUp } from './backup.ts'

const program = fileURLToPath(new URL('../cli/main.ts', import.meta.url))
const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-places-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** An operator command on a database that no other process of the product uses. */
async function caretaker({ url }: TestDatabase, args: string[], more: Record<string, string> = {}): Promise<string> {
  await endConnections(url)
  const operator = openOperator({ DATABASE_URL: url, CARETAKER_DATA: path.join(folder, randomUUID()), ...more })
  const { code, stdout, stderr } = await operator.run(args)
  assert.equal(code, 0, stderr)
  return stdout
}

test('files are copied byte by byte from one bucket to another', async () => {
  const [from, to] = [await startS3(), await startS3()]
  const app = await testApp({ FILES_URL: from.url })
  const there = await emptyDatabase()
  const file = path.join(folder, 'bucket.zip')
  try {
    await furnish(app, 'north')
    const { rows } = await app.database.owner.query<{ key: string; size: number }>(
      `select tenant_id || '/' || id as key, size from file`,
    )
    assert.ok(rows.length > 0)
    const content = ({ key, size }: (typeof rows)[number]) => key.repeat(size).slice(0, size)
    for (const row of rows) await app.context.files.put(row.key, new Blob([content(row)]))
    const expected = await contentsOf(app.database.owner)
    await caretaker(app.database, ['backup', file], { FILES_URL: from.url })
    const printed = await caretaker(there, ['restore', file], { FILES_URL: to.url })
    assert.match(printed, new RegExp(`${rows.length} files? of`))
    assert.deepEqual(await contentsOf(there.owner), expected)
    const brought = openStore(readConfig({ FILES_URL: to.url }))
    for (const row of rows) {
      const chunks: Buffer[] = []
      for await (const chunk of await brought.read(row.key)) chunks.push(Buffer.from(chunk as Uint8Array))
      assert.equal(Buffer.concat(chunks).toString(), content(row), row.key)
    }
  } finally {
    await there.drop()
    await app.close()
    await from.stop()
    await to.stop()
  }
})

test('a backup of an older schema is restored and migrated to the newest', async () => {
  const [older, there] = [await emptyDatabase(), await emptyDatabase()]
  const file = path.join(folder, 'older.zip')
  const names = Object.keys(migrations)
  const known = names.slice(0, 1)
  try {
    assert.ok(known.length < names.length)
    await migrate(older.owner, { migrations: Object.fromEntries(known.map((name) => [name, migrations[name]!])) })
    const device = randomUUID()
    for (const statement of [
      `insert into tenant (id, display_name) values ('north', 'North')`,
      `insert into tag (tenant_id, id, name) values ('north', gen_random_uuid(), 'Stairs')`,
      `insert into device (tenant_id, id, serial, product, name, listing, status, severity)
         values ('north', '${device}', 'EM1000001X', 'EM', 'Light', 'EmergencyLights', 'Ok', 2)`,
      `insert into device_route (device_id, tenant_id) values ('${device}', 'north')`,
      `insert into series (tenant_id, device_id, metric) values ('north', '${device}', 'batteryVoltage')`,
      `insert into packed_day (tenant_id, series_id, day, n, gaps, readings)
         select 'north', id, '2026-01-05T00:00:00Z', 2, '{0,60000}', '{3.6,3.7}' from series`,
    ])
      await older.owner.query(statement)
    await backUp({ owner: older.owner, files: openStore(readConfig({ CARETAKER_DATA: folder })) }, file)
    await caretaker(there, ['restore', file])
    const { rows: schema } = await there.owner.query<{ name: string }>(
      'select name from kysely_migration order by name',
    )
    assert.deepEqual(
      schema.map(({ name }) => name),
      names.toSorted(),
    )
    for (const [table, columns] of [
      ['tag', 'id, name'],
      ['device', 'id, serial, status'],
      ['packed_day', 'series_id, n, gaps, readings'],
    ]) {
      const rows = async ({ owner }: TestDatabase) => (await owner.query(`select ${columns} from ${table}`)).rows
      const found = await rows(there)
      assert.equal(found.length, 1)
      assert.deepEqual(found, await rows(older), table)
    }
    // The restored database works like any other.
    await caretaker(there, ['tenant', 'suspend', '--tenant', 'north', '--reason', 'Tried out'])
  } finally {
    await there.drop()
    await older.drop()
  }
})

test('backup and restore take little memory, whatever the amount of data', async () => {
  const [large, there] = [await testDatabase(), await emptyDatabase()]
  const data = path.join(folder, 'large')
  const file = path.join(folder, 'large.zip')
  const id = randomUUID()
  const megabytes = 150
  try {
    await large.owner.query(`insert into tenant (id, display_name) values ('north', 'North')`)
    await large.owner.query(
      `insert into device (tenant_id, id, serial, product, name, status, severity)
       values ('north', $1, 'ED1', 'ED', 'A device', 'Ok', 2)`,
      [id],
    )
    // 48 MB of random digits, which compress badly: two copies in memory would exceed the limit.
    for (let batch = 0; batch < 10; batch++)
      await large.owner.query(
        `insert into bad_message (tenant_id, device_id, channel, reason, detail, payload)
         select 'north', $1, 'events', 'r', 'd', payload from unnest($2::text[]) as payload`,
        [id, Array.from({ length: 50 }, () => randomBytes(48_000).toString('hex'))],
      )
    mkdirSync(path.join(data, 'files/north'), { recursive: true })
    const kept = randomUUID()
    writeFileSync(path.join(data, 'files/north', kept), '')
    truncateSync(path.join(data, 'files/north', kept), megabytes * 1e6)
    await large.owner.query(
      `insert into file (tenant_id, id, referrer, name, content_type, size, sha256, created_at)
       values ('north', $1, 'compliance_record', 'large.pdf', 'application/pdf', $2, $3, now())`,
      [kept, megabytes * 1e6, Buffer.alloc(32)],
    )
    // The peak memory of the process, reported when it ends.
    const peak = path.join(folder, 'peak.mjs')
    writeFileSync(
      peak,
      `process.on('exit', () => process.stderr.write('peak ' + process.resourceUsage().maxRSS))
       process.argv = [process.argv[0], ${JSON.stringify(program)}, ...process.argv.slice(2)]
       await import(${JSON.stringify(`file://${program}`)})`,
    )
    const peakOf = (url: string, place: string, ...args: string[]) => {
      const { status, stderr } = spawnSync(process.execPath, [peak, ...args], {
        encoding: 'utf8',
        env: { ...process.env, DATABASE_URL: url, CARETAKER_DATA: place },
      })
      assert.equal(status, 0, stderr)
      return Number(/peak (\d+)/.exec(stderr)![1]) / 1000
    }
    const most = 260
    const made = peakOf(large.url, data, 'backup', file)
    assert.ok(made < most, `a backup of ${megabytes + 48} MB took ${Math.round(made)} MB`)
    await there.owner.query('select 1')
    await endConnections(there.url)
    const brought = peakOf(there.url, path.join(folder, 'brought'), 'restore', file)
    assert.ok(brought < most, `a restore took ${Math.round(brought)} MB`)
  } finally {
    await there.drop()
    await large.drop()
  }
})
