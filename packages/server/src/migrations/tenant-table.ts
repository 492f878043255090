import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/** The role that answers calls: it owns nothing and cannot pass row-level security. */
export const applicationRole = 'caretaker_app'
/** The role of the embedded identity provider: it reaches the schema `idp` and nothing else. */
export const identityRole = 'caretaker_idp'

interface TenantTable {
  name: string
  /** Column definitions and constraints after `tenant_id`, in SQL. Keys must begin with tenant_id. */
  columns: string
  /** Foreign keys to other tables; that to the tenant is there of itself. */
  foreignKeys?: string[]
  partitionBy?: string
  /** Stays on the coordinator where the database is spread over several machines. */
  local?: boolean
  /** Leaves out the foreign key to the tenant where a check for every row would cost too much: points and roll-ups. */
  hot?: boolean
  with?: string
  /** How columns are stored that are not stored as usual. It is copied to the pieces of a distributed table, and can be set on none later. */
  storage?: Record<string, 'main' | 'external'>
  /** What the application role may do; everything unless given. */
  grants?: string
}

/**
 * The one way to declare a table that belongs to tenants: leading tenant_id, distribution where the database is spread
 * over several machines, forced row security with the one policy, grants. Foreign keys come after the distribution: a table
 * that is made with one to a shared table would stay on the coordinator. The policy compares tenant_id with the
 * setting and nothing else: a cleverer one was measured thousands of times slower.
 */
export async function tenantTable(db: Kysely<unknown>, table: TenantTable): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await run(
    `create table ${table.name} (
      tenant_id text not null,
      ${table.columns}
    )${table.partitionBy ? ` partition by ${table.partitionBy}` : ''}${table.with ? ` with (${table.with})` : ''}`,
  )
  for (const [column, storage] of Object.entries(table.storage ?? {}))
    await run(`alter table ${table.name} alter ${column} set storage ${storage}`)
  if (!table.local && (await isDistributed(db)))
    await run(`select create_distributed_table('${table.name}', 'tenant_id')`)
  const keys = [...(table.hot ? [] : ['foreign key (tenant_id) references tenant (id)']), ...(table.foreignKeys ?? [])]
  for (const key of keys) await run(`alter table ${table.name} add ${key}`)
  await run(`alter table ${table.name} enable row level security`)
  await run(`alter table ${table.name} force row level security`)
  await run(
    `create policy tenant_wall on ${table.name}
      using (tenant_id = current_setting('app.tenant', true))
      with check (tenant_id = current_setting('app.tenant', true))`,
  )
  await run(`grant ${table.grants ?? 'select, insert, update, delete'} on ${table.name} to ${applicationRole}`)
}

/**
 * A table that all tenants share: copied to every machine where the database is spread. A local one stays on the coordinator: a
 * queue, where who takes from it skips what another has taken. On copies they would wait for each other.
 */
export async function sharedTable(
  db: Kysely<unknown>,
  name: string,
  columns: string,
  grants: string,
  { local = false }: { local?: boolean } = {},
): Promise<void> {
  await sql.raw(`create table ${name} (${columns})`).execute(db)
  if (!local && (await isDistributed(db))) await sql.raw(`select create_reference_table('${name}')`).execute(db)
  await sql.raw(`grant ${grants} on ${name} to ${applicationRole}`).execute(db)
}

async function isDistributed(db: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from pg_extension where extname = 'citus') as found`.execute(db)
  return rows[0]!.found
}
