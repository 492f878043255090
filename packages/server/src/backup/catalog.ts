import pg from 'pg'
import type { ProductSchema } from '../postgres/product-schema.ts'
import { schemaAfter } from '../postgres/product-schema.ts'
import { asBaseline } from '../postgres/squashed.ts'
import { restoreSchema } from '../postgres/unfinished-restore.ts'
import { BackupFault } from './fault.ts'

export interface Table {
  /** Includes the schema. */
  name: string
  /** Quoted for use in a statement. */
  quoted: string
  /** The product's stored columns; generated ones are computed by the database. */
  columns: readonly string[]
  /** Whether its rows belong to tenants: row-level security only allows reading one tenant at a time. */
  isTenants: boolean
  /** Whether its rows name a tenant, even if it is shared. */
  namesTenant: boolean
  /** Columns that contain the id of a person. */
  people: readonly string[]
}

/**
 * Tables left out of a backup. The manifest lists the migrations. The change feed is numbered by the transactions of
 * its own server and kept for an hour; the worker's queue creates its own schema, and due work is in `due`. Running
 * processes and their recent figures mean nothing elsewhere.
 */
const leftOut: readonly string[] = ['public.change', 'public.process_figure', 'public.claimant']

/** Columns whose values are meaningless on another server, with the value to store instead. */
export const replacedValues: Readonly<Record<string, string>> = {
  // A position in the change feed: without one everything is evaluated at once.
  'public.alert_progress.position': 'null',
  // The number of a process.
  'public.mail_outbox.claimant': 'null',
  'public.webhook_delivery.claimant': 'null',
  'public.report_run.claimant': 'null',
  'public.tenant_export.claimant': 'null',
}

/**
 * Tables that refer to a tenant but stay behind when it moves: pending work and files of this installation, and domains that were
 * verified here.
 */
export const tablesLeftBehind: readonly string[] = [
  ...['public.due', 'public.loose_file'],
  ...['idp.sso_lookup', 'idp.federated_identity'],
]

export const columnsOf = (table: Pick<Table, 'columns'>) =>
  table.columns.map((one) => pg.escapeIdentifier(one)).join(', ')

/** The names of the applied migrations in order; squashed ones are replaced by the baseline. */
export async function appliedTo(client: pg.ClientBase | pg.Pool): Promise<string[]> {
  const { rows } = await (client as pg.ClientBase).query<{ name: string }>(
    'select name from public.kysely_migration order by name',
  )
  return asBaseline(rows.map(({ name }) => name))
}

/**
 * A backup's tables, each after the tables that its rows refer to. Only tables and columns created by the database's
 * migrations are included: additions by others are not part of the product, and their schema cannot be restored.
 */
export async function tablesIn(client: pg.ClientBase): Promise<Table[]> {
  const schema = schemaAfter(await appliedTo(client))
  const { rows: found } = await client.query<Omit<Table, 'quoted'> & { refersTo: string[] }>(`
    select nspname || '.' || relname as name, relforcerowsecurity as "isTenants", stored.columns,
      'tenant_id' = any(stored.columns) as "namesTenant",
      array(select attname::text from pg_attribute
        where attrelid = pg_class.oid and attnum > 0 and not attisdropped and atttypid = 'uuid'::regtype
          and (attname = 'person_id' or attname like '%\\_by' or exists (
            select from pg_constraint where conrelid = pg_class.oid and contype = 'f'
              and confrelid = 'public.person'::regclass and conkey = array[attnum]))) as people,
      array(select distinct other.relnamespace::regnamespace || '.' || other.relname from pg_constraint
        join pg_class other on other.oid = confrelid
        where conrelid = pg_class.oid and contype = 'f' and confrelid <> conrelid) as "refersTo"
    from pg_class
    join pg_namespace on pg_namespace.oid = relnamespace
    cross join lateral (
      select array_agg(attname::text order by attnum) as columns from pg_attribute
      where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '') as stored
    where relkind in ('r', 'p') and not relispartition and nspname in ('public', 'idp')
    order by 1`)
  const rows = found.flatMap((row) => {
    const columns = schema.tables.get(row.name)
    if (!columns || leftOut.includes(row.name)) return []
    const isProducts = (column: string) => columns.includes(column)
    const lacking = columns.filter((column) => !row.columns.includes(column))
    if (lacking.length) throw new BackupFault(`The table ${row.name} lacks ${lacking.join(', ')}.`)
    return [{ ...row, columns: row.columns.filter(isProducts), people: row.people.filter(isProducts) }]
  })
  const lacking = [...schema.tables.keys()].filter((name) => !found.some((row) => row.name === name))
  if (lacking.length) throw new BackupFault(`The database lacks the table ${lacking.join(', ')}.`)
  const waiting = new Map(rows.map((row) => [row.name, row]))
  const ordered = new Map<string, Table>()
  const add = (name: string) => {
    const row = waiting.get(name)
    if (!row) return
    waiting.delete(name)
    row.refersTo.forEach(add)
    const { refersTo: _, ...table } = row
    ordered.set(name, { ...table, quoted: quote(name) })
  }
  for (const { name } of rows) add(name)
  return [...ordered.values()]
}

/** Quotes a table name with its schema. */
export const quote = (name: string) =>
  name
    .split('.')
    .map((part) => pg.escapeIdentifier(part))
    .join('.')

/** Tables and columns that are not part of the product: each table, or a table with its columns in parentheses. */
export async function foreignIn(client: pg.ClientBase | pg.Pool, { tables }: ProductSchema): Promise<string[]> {
  const { rows } = await (client as pg.ClientBase).query<{ name: string; columns: string[] }>(`
    select nspname || '.' || relname as name, array(select attname::text from pg_attribute
      where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as columns
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relkind in ('r', 'p', 'f') and not relispartition
      and nspname !~ '^pg_' and nspname not in ('information_schema', 'pgboss', '${restoreSchema}')
      and nspname || '.' || relname <> 'public.kysely_migration'
      and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
    order by 1`)
  return rows.flatMap(({ name, columns }) => {
    const known = tables.get(name)
    if (!known) return [name]
    const added = columns.filter((column) => !known.includes(column))
    return added.length ? [`${name} (${added.join(', ')})`] : []
  })
}

/** The start of the oldest partition of points, which a restored database needs again. */
export async function pointsSince(client: pg.ClientBase): Promise<Date | null> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
     where inhparent = 'public.point'::regclass and relname ~ '^point_\\d{8}$' order by 1 limit 1`,
  )
  const [, year, month, day] = /^point_(\d{4})(\d{2})(\d{2})$/.exec(rows[0]?.name ?? '') ?? []
  return year ? new Date(`${year}-${month}-${day}T00:00:00Z`) : null
}

/** The sequences of the product's columns with the last number that each assigned; null if none. */
export async function sequencesIn(
  client: pg.ClientBase,
  { tables }: ProductSchema,
): Promise<{ name: string; last: string | null }[]> {
  const { rows } = await client.query<{ name: string; last: string | null }>(
    `select sequence.relnamespace::regnamespace || '.' || sequence.relname as name,
       pg_sequence_last_value(sequence.oid)::text as last
     from pg_class as sequence
     join pg_depend on classid = 'pg_class'::regclass and objid = sequence.oid and deptype in ('a', 'i')
       and refclassid = 'pg_class'::regclass and refobjsubid > 0
     join pg_class as owning on owning.oid = refobjid
     where sequence.relkind = 'S' and owning.relnamespace::regnamespace || '.' || owning.relname = any($1) order by 1`,
    [[...tables.keys()]],
  )
  return rows
}
