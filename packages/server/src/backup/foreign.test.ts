import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import pg from 'pg'
import { openStore } from '../files/store.ts'
import { migrate } from '../postgres/migrate.ts'
import { contentsOf } from '../testing/contents.ts'
import { isDistributed } from '../testing/database.ts'
import { eventually } from '../testing/device-link.ts'
import { makeOldestInstallation } from '../testing/oldest-installation.ts'
import type { OwnedDatabase } from '../testing/operator-commands.ts'
import {
  commandDone as done,
  commandRefused as refused,
  endConnections,
  ownedDatabase,
  runCommand,
} from '../testing/operator-commands.ts'
import { openArchive, textOf, writeArchive } from './archive.ts'
import { backUp } from './backup.ts'
import type { Manifest } from './manifest.ts'
import { manifestName } from './manifest.ts'
import { forgetBackupRecord } from './record.ts'
import { verify } from './verify.ts'
import { skipBecause } from '../testing/skipping.ts'

/** Migration 0003 uses a statement that a distributed database rejects; no version before it ran on one. */
const skip = (await isDistributed()) && 'no distributed database has held rows in the first schema'
const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-foreign-'))
const data = path.join(folder, 'data')
const whole = path.join(folder, 'whole.zip')
/** An offset within the first part of each backup here. */
const inFirstPart = 110

/** An installation that started on the oldest supported commit, in a database with foreign tables. */
let source: OwnedDatabase
let stranger: string
/** The names of the foreign tables in its backup. */
const foreign =
  'public.device (dba_note), public.dba_log, public.kysely_migration_lock, public.theirs, reporting.weekly'
    .split(', ')
    .sort()
const owned: OwnedDatabase[] = []
let printed: string
/** The content of the installation when it was backed up. */
let held: Record<string, string>

async function newDatabase(): Promise<OwnedDatabase> {
  const database = await ownedDatabase()
  owned.push(database)
  return database
}

beforeAll(async () => {
  if (skip) return
  source = await newDatabase()
  const owner = new pg.Pool({ connectionString: source.url, max: 2 })
  await makeOldestInstallation(owner)
  await owner.query(`
    create table dba_log (id bigserial primary key, tenant_id text references tenant (id), person_id uuid, note text);
    insert into dba_log (tenant_id, note) values ('north', 'kept by hand');
    create view dba_devices as select tenant_id, serial from device;
    alter table device add column dba_note text default 'checked';
    create schema reporting;
    create table reporting.weekly (week int);
    insert into reporting.weekly values (1)`)
  await owner.end()
  stranger = `stranger_of_${new URL(source.url).pathname.slice(1)}`
  // Owned by another user, the only one who may read it.
  await source.database.owner.query(`
    create role ${stranger};
    create table theirs (id serial primary key, tenant_id text);
    insert into theirs (tenant_id) values ('north');
    alter table theirs owner to ${stranger}`)
  await endConnections(source.database.url)
  printed = await done(source.url, data, 'backup', whole)
  // The record of this backup is not part of it.
  await forgetBackupRecord(source.database.owner)
  held = await contentsOf(source.database.owner)
})
afterAll(async () => {
  if (!skip) {
    await source.database.owner.query(`drop owned by ${stranger}; drop role ${stranger}`)
    for (const database of owned) await database.drop()
  }
  rmSync(folder, { recursive: true, force: true })
})

/** The names in the line about what was left out. */
const leftOutIn = (text: string) =>
  /^Left out because not part of Caretaker: (.*)\.$/m.exec(text)?.[1]?.split(', ').sort()

test(
  "a backup contains the product's tables and names all others in one line, regardless of owner",
  skipBecause(skip),
  async () => {
    assert.deepEqual(leftOutIn(printed), foreign)
    const archive = await openArchive(whole)
    const names = [...archive.names].join(' ')
    archive.close()
    assert.doesNotMatch(names, /kysely|dba|theirs|reporting/)
    assert.match(names, /tables\/public\.tenant\.copy\.zst .*tables\/public\.device\/north\.copy\.zst/)
    const ofNorth = path.join(folder, 'north.zip')
    await done(source.url, data, 'backup', ofNorth, '--tenant', 'north')
    assert.match(await done(source.url, data, 'backup', 'verify', ofNorth), /all of north/)
  },
)

test(
  'an installation from the oldest commit with foreign tables is restored completely',
  skipBecause(skip),
  async () => {
    const there = await newDatabase()
    await done(there.url, data, 'restore', whole)
    assert.deepEqual(await contentsOf(there.database.owner), held)
    const { rows } = await there.database.owner.query(
      `select relname from pg_class where relname ~ '^(dba_|theirs|kysely_migration_lock)' and relkind in ('r', 'v')`,
    )
    assert.deepEqual(rows, [])
  },
)

