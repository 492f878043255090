import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { TenantTx } from './tenant.ts'

/** Column values of one row; missing columns stay unchanged. */
export type Columns = Record<string, unknown>

interface Update {
  table: 'device' | 'property' | 'building' | 'floor' | 'scim_user'
  ids: readonly string[]
  /** The columns of each id, in the order of the ids. */
  rows: readonly Columns[]
  /** The Postgres types of the columns. */
  types: Readonly<Record<string, string>>
  /** Assignments for all rows. */
  always?: readonly RawBuilder<unknown>[]
  /** A further value for each id, as jsonb, available to `always` as `new.more`. */
  more?: readonly string[]
}

/** Updates rows of a table in one statement, changing only the given columns of each row. */
export async function updateEach(
  tx: TenantTx,
  { table, ids, rows, types, always = [], more = ids.map(() => '{}') }: Update,
): Promise<void> {
  const columns = [...new Set(rows.flatMap(Object.keys))]
  // A list of values per column, and a list that marks which rows have them.
  const assigned = columns.map(
    (column, at) =>
      sql`${sql.ref(column)} = case when ${sql.ref(`new.given${at}`)} then ${sql.ref(`new.value${at}`)} else ${sql.ref(`${table}.${column}`)} end`,
  )
  const sets = [...assigned, ...always]
  if (!ids.length || !sets.length) return
  const lists = columns.flatMap((column) => [
    sql`${rows.map((row) => column in row)}::boolean[]`,
    sql`${rows.map((row) => row[column] ?? null)}::${sql.raw(types[column]!)}[]`,
  ])
  const names = columns.flatMap((_, at) => [sql.ref(`given${at}`), sql.ref(`value${at}`)])
  await sql`
    update ${sql.table(table)} set ${sql.join(sets)}
    from unnest(${sql.join([sql`${ids}::uuid[]`, sql`${more}::jsonb[]`, ...lists])})
      as new (${sql.join([sql.ref('id'), sql.ref('more'), ...names])})
    where ${sql.ref(`${table}.tenant_id`)} = ${tx.tenant} and ${sql.ref(`${table}.id`)} = new.id`.execute(tx)
}
