/**
 * `npm run migrations:lock`: adds new migrations to the lock file, and writes the tables and functions that each creates into
 * tables.json. A merged migration never changes.
 */
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isMain, refuse, root } from './child.mjs'
import { importsOf, withoutComments } from './floors.ts'

/** A hash for each file, by its name. */
export type Lock = Record<string, string>

const folder = path.join(root, 'packages', 'server', 'src', 'migrations')
const lockFile = path.join(folder, 'lock.json')

/** The migrations and their shared files, by name, except the list of migrations, which grows with each migration. */
export function readMigrations(): Map<string, string> {
  const names = readdirSync(folder).filter((name) => /(?<!\.test)\.ts$/.test(name) && name !== 'index.ts')
  return new Map(names.sort().map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]))
}

export function readLock(): Lock {
  return JSON.parse(readFileSync(lockFile, 'utf8')) as Lock
}

/** Every breach, as `file: what is wrong`. */
export function migrationBreaches(files: ReadonlyMap<string, string>, lock: Lock): string[] {
  const found: string[] = []
  for (const [name, text] of files) {
    if (!(name in lock)) found.push(`${name}: is not in the lock file: npm run migrations:lock`)
    else if (lock[name] !== hashOf(text)) found.push(`${name}: has landed and must not change: write another migration`)
    for (const specifier of importsOf(withoutComments(text)))
      if (specifier !== 'kysely' && !/^\.\/[^/]+$/.test(specifier))
        found.push(`${name}: imports ${specifier}, which may change under it: write what it needs into it`)
  }
  for (const name of Object.keys(lock)) if (!files.has(name)) found.push(`${name}: has landed and must not go`)
  return found
}

/**
 * The lock with every missing file added. Existing entries are replaced or removed only if `renewed` names them: for a
 * migration that nobody has run yet.
 */
export function locked(files: ReadonlyMap<string, string>, lock: Lock, renewed: readonly string[] = []): Lock {
  const kept = Object.entries(lock).filter(([name]) => !renewed.includes(name))
  const hashes = new Map([...[...files].map(([name, text]) => [name, hashOf(text)] as const), ...kept])
  return Object.fromEntries([...hashes].sort(([one], [other]) => (one < other ? -1 : 1)))
}

/**
 * Changes that break the previous version, which still reads and writes the old schema (CONTRIBUTING.md, 'Expand, then
 * contract').
 */
const contracting: readonly [what: string, pattern: RegExp][] = [
  [
    'drops',
    /\bdrop (?!not null|default|constraint if exists|trigger|expression)\w+|\.drop(Table|Column|Index|Schema|View)\(/i,
  ],
  ['renames', /\brename (to|column|constraint)\b|\.rename(To|Column)\(/i],
  ['makes not null', /\bset not null\b|\.setNotNull\(/i],
  ['changes a type', /\balter column \w+ (set data )?type\b|\.setDataType\(/i],
  [
    'adds a column that must be given',
    /\badd column (?!if not exists \w+ \w+ not null default)(?:(?!,|\bdefault\b)[^`])*\bnot null\b(?!\s+(?:default|generated))/i,
  ],
]

/** The changes in these migrations that are not expansions, as `file: what it does`. */
export function contractions(files: ReadonlyMap<string, string>): string[] {
  return [...files].flatMap(([name, text]) => {
    // Reverting a migration is not part of an update.
    const [up = ''] = withoutComments(text).split(/\b(?:async )?(?:function )?down\b/)
    return contracting.filter(([, pattern]) => pattern.test(up)).map(([what]) => `${name}: ${what}`)
  })
}

/**
 * The changes that a distributed database refuses to make to a distributed table, as `file: what it sets`. Such a
 * migration would prevent every later update. For columns that a statement has just added, the runner leaves out the
 * storage setting (`postgres/migrate.ts`).
 */
export function refusedWhereSpread(files: ReadonlyMap<string, string>): string[] {
  return [...files].flatMap(([name, text]) => {
    const taken = withoutComments(text).replaceAll(/,\s*alter column \w+ set storage \w+/g, '')
    const found = /\balter (?:column )?\w+ set (storage|statistics|compression|expression)\b/i.exec(taken)
    return found ? [`${name}: ${found[1]}`] : []
  })
}

/** A checkout may write other line endings. */
function hashOf(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex')
}

if (isMain(import.meta.url)) {
  const files = readMigrations()
  const before = readLock()
  const renewed = process.argv.slice(2)
  const unknown = renewed.filter((name) => !files.has(name) && !(name in before))
  if (unknown.length) refuse(`There is no ${unknown.join(', ')} in ${folder}.`)
  const lock = locked(files, before, renewed)
  writeFileSync(lockFile, `${JSON.stringify(lock, null, 2)}\n`)
  const breaches = migrationBreaches(files, lock)
  if (breaches.length) refuse(breaches.join('\n'))
  // Imported only here, so that tests of the functions above do not load a database.
  const { emptyDatabase } = await import('@caretaker/server/testing/database.ts')
  const { recordSchemaChanges } = await import('@caretaker/server/testing/schema-changes.ts')
  const database = await emptyDatabase()
  try {
    const changes = await recordSchemaChanges(database.owner)
    writeFileSync(path.join(folder, 'tables.json'), `${JSON.stringify(changes, null, 2)}\n`)
  } finally {
    await database.drop()
  }
  console.log(`${Object.keys(lock).length} files are locked`)
}