test(
  'an older backup that contains foreign tables is restored without them, with a warning',
  skipBecause(skip),
  async () => {
    const old = path.join(folder, 'old.zip')
    const archive = await openArchive(whole)
    await writeArchive(old, async (other) => {
      const manifest = JSON.parse(await textOf(await archive.read(manifestName))) as Manifest
      for (const { name, columns } of manifest.parts)
        if (name.includes('public.device/')) {
          const rows = (await textOf(await archive.read(name))).replaceAll('\n', '\tchecked\\tby hand\n')
          await other.add(name, [Buffer.from(rows)])
          columns.push('dba_note')
        } else await other.add(name, await archive.read(name))
      const name = 'tables/public.kysely_migration_lock.copy.zst'
      await other.add(name, [Buffer.from('migration_lock\t0\n')])
      const table = 'public.kysely_migration_lock'
      manifest.parts.unshift({ name, table, columns: ['id', 'is_locked'], tenant: null, rows: 1 })
      manifest.sequences['public.theirs_id_seq'] = '7'
      const { leftOut: _, ...before } = manifest
      await other.add(manifestName, [Buffer.from(JSON.stringify(before))])
    })
    archive.close()
    const unknown = ['public.device (dba_note)', 'public.kysely_migration_lock']
    assert.deepEqual(leftOutIn(await done('', data, 'backup', 'verify', old)), unknown)
    const there = await newDatabase()
    const { code, stderr } = await runCommand(there.url, data, 'restore', old)
    assert.equal(code, 0, stderr)
    assert.deepEqual(leftOutIn(stderr), unknown)
    assert.deepEqual(await contentsOf(there.database.owner), held)
  },
)

test('restoring in place of an installation leaves foreign tables as they are', skipBecause(skip), async () => {
  const { owner } = source.database
  await owner.query(`delete from device_tag`)
  await endConnections(source.database.url)
  const { code, stderr } = await runCommand(source.url, data, 'restore', whole, '--replace')
  assert.equal(code, 0, stderr)
  assert.match(stderr, /Dropped because they depend on dropped tables: the views public\.dba_devices\./)
  assert.match(stderr, /left unchanged: public\.dba_log, .*public\.theirs, reporting\.weekly\./)
  assert.deepEqual(await contentsOf(owner), held)
  assert.deepEqual((await owner.query('select tenant_id, note from dba_log')).rows, [
    { tenant_id: 'north', note: 'kept by hand' },
  ])
  assert.deepEqual((await owner.query('select * from theirs, reporting.weekly')).rows, [
    { id: 1, tenant_id: 'north', week: 1 },
  ])
})

test(
  'foreign tables with names that the product needs are reported before anything is deleted',
  skipBecause(skip),
  async () => {
    const there = await newDatabase()
    const owner = new pg.Pool({ connectionString: there.url, max: 2 })
    await migrate(owner)
    await owner.query('create table idp.theirs (id int)')
    await owner.end()
    await endConnections(there.database.url)
    await refused(/with names that Caretaker needs \(idp\.theirs\)/, there.url, data, 'restore', whole, '--replace')
    assert.equal((await there.database.owner.query(`select from pg_namespace where nspname ~ 'restore'`)).rowCount, 0)
  },
)

test(
  'a move handles foreign tables like a backup does, and its trial run finds what would make it fail',
  skipBecause(skip),
  async () => {
    const there = await newDatabase()
    const { owner } = source.database
    const move = ['move-database', there.url]
    const trial = async () => {
      await endConnections(source.database.url)
      await endConnections(there.database.url)
      return runCommand(source.url, data, ...move, '--dry-run')
    }
    const finds = async (reason: RegExp) => {
      const { code, stderr } = await trial()
      assert.equal(code, 1, stderr)
      assert.match(stderr, reason)
      assert.doesNotMatch(stderr, /\n\s+at /, 'no stack trace')
    }
    const [role] = new URL(there.url).username.split(':')
    await there.database.owner.query(`revoke admin option for caretaker_app from ${role}`)
    await finds(/lacks a right that migrations need/)
    await there.database.owner.query(`grant caretaker_app to ${role} with admin option`)
    // A table of the product that its own user cannot read.
    await owner.query(`alter table report_run owner to ${stranger}; revoke all on report_run from caretaker_app`)
    await finds(/permission denied for table report_run/)
    const mine = new URL(source.url).username
    await owner.query(`alter table report_run owner to ${mine}; grant select on report_run to caretaker_app`)
    await owner.query('alter table report_run rename to away')
    await finds(/The database lacks the table public\.report_run/)
    await owner.query('alter table away rename to report_run')

    const { code, stdout, stderr } = await trial()
    assert.equal(code, 0, stderr)
    assert.match(stdout, /The move is possible/)
    assert.ok(leftOutIn(stderr)!.includes('public.theirs'))
    const made = `select where to_regclass('public.tenant') is not null or to_regnamespace('idp') is not null`
    assert.equal((await there.database.owner.query(made)).rowCount, 0)
    await endConnections(there.database.url)
    assert.match(await done(source.url, data, ...move), /^Moved /)
    assert.deepEqual(await contentsOf(there.database.owner), await contentsOf(owner))
  },
)

