import assert from 'node:assert/strict'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, onTestFinished, test } from 'vitest'
import { storedBackupRecord } from '../backup/record.ts'
import { readConfig } from '../config.ts'
import { runningInstallations } from '../postgres/installations.ts'
import type { TestDatabase } from '../testing/database.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAndKeep, newestBackup, tryRestore } from './backup-folder.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-backups-'))
let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  await database.owner.query(`insert into tenant (id, display_name) values ('northgate', 'Northgate Homes')`)
})
afterAll(async () => {
  await database.drop()
  rmSync(folder, { recursive: true, force: true })
})

const operator = (env: Record<string, string> = {}) => ({
  config: readConfig({ DATABASE_URL: database.url, CARETAKER_DATA: path.join(folder, 'data'), ...env }),
  ...{ owner: database.owner, db: database.db },
})
const day = (number: number) => new Date(Date.UTC(2026, 10, number, 3))
const nothing = () => {}

test('backups in a folder are named after their time, the newest ones stay, and other files are left alone', async () => {
  const place = path.join(folder, 'kept')
  mkdirSync(place)
  writeFileSync(path.join(place, 'notes.zip'), '')
  for (const number of [1, 2, 3]) await makeAndKeep(operator(), { file: place, keep: 2 }, day(number))
  const names = ['caretaker-2026-11-02T030000Z.zip', 'caretaker-2026-11-03T030000Z.zip', 'notes.zip']
  assert.deepEqual(readdirSync(place).sort(), names)
  assert.equal(await newestBackup(place), path.join(place, names[1]!))
  assert.equal((await storedBackupRecord(database.owner))?.madeAt, day(3).toISOString())
  await assert.rejects(makeAndKeep(operator(), { file: path.join(place, 'x.zip'), keep: 2 }), /--keep needs a folder/)
})

test('the command after a backup gets its path; if it fails, no backup is deleted', async () => {
  const place = path.join(folder, 'with command')
  mkdirSync(place)
  const copied = path.join(folder, 'copied')
  const after = operator({ CARETAKER_BACKUP_AFTER: `printf %s "$1" > '${copied}'` })
  await makeAndKeep(after, { file: place, keep: 1 }, day(4))
  assert.equal(readFileSync(copied, 'utf8'), path.join(place, 'caretaker-2026-11-04T030000Z.zip'))
  const failing = operator({ CARETAKER_BACKUP_AFTER: 'exit 3' })
  await assert.rejects(makeAndKeep(failing, { file: place, keep: 1 }, day(5)), /CARETAKER_BACKUP_AFTER ended with 3/)
  assert.equal(readdirSync(place).length, 2)
  // A copy of an installation has the same setting.
  const silent = operator({ CARETAKER_BACKUP_AFTER: 'exit 3', CARETAKER_OUTBOUND: 'off' })
  const { lines } = await makeAndKeep(silent, { file: place, keep: 1 }, day(6))
  assert.ok(lines.includes('CARETAKER_BACKUP_AFTER was not run: CARETAKER_OUTBOUND is off.'))
  assert.equal(readdirSync(place).length, 3)
})

test('a backup that lacks files deletes no older one, and is recorded with their number', async () => {
  const place = path.join(folder, 'incomplete')
  mkdirSync(place)
  await makeAndKeep(operator(), { file: place, keep: 1 }, day(1))
  await database.owner.query(`
    insert into file (tenant_id, id, referrer, name, content_type, size, sha256, created_at)
    values ('northgate', gen_random_uuid(), 'document', 'plan.pdf', 'application/pdf', 5, sha256('x'), now())`)
  onTestFinished(async () => void (await database.owner.query('delete from file')))
  const { missing } = await makeAndKeep(operator(), { file: place, keep: 1 }, day(2))
  assert.equal(missing.length, 1)
  assert.equal(readdirSync(place).length, 2)
  assert.equal((await storedBackupRecord(database.owner))?.missing, 1)
  await database.owner.query('delete from file')
  await makeAndKeep(operator(), { file: place, keep: 1 }, day(3))
  assert.deepEqual(readdirSync(place), ['caretaker-2026-11-03T030000Z.zip'])
  assert.equal((await storedBackupRecord(database.owner))?.missing, 0)
})

