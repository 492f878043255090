import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, test } from 'vitest'
import pg from 'pg'
import { migrations } from '../migrations/index.ts'
import { forgetFiles } from '../files/retention.ts'
import { openStore } from '../files/store.ts'
import { migrate } from '../postgres/migrate.ts'
import { inTenant } from '../postgres/tenant.ts'
import { squashed } from '../postgres/squashed.ts'
import type { TestApp } from '../testing/app.ts'
import { testApp } from '../testing/app.ts'
import { contentsOf, contentsOfBackup } from '../testing/contents.ts'
import type { TestDatabase } from '../testing/database.ts'
import { openPools, testDatabase } from '../testing/database.ts'
import { eventually } from '../testing/device-link.ts'
import type { OwnedDatabase } from '../testing/operator-commands.ts'
import {
  beginCommand as begin,
  runCommand as caretaker,
  commandDone as done,
  endConnections,
  ownedDatabase,
  commandRefused as refused,
} from '../testing/operator-commands.ts'
import { furnish } from '../testing/furnish/furnish.ts'
import { openArchive, writeArchive } from './archive.ts'
import { backUp } from './backup.ts'
import { manifestName, readManifest } from './manifest.ts'
import { forgetBackupRecord, storedBackupRecord } from './record.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-backup-'))
const whole = path.join(folder, 'whole.zip')
const sourceFiles = path.join(folder, 'source')

/** The source installation; its owner is not a superuser, as in an organisation's own database. */
let source: TestDatabase
let app: TestApp
/** Connects as its owner. */
let sourceUrl: string
const owned: OwnedDatabase[] = []
async function newDatabase(): Promise<OwnedDatabase> {
  const database = await ownedDatabase()
  owned.push(database)
  return database
}
const leaveAlone = ({ url }: TestDatabase) => endConnections(url)

beforeAll(async () => {
  const made = await newDatabase()
  source = made.database
  sourceUrl = made.url
  const owner = new pg.Pool({ connectionString: sourceUrl, max: 2 })
  await migrate(owner)
  await owner.end()
  app = await testApp({ CARETAKER_DATA: sourceFiles }, source)
  for (const tenant of ['north', 'south']) {
    const has = await furnish(app, tenant)
    await inTenant(app.database.db, tenant, (tx) =>
      tx
        .insertInto('bad_message')
        .values({
          ...{ tenant_id: tenant, device_id: has.light, channel: 'events', reason: 'r', detail: 'd' },
          // Characters that COPY escapes.
          payload: 'a\tb\nc\\d\\N "é" \r\n',
        })
        .execute(),
    )
  }
  const { rows: files } = await source.owner.query<{ key: string; size: number }>(
    `select tenant_id || '/' || id as key, size from file`,
  )
  for (const { key, size } of files) await app.context.files.put(key, new Blob([key.repeat(size).slice(0, size)]))
  await source.owner.query(`insert into idp.account (id, email, name, password_hash)
    values (gen_random_uuid(), 'somebody@north.test', 'Somebody', 'hash')`)
  await done(sourceUrl, sourceFiles, 'backup', whole)
  assert.ok((await storedBackupRecord(source.owner))?.madeAt)
  // The record of this backup is not part of it: the tests compare everything else.
  await forgetBackupRecord(source.owner)
})
afterAll(async () => {
  await app.app.close()
  for (const database of owned) await database.drop()
  rmSync(folder, { recursive: true, force: true })
})

/** An empty installation with a folder for its files. */
async function emptyInstallation() {
  const { database, url } = await newDatabase()
  return { database, url, data: mkdtempSync(path.join(folder, 'data-')) }
}
/** Connections that do not belong to the product. */
async function looking<T>({ url }: TestDatabase, look: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  try {
    return await look(pool)
  } finally {
    await pool.end()
  }
}

/** The files of a store, by their path in its folder. */
function filesIn(data: string): Record<string, string> {
  const entries = readdirSync(path.join(data, 'files'), { recursive: true, withFileTypes: true })
  const places = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name))
  return Object.fromEntries(
    places.map((place) => [path.relative(data, place), readFileSync(place, 'latin1')] as const).sort(byName),
  )
}
const byName = ([a]: readonly [string, string], [b]: readonly [string, string]) => (a < b ? -1 : 1)

const placed = (tenant: string) => ['tenant', 'place', '--tenant', tenant, '--machine', 'worker3.example:5432']

