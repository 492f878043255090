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
import { afterAll, beforeAll, test } from 'vitest'
import { storedBackupRecord } from '../backup/record.ts'
import { readConfig } from '../config.ts'
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
  truncateSync(file, 1000)
  await assert.rejects(tryRestore(operator(), file, nothing))
  const after = await storedBackupRecord(database.owner)
  assert.equal(after?.verifiedAt, record!.verifiedAt)
  assert.ok(after?.fault)
})

test('without DATABASE_URL the trial uses an embedded database', async () => {
  const place = path.join(folder, 'embedded trial')
  mkdirSync(place)
  await makeAndKeep(operator(), { file: place }, day(7))
  const { config, ...rest } = operator()
  const embedded = { ...rest, config: { ...config, databaseUrl: undefined } }
  assert.match(await tryRestore(embedded, await newestBackup(place), nothing), /was restored on trial/)
})
