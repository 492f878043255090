import pg from 'pg'
import { migrations } from '../../../migrations/index.ts'
import { schemaAfter } from '../../../postgres/product-schema.ts'

/** A table whose rows name a tenant in `tenant_id`. */
export interface OwnedTable {
  name: string
  /** As a statement names it. */
  quoted: string
  /** The primary key columns, as a statement names them; empty if it has none. */
  key: readonly string[]
  /** Shared by all tenants rather than a table of tenants with row-level security. */
  isShared: boolean
}

/**
 * Every product table with rows of tenants: each before the tables that its rows refer to, shared ones first. Tables
 * added by a database administrator are left alone.
 */
export async function ownedTables(owner: pg.Pool): Promise<OwnedTable[]> {
  const { tables } = schemaAfter(Object.keys(migrations))
  const { rows: found } = await owner.query<{ name: string; key: string[]; isShared: boolean; refersTo: string[] }>(`
    select relname::text as name, not relforcerowsecurity as "isShared",
      array(select attname::text from pg_index join pg_attribute on attrelid = indrelid and attnum = any(indkey)
        where indrelid = pg_class.oid and indisprimary and array_position(indkey::int2[], attnum) < indnkeyatts
        order by array_position(indkey::int2[], attnum)) as key,
      array(select distinct other.relname::text from pg_constraint join pg_class other on other.oid = confrelid
        where conrelid = pg_class.oid and contype = 'f' and confrelid <> conrelid) as "refersTo"
    from pg_class
    where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace
      and exists (select from pg_attribute where attrelid = pg_class.oid and attname = 'tenant_id' and not attisdropped)
      and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
    order by relname`)
  const rows = found.filter(({ name }) => tables.has(`public.${name}`))
  const ordered = new Map<string, OwnedTable>()
  const known = new Map(rows.map((row) => [row.name, row]))
  const add = (name: string) => {
    const row = known.get(name)
    if (!row || ordered.has(name)) return
    known.delete(name)
    for (const other of rows) if (other.refersTo.includes(name)) add(other.name)
    const { refersTo: _, key, ...table } = row
    ordered.set(name, {
      ...table,
      quoted: pg.escapeIdentifier(name),
      key: key.map((column) => pg.escapeIdentifier(column)),
    })
  }
  // Without routes, invitations and due work nothing new is added.
  for (const { name } of [...rows.filter(({ isShared }) => isShared), ...rows.filter(({ isShared }) => !isShared)])
    add(name)
  return [...ordered.values()]
}