test('verify shows the content of a backup, and why another file is not one', skipBecause(skip), async () => {
  // The command does not connect to the database.
  const output = await done('postgres://nobody@127.0.0.1:9/none', data, 'backup', 'verify', whole)
  assert.match(output, /^\S+whole\.zip is complete: \d+ kB, everything as of \d{4}-\S+Z\.$/m)
  assert.match(output, /^It was made by Caretaker \S+ on PostgreSQL \d+\S*.*, with the schema \d{4}-[a-z-]+\.$/m)
  assert.match(output, /^It contains \d+ rows, 0 files of 0 kB in \d+ tables:$/m)
  assert.match(output, /^ {2}north: \d+ rows, 0 files$/m)
  assert.match(output, /^ {2}south: \d+ rows, 0 files$/m)
  assert.deepEqual(leftOutIn(output), foreign)
  const bytes = readFileSync(whole)
  const file = path.join(folder, 'changed.zip')
  writeFileSync(
    file,
    bytes.map((byte, at) => (at === inFirstPart ? byte ^ 1 : byte)),
  )
  await refused(/is damaged: tables\/\S+ was changed/, '', data, 'backup', 'verify', file)
  for (const content of [bytes.subarray(0, bytes.length >> 1), Buffer.from('a letter')]) {
    writeFileSync(file, content)
    await assert.rejects(verifyFile(file), {
      message: /not a complete backup of Caretaker: it is another kind of file, or was cut off/,
    })
  }
  await assert.rejects(verifyFile(path.join(folder, 'nowhere.zip')), { message: /There is no file/ })
})

async function verifyFile(file: string): Promise<void> {
  const archive = await openArchive(file)
  try {
    await verify(archive)
  } finally {
    archive.close()
  }
}

test(
  'verify checks everything that a restore needs, including rows that the manifest lists and the parts lack',
  skipBecause(skip),
  async () => {
    const archive = await openArchive(whole)
    const rewritten = async (change: (manifest: Manifest) => void) => {
      const file = path.join(folder, `rewritten-${crypto.randomUUID()}.zip`)
      await writeArchive(file, async (other) => {
        const manifest = JSON.parse(await textOf(await archive.read(manifestName))) as Manifest
        change(manifest)
        for (const name of archive.names)
          if (!['SHA256SUMS', manifestName].includes(name)) await other.add(name, await archive.read(name))
        await other.add(manifestName, [Buffer.from(JSON.stringify(manifest))])
      })
      return file
    }
    const device = ({ parts }: Manifest) => parts.find(({ table }) => table === 'public.device')!
    for (const [change, why] of [
      [(manifest: Manifest) => (device(manifest).rows = 2), /device\/north\S+ has 1 rows, and should have 2/],
      [
        (manifest: Manifest) => device(manifest).columns.pop(),
        /The rows of \S+device\/north\S+ do not have \d+ columns/,
      ],
      [(manifest: Manifest) => (device(manifest).name += 'x'), /The backup lacks \S+x, which its manifest names/],
      [(manifest: Manifest) => manifest.parts.shift(), /The manifest does not name tables\//],
      [(manifest: Manifest) => (manifest.files.count = 3), /has 0 files, and should have 3/],
      [(manifest: Manifest) => manifest.migrations.shift(), /schema of an unfinished version/],
      [(manifest: Manifest) => (manifest.tenant = 'north'), /does not belong to north/],
    ] as const) {
      await assert.rejects(verifyFile(await rewritten(change)), { name: 'BackupFault', message: why })
    }
    archive.close()
  },
)

test(
  'a backup that is damaged while it is written is detected at its end, and no file is left',
  skipBecause(skip),
  async () => {
    const file = path.join(folder, 'spoilt.zip')
    const draft = `${file}.unfinished`
    const { owner } = source.database
    const id = crypto.randomUUID()
    await owner.query(
      `insert into file (tenant_id, id, referrer, name, content_type, size, sha256, created_at)
     values ('north', $1, 'document', 'a.pdf', 'application/pdf', 1, sha256('x'), now())`,
      [id],
    )
    const store = openStore({ dataDir: data, filesUrl: undefined })
    await store.put(`north/${id}`, new Blob(['x']))
    const files = {
      ...store,
      read: async (key: string) => {
        // Simulates a disk that changes a written byte.
        await eventually(
          async () => existsSync(draft) && statSync(draft).size,
          (size) => Number(size) > 250,
        )
        writeSync(openSync(draft, 'r+'), Buffer.from('?'), 0, 1, inFirstPart)
        return store.read(key)
      },
    }
    await assert.rejects(backUp({ owner, files }, file), {
      name: 'BackupFault',
      message: /^The backup did not pass its check, and was deleted\. .* is damaged: tables\//,
    })
    assert.ok(!existsSync(file) && !existsSync(draft))
    await owner.query('delete from file')
  },
)
