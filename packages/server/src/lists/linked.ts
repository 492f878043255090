import { sql } from 'kysely'
import type { TenantTx } from '../postgres/tenant.ts'
import { naturally } from '../postgres/natural-order.ts'
import type { Linked } from './source.ts'
import { hasWords, isNamed, searchForm } from './words.ts'

/** Names in a table of the tenant that contain all typed words, as suggestions for a filter; 100 at most. */
export async function namesIn(tx: TenantTx, table: string, column: string, typed: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select ${sql.ref(column)} as name from ${sql.table(table)}
    where tenant_id = ${tx.tenant} and ${hasWords([searchForm(sql.ref(column))], typed)}
    order by ${naturally(sql.ref(column))} limit 100`.execute(tx)
  return rows.map((row) => row.name)
}

/** The access rights tag of rows of a table with `access_rights_tag_id`. */
export function accessRightsTagOf(table: 'device' | 'property') {
  const column = sql.ref(`${table}.access_rights_tag_id`)
  return {
    meets: (op, names, tenant) => sql`coalesce(${column} in (
        select id from access_rights_tag
        where tenant_id = ${tenant} and ${isNamed(sql`lower(display_name)`, op, names)}), false)`,
    present: () => sql`${column} is not null`,
    names: (tx, typed) => namesIn(tx, 'access_rights_tag', 'display_name', typed),
  } satisfies Linked
}
