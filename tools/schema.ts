/**
 * `npm run schema`: writes the types of all columns (packages/server/src/postgres/schema.ts) and the diagrams of all tables
 * (docs/schema.md) from a migrated database. kysely-codegen needs the compiler API that TypeScript 7 no longer has.
 */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type pg from 'pg'
import { comments } from '@caretaker/server/postgres/schema-comments.ts'
import { isMain, root } from './child.mjs'
import type { Catalog, Column } from './schema-catalog.ts'
import { readCatalog } from './schema-catalog.ts'
import { renderDiagrams } from './schema-diagrams.ts'

/** The types that node-postgres returns and accepts with the parsers in `postgres/pool.ts`. */
const typescriptOf: Readonly<Record<string, string>> = {
  bigint: 'number',
  boolean: 'boolean',
  bytea: 'Buffer',
  'character varying': 'string',
  date: 'Day',
  'double precision': 'number',
  integer: 'number',
  jsonb: 'Json',
  real: 'number',
  smallint: 'number',
  text: 'string',
  'timestamp with time zone': 'Instant',
  // Clock times of the tenant, read by `to_char`.
  'timestamp without time zone': 'string',
  uuid: 'string',
  xid8: 'string',
}

/** Array types: bigints are read as strings, and timestamps are written as dates. */
const typescriptOfArray: Readonly<Record<string, string>> = {
  'bigint[]': 'string[]',
  'timestamp with time zone[]': 'Date[]',
}

function typeOf({ type, isNullable, hasDefault, isGenerated }: Column): string {
  const value = typescriptOfArray[type] ?? type.replace(/^[^[]+/, (element) => typescriptOf[element] ?? '')
  if (!/^\w/.test(value)) throw new Error(`Add the database type ${type} to typescriptOf in tools/schema.ts.`)
  const read = isNullable ? `${value} | null` : value
  if (isGenerated) return `GeneratedAlways<${read}>`
  return hasDefault ? `Generated<${read}>` : read
}

const head = `// Written by \`npm run schema\` from the migrated database: change database.ts and schema-comments.ts instead.
import type { ColumnType, GeneratedAlways } from 'kysely'

/** Has a default: an insert may leave it out. */
type Generated<T> =
  T extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>
type Instant = ColumnType<Date, Date | string, Date | string>
/** Written as YYYY-MM-DD. */
type Day = ColumnType<Date, string, string>
/** Written as text or as an object: node-postgres would make an array of the database from an array. */
type Json = ColumnType<JsonValue, string | Record<string, unknown>, string | Record<string, unknown>>
export type JsonValue = object | string | number | boolean
`

export function renderTypes({ tables }: Catalog): string {
  const known: Readonly<Record<string, { table?: string; columns?: Readonly<Record<string, string>> }>> = comments
  const lines = [head, '/** All tables, with the column types of the database. */', 'export interface Tables {']
  for (const [table, columns] of tables) {
    const comment = known[table]
    if (comment?.table) lines.push(`  /** ${comment.table} */`)
    lines.push(`  ${table}: {`)
    for (const column of columns) {
      const about = comment?.columns?.[column.name]
      if (about) lines.push(`    /** ${about} */`)
      lines.push(`    ${column.name}: ${typeOf(column)}`)
    }
    lines.push('  }')
  }
  return [...lines, '}', ''].join('\n')
}

/** The text of each generated file, by its path in the repository. */
export async function generateFiles(database: pg.Pool): Promise<Map<string, string>> {
  const catalog = await readCatalog(database)
  return new Map([
    ['packages/server/src/postgres/schema.ts', renderTypes(catalog)],
    ['docs/schema.md', renderDiagrams(catalog)],
  ])
}

if (isMain(import.meta.url)) {
  // Imported only here: tests use their own database.
  const { testDatabase } = await import('@caretaker/server/testing/database.ts')
  const database = await testDatabase()
  try {
    for (const [file, text] of await generateFiles(database.owner)) writeFileSync(path.join(root, file), text)
  } finally {
    await database.drop()
  }
}
