import type { QueryResultRow } from 'pg'
import { CompiledQuery, sql } from 'kysely'
import { applicationRole, identityRole } from '../migrations/tenant-table.ts'
import type { TenantTx } from '../postgres/tenant.ts'

/** Runs statements as the identity provider's database role: its pool, or a transaction that switches role per statement. */
export interface Accounts {
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the signature of pg.Pool: the caller names the row type
  query<R extends QueryResultRow>(text: string, values: unknown[]): Promise<{ rows: R[]; rowCount: number | null }>
}

/**
 * The identity provider's accounts within a tenant's transaction, on its connection: an account and its invitation are created
 * together or not at all. Statements run one at a time.
 */
export function accountsIn(tx: TenantTx): Accounts {
  return {
    query: async (text, values) => {
      await sql.raw(`set local role ${identityRole}`).execute(tx)
      const { rows, numAffectedRows } = await tx.executeQuery<never>(CompiledQuery.raw(text, values))
      await sql.raw(`set local role ${applicationRole}`).execute(tx)
      return { rows, rowCount: numAffectedRows === undefined ? rows.length : Number(numAffectedRows) }
    },
  }
}
