import type pg from 'pg'

export interface Column {
  name: string
  /** The Postgres type, with `[]` for an array. */
  type: string
  isNullable: boolean
  hasDefault: boolean
  /** Computed by the database; never written. */
  isGenerated: boolean
  isInPrimaryKey: boolean
}

export interface ForeignKey {
  from: string
  columns: string[]
  to: string
  /** At most one row refers to each row. */
  isUnique: boolean
  isNullable: boolean
}

export interface Catalog {
  tables: Map<string, Column[]>
  foreignKeys: ForeignKey[]
}

/** Tables of the public schema without partitions; the identity provider's schema has no typed queries. */
const productTables = `select oid, relname from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname <> 'kysely_migration'
    and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')`

export async function readCatalog(database: pg.Pool): Promise<Catalog> {
  const { rows } = await database.query<Column & { table: string }>(`
    select relname as table, attname as name, format_type(atttypid, null) as type, not attnotnull as "isNullable",
      atthasdef or attidentity <> '' as "hasDefault", attgenerated <> '' as "isGenerated",
      coalesce(attnum = any(conkey), false) as "isInPrimaryKey"
    from (${productTables}) as product join pg_attribute on attrelid = product.oid and attnum > 0 and not attisdropped
    left join pg_constraint on conrelid = product.oid and contype = 'p'
    order by relname collate "C", attnum`)
  const tables = new Map<string, Column[]>()
  for (const { table, ...column } of rows) tables.set(table, [...(tables.get(table) ?? []), column])
  const { rows: foreignKeys } = await database.query<ForeignKey>(`
    select source.relname as from, target.relname as to, columns, is_nullable as "isNullable",
      exists (select from pg_index where indrelid = source.oid and indisunique and indpred is null
        and indkey::smallint[] <@ conkey) as "isUnique"
    from pg_constraint join (${productTables}) as source on conrelid = source.oid
    join (${productTables}) as target on confrelid = target.oid
    cross join lateral (select array_agg(attname::text order by attnum) filter (where attname <> 'tenant_id') as columns,
      bool_or(not attnotnull) as is_nullable from pg_attribute where attrelid = conrelid and attnum = any(conkey)) as referring
    where contype = 'f' and target.relname <> 'tenant'
    order by source.relname collate "C", columns`)
  return { tables, foreignKeys }
}
