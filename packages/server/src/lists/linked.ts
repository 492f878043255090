import { sql } from 'kysely'
import type { TenantTx } from '../postgres/tenant.ts'
import { escaped } from './conditions.ts'
import { naturally } from '../postgres/natural-order.ts'
import { searchForm } from './search.ts'
import type { Linked } from './source.ts'

/** Names of a table of the tenant of which the search form is like a pattern, by which a filter is chosen: 100 at most. */
export async function namesIn(tx: TenantTx, table: string, column: string, pattern: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select ${sql.ref(column)} as name from ${sql.table(table)}
    where tenant_id = ${tx.tenant} and ${searchForm(sql.ref(column))} like ${pattern}
    order by ${naturally(sql.ref(column))} limit 100`.execute(tx)
  return rows.map((row) => row.name)
}

/** The access rights tag of the rows of a table that has one in `access_rights_tag_id`. */
export function accessRightsTagOf(table: 'device' | 'property') {
  const column = sql.ref(`${table}.access_rights_tag_id`)
  return {
    meets: (op, names, tenant) => {
      const matches =
        op === 'contains'
          ? sql`lower(display_name) like ${`%${escaped(names[0]!)}%`}`
          : sql`lower(display_name) = any(${names}::text[])`
      return sql`coalesce(${column} in (
        select id from access_rights_tag where tenant_id = ${tenant} and ${matches}), false)`
    },
    present: () => sql`${column} is not null`,
    names: (tx, pattern) => namesIn(tx, 'access_rights_tag', 'display_name', pattern),
  } satisfies Linked
}
