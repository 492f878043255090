import type { QueryResultRow } from 'pg'
import { CompiledQuery, sql } from 'kysely'
import { applicationRole, identityRole } from '../migrations/tenant-table.ts'
import type { TenantTx } from '../postgres/tenant.ts'

/** A pool of the identity provider's role, or a transaction that takes that role for single statements. */
export interface Accounts {
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as a pool has it: the rows are what the caller says they are
  query<R extends QueryResultRow>(text: string, values: unknown[]): Promise<{ rows: R[]; rowCount: number | null }>
}

/**
 * The identity provider's accounts within a tenant's transaction: an account and its invitation are made together or not at all, and
 * on one connection. Statements run one at a time.
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