describe('everything', () => {
  test('is restored into an empty database: each table, the sequences, and the files', async () => {
    const { database, url, data } = await emptyInstallation()
    const printed = await done(url, data, 'restore', whole)
    assert.match(printed, /^Restored [\d,]+ rows, \d+ files of /)
    const [there, here] = [await contentsOf(source.owner), await looking(database, contentsOf)]
    assert.deepEqual(here, there)
    const filled = Object.values(there).filter((content) => !content.startsWith('0 rows'))
    assert.ok(filled.length >= 55, `${filled.length} tables have rows`)
    assert.deepEqual(filesIn(data), filesIn(sourceFiles))
    const next = async ({ owner }: TestDatabase) =>
      (await owner.query<{ last: string }>(`select last_value as last from series_id_seq`)).rows[0]!.last
    assert.ok((await next(database)) >= (await next(source)))
    const isolatedTables = `select relname from pg_class where relforcerowsecurity and relrowsecurity order by 1`
    assert.deepEqual((await database.owner.query(isolatedTables)).rows, (await source.owner.query(isolatedTables)).rows)
    const again = path.join(folder, 'again.zip')
    await done(url, data, 'backup', again)
    assert.deepEqual(await contentsOfBackup(again), await contentsOfBackup(whole))
    await leaveAlone(database)
    await refused(/already contains clients.*--replace/, url, data, 'restore', whole)
    await leaveAlone(database)
    await database.owner.query(`update tenant set display_name = 'changed since'`)
    await database.owner.query(`delete from device_note`)
    await leaveAlone(database)
    await done(url, data, 'restore', whole, '--replace')
    assert.deepEqual(await contentsOf(database.owner), there)
  })

  test('a replacement deletes files of the former content and keeps those of the backup', async () => {
    const { database, url, data } = await emptyInstallation()
    await done(url, data, 'restore', whole)
    const other = crypto.randomUUID()
    const store = openStore({ dataDir: data, filesUrl: undefined })
    await store.put(`north/${other}`, new Blob(['since']))
    await database.owner.query(
      `insert into file (tenant_id, id, referrer, name, content_type, size, sha256, created_at)
       values ('north', $1, 'document', 'since.pdf', 'application/pdf', 5, sha256('since'), now())`,
      [other],
    )
    await leaveAlone(database)
    await done(url, data, 'restore', whole, '--replace')
    const pools = openPools(database.url)
    await forgetFiles({ db: pools.db, files: store, log: app.context.log }, new Date())
    await pools.drop()
    assert.deepEqual(filesIn(data), filesIn(sourceFiles))
  })

  test('moves into another database with one command, which can be tried first', async () => {
    const [from, to] = [await emptyInstallation(), await emptyInstallation()]
    await source.owner.query('select 1')
    await refused(/Caretaker is running on this database/, sourceUrl, sourceFiles, 'move-database', to.url)
    await refused(/Expected postgres:/, from.url, from.data, 'move-database', 'nowhere')
    await done(from.url, from.data, 'restore', whole)
    const closed = 'postgres://nobody@127.0.0.1:9/none'
    await refused(/The other database: .* cannot be reached/, from.url, from.data, 'move-database', closed)
    const { code, stdout, stderr } = await caretaker(from.url, from.data, 'move-database', to.url, '--dry-run')
    assert.equal(code, 0, stderr)
    assert.match(stderr, /2 clients with [\d,]+ devices, a database of [\d.]+ MB, would be moved\./)
    assert.match(stdout, /The move is possible\. Nothing was moved\./)
    assert.equal((await to.database.owner.query(`select where to_regclass('public.tenant') is null`)).rowCount, 1)
    await leaveAlone(to.database)
    const files = filesIn(from.data)
    assert.match(await done(from.url, from.data, 'move-database', to.url), /^Moved [\d,]+ rows, 0 files/)
    assert.deepEqual(await looking(to.database, contentsOf), await contentsOf(source.owner))
    assert.deepEqual(filesIn(from.data), files)
    await leaveAlone(to.database)
    const taken = ['move-database', to.url, '--dry-run']
    await refused(/already contains clients/, from.url, from.data, ...taken)
    await refused(
      /on one machine: there is no other machine|knows no machine worker3/,
      from.url,
      from.data,
      ...placed('north'),
    )
  })

  test('is not restored while the product runs, nor into a database of something else', async () => {
    const { database, url, data } = await emptyInstallation()
    const running = openPools(url)
    await running.owner.query('select 1')
    await refused(
      /Caretaker is running on this database \(caretaker-owner\): stop it first/,
      url,
      data,
      'restore',
      whole,
    )
    await running.drop()
    await leaveAlone(database)
    await database.owner.query('create table theirs (id int)')
    await leaveAlone(database)
    await refused(/contains other tables/, url, data, 'restore', whole)
    await refused(/backup of everything, not of north alone/, url, data, 'restore', whole, '--tenant', 'north')
    assert.equal(
      (await database.owner.query(`select from pg_tables where schemaname in ('public', 'idp')`)).rowCount,
      1,
    )
  })

  test('an interrupted restore leaves a database that no process serves until it is restored again', async () => {
    const { database, url, data } = await emptyInstallation()
    await looking(database, async (pool) => {
      const holds = async (text: string) => (await pool.query<{ it: boolean }>(`select ${text} as it`)).rows[0]!.it
      const marked = () => holds(`exists (select from pg_namespace where nspname = 'caretaker_restore')`)
      const half = () => holds(`to_regclass('public.report_run') is not null`)
      const why = /A backup is being restored into this database, or the restore was interrupted/
      for (const moment of [marked, half]) {
        const { child, ended } = begin(url, data, ['restore', whole])
        await eventually(
          async () => child.exitCode !== null || (await moment()),
          (is) => is,
        )
        child.kill('SIGKILL')
        assert.deepEqual([await ended, await marked()], [null, true], 'it was killed in the middle')
        await leaveAlone(database)
        if (await holds(`to_regclass('public.tenant') is not null`))
          assert.equal((await pool.query('select from tenant')).rowCount, 0, 'nothing of it can be seen')
      }
      await refused(why, url, data, 'tenant', 'list')
      await refused(why, url, data, 'migrate')
      await refused(why, url, data, 'backup', path.join(folder, 'never.zip'))
      const server = spawn(process.execPath, [fileURLToPath(new URL('../main.ts', import.meta.url))], {
        env: { ...process.env, DATABASE_URL: url, CARETAKER_DATA: data, PORT: '0', MQTT_PORT: '0' },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let output = ''
      server.stderr.on('data', (chunk) => (output += String(chunk)))
      assert.equal((await once(server, 'close'))[0], 1)
      assert.match(output, why)
      await leaveAlone(database)
      await done(url, data, 'restore', whole)
      assert.deepEqual(await contentsOf(pool), await contentsOf(source.owner))
      assert.equal(await marked(), false)
    })
  })
})

describe('an incomplete backup file', () => {
  /** A modified copy of the backup file. */
  const bent = (change: (bytes: Buffer) => Buffer) => {
    const file = path.join(folder, `bent-${crypto.randomUUID()}.zip`)
    writeFileSync(file, change(readFileSync(whole)))
    return file
  }
  const isRefused = async (file: string) => {
    const archive = await openArchive(file)
    try {
      await archive.check()
      await readManifest(archive)
    } finally {
      archive.close()
    }
  }

  test('is rejected wherever a byte of a part differs, and wherever it is truncated', async () => {
    const { size } = statSync(whole)
    await isRefused(whole)
    const damages = { name: 'BackupFault', message: /damaged|not a complete backup/ }
    for (let n = 1; n < 24; n++) {
      const at = Math.floor((size * n) / 24)
      await assert.rejects(isRefused(bent((bytes) => bytes.subarray(0, at))), damages, `cut off at ${at}`)
    }
    for (const name of ['idp.account', 'public.device/north', 'SHA256SUMS', 'manifest.json']) {
      const file = bent((bytes) => {
        const at = bytes.indexOf(name) + name.length + 60
        bytes[at] = bytes[at]! ^ 1
        return bytes
      })
      await assert.rejects(isRefused(file), damages, name)
    }
    await assert.rejects(isRefused(bent(() => Buffer.from('no zip'))), damages)
    await assert.rejects(isRefused(bent((bytes) => Buffer.concat([bytes, bytes.subarray(0, 100)]))), damages)
  })

  test('writes nothing if damaged, of a newer schema, from before the baseline, of an unknown format, or missing', async () => {
    const { database, url, data } = await emptyInstallation()
    const rewritten = async (change: (manifest: Record<string, unknown>) => void) => {
      const file = path.join(folder, `other-${crypto.randomUUID()}.zip`)
      const archive = await openArchive(whole)
      await writeArchive(file, async (other) => {
        const manifest = JSON.parse(
          Buffer.concat((await (await archive.read(manifestName)).toArray()) as Buffer[]).toString(),
        ) as Record<string, unknown>
        change(manifest)
        await other.add(manifestName, [Buffer.from(JSON.stringify(manifest))])
      })
      archive.close()
      return file
    }
    const cut = bent((bytes) => bytes.subarray(0, bytes.length - 1000))
    await refused(/not a complete backup of Caretaker/, url, data, 'restore', cut)
    await refused(/There is no file/, url, data, 'restore', path.join(folder, 'nowhere.zip'))
    const newer = await rewritten((manifest) => (manifest.migrations = [...Object.keys(migrations), '9999-new']))
    await refused(/newer schema \(9999-new unknown here\)/, url, data, 'restore', newer)
    const older = await rewritten((manifest) => (manifest.migrations = squashed.slice(0, 100)))
    await refused(
      /restore it with commit \w+ into an empty database, run .+; or make a new/,
      url,
      data,
      'restore',
      older,
    )
    const other = await rewritten((manifest) => Object.assign(manifest, { formatVersion: 2, version: '9.0.0' }))
    await refused(
      /made by version 9\.0\.0 of Caretaker in a format that this version cannot read/,
      url,
      data,
      'restore',
      other,
    )
    const made = `select from pg_tables where schemaname in ('public', 'idp', 'pgboss')`
    assert.equal((await database.owner.query(made)).rowCount, 0)
    assert.equal((await database.owner.query(`select from pg_namespace where nspname ~ 'caretaker'`)).rowCount, 0)
    assert.ok(!existsSync(path.join(data, 'files')))
  })
})

describe('while the product runs', () => {
  test('a backup is a consistent snapshot despite concurrent writes, and only one runs at a time', async () => {
    const { db } = app.database
    let [stopped, written] = [false, 0]
    // A person, the member for them, and two more rows: a backup with only some of them is not one snapshot.
    const writing = (async () => {
      while (!stopped) {
        await inTenant(db, 'north', async (tx) => {
          const id = crypto.randomUUID()
          const [email, name] = [`${id}@pair.test`, 'Of a pair']
          await tx.insertInto('person').values({ id, issuer: 'embedded', subject: id, email, name }).execute()
          await tx
            .insertInto('membership')
            .values({ tenant_id: 'north', id, person_id: id, email, name, role: 'Guest' })
            .execute()
          await tx
            .insertInto('tag')
            .values({ tenant_id: 'north', id, name: `pair ${id}` })
            .execute()
          await tx
            .insertInto('access_rights_tag')
            .values({ tenant_id: 'north', id, display_name: `pair ${id}` })
            .execute()
        })
        written++
      }
    })()
    await eventually(
      async () => written,
      (count) => count > 20,
    )
    const file = path.join(folder, 'busy.zip')
    const begun = written
    const installation = { owner: source.product.owner, files: app.context.files }
    const [one, two] = await Promise.allSettled([
      backUp(installation, file),
      backUp(installation, path.join(folder, 'twice.zip')),
    ])
    assert.ok(written > begun, 'it was written to meanwhile')
    stopped = true
    await writing
    assert.deepEqual([one.status, two.status].sort(), ['fulfilled', 'rejected'])
    const failed = one.status === 'rejected' ? one : (two as PromiseRejectedResult)
    assert.match(String(failed.reason), /Another backup of this installation is running/)
    const made = [file, path.join(folder, 'twice.zip')].filter((name) => existsSync(name))
    assert.equal(made.length, 1)
    const archive = await openArchive(made[0]!)
    const pairs = async (table: string, sign = /(?<=pair )\S+/g) =>
      Buffer.concat((await (await archive.read(`tables/public.${table}.copy.zst`)).toArray()) as Buffer[])
        .toString()
        .match(sign)!
        .sort()
    const [tags, email] = [await pairs('tag/north'), /\S+(?=@pair\.test)/g]
    assert.deepEqual(await pairs('access_rights_tag/north'), tags)
    assert.deepEqual(await pairs('membership/north', email), tags)
    assert.deepEqual(await pairs('person', email), tags)
    archive.close()
    const { database, url, data } = await emptyInstallation()
    await done(url, data, 'restore', made[0]!)
    const pairsIn = async (table: string, column: string) =>
      (
        await database.owner.query<{ one: string }>(
          `select substring(${column} from '^pair (.*)') as one from ${table} where ${column} like 'pair %' order by 1`,
        )
      ).rows.map(({ one }) => one)
    assert.deepEqual(await pairsIn('tag', 'name'), tags)
    assert.deepEqual(await pairsIn('access_rights_tag', 'display_name'), tags)
  })

  test('no file is deleted during a backup; a file that the store has lost is reported', async () => {
    const id = crypto.randomUUID()
    await app.context.files.put(`north/${id}`, new Blob(['loose']))
    await source.owner.query(`insert into loose_file (file_id, tenant_id, due_at) values ($1, 'north', now())`, [id])
    const backingUp = await source.owner.connect()
    await backingUp.query('select pg_advisory_lock($1, -3)', [0x6361_7265])
    assert.equal(await forgetFiles(app.context), 0)
    backingUp.release(true)
    await eventually(
      () => forgetFiles(app.context),
      (gone) => gone > 0,
    )
    const { rows } = await source.owner.query<{ key: string }>(
      `select tenant_id || '/' || id as key from file where tenant_id = 'south' limit 1`,
    )
    const place = path.join(sourceFiles, 'files', rows[0]!.key)
    const content = readFileSync(place)
    rmSync(place)
    try {
      const file = path.join(folder, 'lost.zip')
      const { code, stderr } = await caretaker(sourceUrl, sourceFiles, 'backup', file)
      assert.equal(code, 1)
      assert.match(stderr, new RegExp(`Missing or incomplete in the file store: ${rows[0]!.key}`))
      const { url, data, database } = await emptyInstallation()
      await done(url, data, 'restore', file)
      assert.equal((await database.owner.query('select from file')).rowCount, Object.keys(filesIn(data)).length + 1)
    } finally {
      writeFileSync(place, content)
    }
  })

  test('an existing file is never overwritten, and a failed backup leaves none', async () => {
    const before = readFileSync(whole)
    await refused(/already exists/, sourceUrl, sourceFiles, 'backup', whole)
    assert.deepEqual(readFileSync(whole), before)
    const nowhere = path.join(folder, 'no', 'such', 'x.zip')
    await refused(/cannot be written: the folder does not exist/, sourceUrl, sourceFiles, 'backup', nowhere)
    const none = path.join(folder, 'none.zip')
    await refused(/There is no client east/, sourceUrl, sourceFiles, 'backup', none, '--tenant', 'east')
    assert.ok(!existsSync(none) && !existsSync(`${none}.unfinished`))
    assert.equal(statSync(whole).mode & 0o077, 0, 'nobody else may read it')
  })
})

describe('one tenant', () => {
  test('moves to another installation, where known people keep their identity and nobody else is affected', async () => {
    const { owner } = source
    const [known, stranger] = [crypto.randomUUID(), crypto.randomUUID()]
    await owner.query(
      `insert into person (id, issuer, subject, email, name, email_verified) values
        ($1, 'embedded', $1::uuid::text, 'known@north.test', 'Known', true), ($2, 'embedded', $2::uuid::text, 'new@north.test', 'New', true)`,
      [known, stranger],
    )
    for (const [id, email] of [
      [known, 'known@north.test'],
      [stranger, 'new@north.test'],
    ]) {
      await owner.query(`insert into idp.account (id, email, name, password_hash) values ($1, $2, $2, 'of there')`, [
        id,
        email,
      ])
      await owner.query(
        `insert into membership (tenant_id, id, person_id, email, name, role)
         values ('north', gen_random_uuid(), $1, $2, $2, 'Manager')`,
        [id, email],
      )
      await owner.query(
        `insert into audit_entry (tenant_id, person_id, person_name, action, subject_type, subject_id, subject_name)
         values ('north', $1, 'x', 'tag created', 'tag', 'x', 'x')`,
        [id],
      )
      await owner.query(`update device_note set person_id = $1 where tenant_id = 'north'`, [id])
    }
    const file = path.join(folder, 'north.zip')
    assert.match(await done(sourceUrl, sourceFiles, 'backup', file, '--tenant', 'north'), /all of north/)
    const { rows: authors } = await owner.query(
      `select person_name from audit_entry where tenant_id = 'north' and action = 'client exported'`,
    )
    assert.deepEqual(authors, [{ person_name: 'Operator' }])
    assert.doesNotMatch(JSON.stringify(Object.keys(await contentsOfBackup(file))), /south|idp\.secret|idp\.payload/)

    const there = await testDatabase()
    const data = mkdtempSync(path.join(folder, 'there-'))
    const other = await testApp({ CARETAKER_DATA: data }, there)
    await furnish(other, 'west')
    const same = crypto.randomUUID()
    await there.owner.query(
      `insert into person (id, issuer, subject, email, name, email_verified)
       values ($1, 'embedded', $1::uuid::text, 'Known@north.test', 'Known here', true)`,
      [same],
    )
    await there.owner.query(
      `insert into idp.account (id, email, name, password_hash)
      values ($1, 'known@north.test', 'Known here', 'of here')`,
      [same],
    )
    const west = await contentsOf(there.owner, 'west')
    await done(there.url, data, 'restore', file, '--tenant', 'north')
    assert.deepEqual(await contentsOf(there.owner, 'west'), west)

    // Replaces the id of the one person whom both installations know under different ids.
    const asHere = async (pool: pg.Pool) => {
      const client = await pool.connect()
      const { rows: names } = await client.query<{ name: string }>(
        `select distinct table_name as name from information_schema.columns join information_schema.tables using (table_schema, table_name)
         where table_schema = 'public' and column_name = 'tenant_id' and table_type = 'BASE TABLE'
           and table_name not in ('due', 'loose_file', 'change') and table_name !~ '^point_' order by 1`,
      )
      const contents: Record<string, string[]> = {}
      for (const { name } of names) {
        const { rows } = await client.query<{ one: string }>(
          `select replace((to_jsonb(one) - 'position')::text, $1, $2) as one from ${name} as one where tenant_id = 'north' order by 1`,
          [known, same],
        )
        contents[name] = rows
          .map(({ one }) => one)
          .filter((one) => !one.includes('client exported'))
          .sort()
      }
      client.release()
      return contents
    }
    assert.deepEqual(await asHere(there.owner), await asHere(owner))
    const moved = Object.keys(filesIn(data)).filter((name) => name.includes('/north/'))
    assert.deepEqual(
      moved,
      Object.keys(filesIn(sourceFiles)).filter((name) => name.includes('/north/')),
    )
    assert.equal((await there.owner.query(`select from loose_file where tenant_id = 'north'`)).rowCount, 0)
    const { rows: accounts } = await there.owner.query(
      `select email, password_hash from idp.account where email like '%north.test' order by 1`,
    )
    assert.deepEqual(
      accounts.filter(({ email }) => /known|new/.test(email)),
      [
        { email: 'known@north.test', password_hash: 'of here' },
        { email: 'new@north.test', password_hash: 'of there' },
      ],
    )
    const { rows: people } = await there.owner.query(`select id from person where lower(email) = 'known@north.test'`)
    assert.deepEqual(people, [{ id: same }])
    assert.ok((await there.owner.query(`select from due where tenant_id = 'north'`)).rowCount! > 20)
    // A new series gets a number that no moved series has.
    const { rows: fresh } = await there.owner.query<{ it: boolean }>(
      `select nextval('series_id_seq') > max(id) as it from series`,
    )
    assert.ok(fresh[0]!.it)

    await refused(/The client north already exists here/, there.url, data, 'restore', file)
    await refused(/cannot be replaced/, there.url, data, 'restore', file, '--replace')
    await other.close()
  })

  test('is not restored, even in part, if one of its devices belongs to another tenant there', async () => {
    const file = path.join(folder, 'taken.zip')
    await done(sourceUrl, sourceFiles, 'backup', file, '--tenant', 'south')
    const there = await testDatabase()
    const data = mkdtempSync(path.join(folder, 'taken-'))
    await there.owner.query(`insert into tenant (id, display_name) values ('west', 'West')`)
    const { rows } = await source.owner.query<{ id: string }>(
      `select device_id as id from device_route where tenant_id = 'south' limit 1`,
    )
    await there.owner.query(`insert into device_route (device_id, tenant_id) values ($1, 'west')`, [rows[0]!.id])
    const before = await contentsOf(there.owner, 'south')
    await refused(/Devices of south belong to another client here/, there.url, data, 'restore', file)
    const { 'public.loose_file': loose, ...after } = await contentsOf(there.owner, 'south')
    assert.deepEqual({ ...after, 'public.loose_file': '0 rows ' }, before)
    assert.ok(loose, 'its files are left to be deleted')
    await there.drop()
  })
})
