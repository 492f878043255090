import assert from 'node:assert/strict'
import { test } from 'vitest'
import { migrations } from '@caretaker/server/migrations/index.ts'
import { contractions, locked, migrationBreaches, readLock, readMigrations, refusedWhereSpread } from './migrations.ts'

const breaches = (file: string, text: string, lockedText = text) =>
  migrationBreaches(new Map([[file, text]]), locked(new Map([[file, lockedText]]), {}))

test('released migrations are unchanged and import nothing from outside', () => {
  assert.deepEqual(migrationBreaches(readMigrations(), readLock()), [])
})

test('every migration is in the list, in order', () => {
  const files = [...readMigrations().keys()].filter((name) => /^\d/.test(name))
  assert.deepEqual(
    Object.keys(migrations),
    files.map((name) => name.replace(/\.ts$/, '')),
  )
})

test('a migration that was changed, deleted or not locked is reported', () => {
  const file = '0007-new.ts'
  assert.deepEqual(breaches(file, 'one'), [])
  assert.deepEqual(breaches(file, 'one\r\ntwo', 'one\ntwo'), [], "line ends are the checkout's")
  assert.match(breaches(file, 'one', 'two')[0]!, /0007-new.ts: has landed and must not change/)
  assert.match(migrationBreaches(new Map([[file, 'one']]), {})[0]!, /npm run migrations:lock/)
  assert.match(migrationBreaches(new Map(), { [file]: 'hash' })[0]!, /must not go/)
})

test('imports from outside the folder are reported, including types', () => {
  const imports = (specifier: string) => breaches('0007-new.ts', `import type { X } from '${specifier}'`)
  for (const allowed of ['kysely', './tenant-table.ts', './concurrent-index.ts']) assert.deepEqual(imports(allowed), [])
  for (const outside of ['../postgres/places.ts', './../config.ts', '@caretaker/rules/devices/status.ts', 'pg'])
    assert.match(imports(outside)[0]!, /which may change under it/, outside)
})

test('locking adds new migrations, and replaces a changed one only if it is named', () => {
  const before = locked(new Map([['0001-a.ts', 'a']]), {})
  const files = new Map([
    ['0001-a.ts', 'changed'],
    ['0002-b.ts', 'b'],
  ])
  const after = locked(files, before)
  assert.equal(after['0001-a.ts'], before['0001-a.ts'])
  assert.deepEqual(Object.keys(after), ['0001-a.ts', '0002-b.ts'])
  assert.deepEqual(migrationBreaches(files, locked(files, before, ['0001-a.ts'])), [])
  assert.deepEqual(Object.keys(locked(new Map(), before)), ['0001-a.ts'], 'what is gone stays known')
  assert.deepEqual(locked(new Map(), before, ['0001-a.ts']), {})
})

/** The newest migration of the last version. Later migrations are run with that version's code; a release updates this line. */
const newestOfVersion = '0297-baseline.ts'
/** Contractions that do not affect the previous version, with the reason. */
const harmless: Record<string, string> = {
  '0301-natural-order.ts: drops': 'indexes that were only read, in favour of those in the natural order',
  '0305-indexes-of-tests.ts: drops':
    'indexes of the former list of test results, which is slower without them and no less right',
}

test('migrations since the last version only expand the schema, so that the previous version still works', () => {
  const newer = new Map([...readMigrations()].filter(([name]) => /^\d/.test(name) && name > newestOfVersion))
  assert.ok(readMigrations().has(newestOfVersion))
  assert.deepEqual(
    contractions(newer),
    Object.keys(harmless).filter((name) => name > newestOfVersion),
  )
})

test('a contraction is detected in any spelling', () => {
  const found = (statement: string) => contractions(new Map([['0007-new.ts', `await sql\`${statement}\`.execute(db)`]]))
  for (const [statement, what] of [
    ['drop table device', 'drops'],
    ['alter table device drop column name', 'drops'],
    ['alter table device rename column name to title', 'renames'],
    ['alter table device rename to thing', 'renames'],
    ['alter table device alter column name set not null', 'makes not null'],
    ['alter table device alter column name type bigint', 'changes a type'],
    ['alter table device add column weight int not null', 'adds a column that must be given'],
  ])
    assert.deepEqual(found(statement!), [`0007-new.ts: ${what}`], statement)
  for (const statement of [
    'alter table device add column weight int not null default 0, add column name text',
    'alter table device alter column name drop not null',
    'create table thing (id uuid not null, primary key (id))',
    'create index concurrently device_name on device (name)',
  ])
    assert.deepEqual(found(statement), [], statement)
  assert.deepEqual(contractions(new Map([['0007-new.ts', 'await db.schema.dropTable("x").execute()']])), [
    '0007-new.ts: drops',
  ])
  assert.deepEqual(contractions(new Map([['0007-new.ts', '// What we drop table for later.']])), [])
})

test('no migration does what a distributed database rejects', () => {
  assert.deepEqual(refusedWhereSpread(new Map([...readMigrations()].filter(([name]) => /^\d/.test(name)))), [])
  const found = (statement: string) =>
    refusedWhereSpread(new Map([['0007-new.ts', `await sql\`${statement}\`.execute(db)`]]))
  assert.deepEqual(found('alter table thing alter column name set storage main'), ['0007-new.ts: storage'])
  assert.deepEqual(found('alter table thing alter name set statistics 1000'), ['0007-new.ts: statistics'])
  assert.deepEqual(found('alter table thing add column name text, alter column name set storage main'), [])
})
