import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Migration } from '../migrations/index.ts'
import { migrations } from '../migrations/index.ts'
import { migrate } from '../postgres/migrate.ts'
import type { SchemaChange } from '../postgres/product-schema.ts'

interface Found {
  tables: Record<string, string>
  functions: string[]
}

/** Applies all migrations to an empty database and returns the changes of each to tables and functions. */
export async function recordSchemaChanges(owner: pg.Pool): Promise<Record<string, SchemaChange>> {
  const changes: Record<string, SchemaChange> = {}
  let before: Found = { tables: {}, functions: [] }
  const watched = Object.entries(migrations).map(([name, migration]): [string, Migration] => [
    name,
    {
      ...migration,
      up: async (db) => {
        await migration.up(db)
        const after = await findObjects(db)
        const change = changeBetween(before, after)
        if (Object.keys(change).length) changes[name] = change
        before = after
      },
    },
  ])
  await migrate(owner, { migrations: Object.fromEntries(watched) })
  return changes
}

function changeBetween(before: Found, after: Found): SchemaChange {
  const tables: SchemaChange['tables'] = {}
  for (const [name, columns] of Object.entries(after.tables))
    if (before.tables[name] !== columns) tables[name] = columns
  for (const name of Object.keys(before.tables)) if (!(name in after.tables)) tables[name] = null
  const functions = after.functions.filter((one) => !before.functions.includes(one))
  return { ...(Object.keys(tables).length && { tables }), ...(functions.length && { functions }) }
}

async function findObjects(db: Kysely<unknown>): Promise<Found> {
  const { rows: tables } = await sql<{ name: string; columns: string }>`
    select nspname || '.' || relname as name, string_agg(attname, ' ' order by attnum) as columns
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace join pg_attribute on attrelid = pg_class.oid
    where relkind in ('r', 'p') and not relispartition and nspname in ('public', 'idp') and relname <> 'kysely_migration'
      and attnum > 0 and not attisdropped and attgenerated = ''
      and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
    group by 1 order by 1`.execute(db)
  const { rows: functions } = await sql<{ name: string }>`
    select nspname || '.' || proname || '(' || oidvectortypes(proargtypes) || ')' as name
    from pg_proc join pg_namespace on pg_namespace.oid = pronamespace
    where nspname in ('public', 'idp')
      and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = pg_proc.oid and deptype = 'e')
    order by 1`.execute(db)
  return {
    tables: Object.fromEntries(tables.map(({ name, columns }) => [name, columns])),
    functions: functions.map(({ name }) => name),
  }
}
