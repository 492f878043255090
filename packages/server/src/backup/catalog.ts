import pg from 'pg'

export interface Table {
  /** With its schema. */
  name: string
  /** As a statement names it. */
  quoted: string
  /** What is stored of it; what the database works out itself is left to it. */
  columns: readonly string[]
  /** Whether its rows belong to tenants, each of which is read by itself: the database lets nobody see more at once. */
  isTenants: boolean
  /** Whether its rows name a tenant, even where they are shared. */
  namesTenant: boolean
  /** Columns that hold the id of a person. */
  people: readonly string[]
}

/**
 * What is no part of a backup. The list of migrations is in its manifest. The feed of changes is numbered by the transactions of
 * its own server, and forgotten within the hour; the worker's queue makes its schema itself, and what is due stands in `due`. Which processes
 * work, and how they did a moment ago, means nothing elsewhere.
 */
const leftOut: readonly string[] = [
  'public.kysely_migration',
  'public.change',
  'public.process_figure',
  'public.claimant',
]

/** What would mean something else, or nothing, on another server: what is stored in its place. */
export const storedAnew: Readonly<Record<string, string>> = {
  // A place in the feed of changes: without one everything is looked at once.
  'public.alert_progress.position': 'null',
  // The number of a process.
  'public.mail_outbox.claimant': 'null',
  'public.webhook_delivery.claimant': 'null',
  'public.report_run.claimant': 'null',
  'public.tenant_export.claimant': 'null',
}

/** What tells of a tenant and stays behind when it moves: work and files as they wait in the one installation. */
export const staysBehind: readonly string[] = ['public.due', 'public.loose_file']

export const columnsOf = (table: Pick<Table, 'columns'>) =>
  table.columns.map((one) => pg.escapeIdentifier(one)).join(', ')

/** The tables of a backup, each after those that its rows refer to. */
export async function tablesIn(client: pg.ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Omit<Table, 'quoted'> & { refersTo: string[] }>(`
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
      and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
    order by 1`)
  const found = new Map(rows.filter(({ name }) => !leftOut.includes(name)).map((row) => [row.name, row]))
  const ordered = new Map<string, Table>()
  const add = (name: string) => {
    const row = found.get(name)
    if (!row || ordered.has(name)) return
    found.delete(name)
    row.refersTo.forEach(add)
    const { refersTo: _, ...table } = row
    ordered.set(name, {
      ...table,
      quoted: name
        .split('.')
        .map((part) => pg.escapeIdentifier(part))
        .join('.'),
    })
  }
  for (const { name } of rows) add(name)
  return [...ordered.values()]
}

/** The beginning of the oldest partition of points, which a restored database needs again. */
export async function pointsSince(client: pg.ClientBase): Promise<Date | null> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
     where inhparent = 'public.point'::regclass order by 1 limit 1`,
  )
  const [, year, month, day] = /^point_(\d{4})(\d{2})(\d{2})$/.exec(rows[0]?.name ?? '') ?? []
  return year ? new Date(`${year}-${month}-${day}T00:00:00Z`) : null
}

/** How far each sequence has counted. */
export async function sequencesIn(client: pg.ClientBase): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; last: string }>(
    `select schemaname || '.' || sequencename as name, last_value::text as last from pg_sequences
     where schemaname = 'public' and last_value is not null order by 1`,
  )
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]))
}