test('a trial restore leaves the installation and the disk as they were, and records its result', async () => {
  const place = path.join(folder, 'trial')
  mkdirSync(place)
  await makeAndKeep(operator(), { file: place }, day(6))
  const file = await newestBackup(place)
  const before = readdirSync(tmpdir()).filter((name) => name.startsWith('caretaker-trial-'))
  const line = await tryRestore(operator(), file, nothing)
  assert.match(line, /was restored on trial: \d+ rows?/)
  const record = await storedBackupRecord(database.owner)
  assert.equal(record?.fault, null)
  assert.ok(Math.abs(Date.parse(record!.verifiedAt!) - Date.now()) < 600_000)
  assert.deepEqual(
    readdirSync(tmpdir()).filter((name) => name.startsWith('caretaker-trial-')),
    before,
  )
  assert.ok(!existsSync(path.join(folder, 'data')))
  const databases = await database.owner.query(`select from pg_database where datname like 'caretaker_trial_%'`)
  assert.equal(databases.rowCount, 0)
  await database.owner.query('create database caretaker_trial_1_killed template template0')
  await tryRestore(operator(), file, nothing)
  const left = await database.owner.query(`select from pg_database where datname = 'caretaker_trial_1_killed'`)
  assert.equal(left.rowCount, 0, 'what a killed trial left is deleted')
  const { verifiedAt } = (await storedBackupRecord(database.owner))!
  truncateSync(file, 1000)
  await assert.rejects(tryRestore(operator(), file, nothing))
  const after = await storedBackupRecord(database.owner)
  assert.equal(after?.verifiedAt, verifiedAt)
  assert.ok(after?.fault)
})

test('a trial that is stopped leaves nothing and is no fault; an empty folder is one', async () => {
  const place = path.join(folder, 'stopped')
  mkdirSync(place)
  await assert.rejects(tryRestore(operator(), place, nothing), /There is no backup in/)
  assert.match((await storedBackupRecord(database.owner))!.fault!, /There is no backup in/)
  await makeAndKeep(operator(), { file: place }, day(6))
  await tryRestore(operator(), place, nothing)
  const ending = new AbortController()
  const trial = tryRestore(
    operator(),
    place,
    (line) => line.startsWith('Restoring into') && setTimeout(() => ending.abort(), 50),
    ending.signal,
  )
  await assert.rejects(trial, /The trial was stopped/)
  assert.equal((await storedBackupRecord(database.owner))?.fault, null)
  const databases = await database.owner.query(`select from pg_database where datname like 'caretaker_trial_%'`)
  assert.equal(databases.rowCount, 0)
})

test('the trial can use the database server of a setting of its own', async () => {
  const place = path.join(folder, 'other server')
  mkdirSync(place)
  await makeAndKeep(operator(), { file: place }, day(6))
  const other = operator({ CARETAKER_TRIAL_DATABASE_URL: 'postgres://trial:x@127.0.0.1:1/trial' })
  await assert.rejects(tryRestore(other, place, nothing), /ECONNREFUSED/)
  const same = { ...operator({ CARETAKER_TRIAL_DATABASE_URL: database.url }) }
  assert.match(await tryRestore(same, place, nothing), /was restored on trial/)
})

test('without DATABASE_URL the trial uses an embedded database', async () => {
  const place = path.join(folder, 'embedded trial')
  mkdirSync(place)
  await makeAndKeep(operator(), { file: place }, day(7))
  const { config, ...rest } = operator()
  const embedded = { ...rest, config: { ...config, databaseUrl: undefined } }
  const running: string[][] = []
  const watch = (line: string) => void (line.startsWith('Restored') || running.push(runningInstallations()))
  assert.match(await tryRestore(embedded, await newestBackup(place), watch), /was restored on trial/)
  assert.ok(running.length && running.flat().every((one) => !one.includes('caretaker-trial-')))
})
