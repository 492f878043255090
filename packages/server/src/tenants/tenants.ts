import type { InsertObject, RawBuilder, Transaction } from 'kysely'
import { sql } from 'kysely'
import type { AuditAction, Changed } from '@caretaker/rules/audit/audit.ts'
import { expectCurrent, versionOf } from '../edit-version.ts'
import type { Database } from '../postgres/database.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import type { Recorded } from '../projections/events/audit.ts'
import { record } from '../projections/record.ts'

/** Adds a tenant; false if its id is taken. The caller records the rest of its setup. */
export async function createTenant(
  transaction: Transaction<Database>,
  row: InsertObject<Database, 'tenant'>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('tenant')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return Boolean(numInsertedOrUpdatedRows)
}

export interface TenantColumns {
  display_name?: string
  contacts?: string
  time_zone?: string
  settings?: RawBuilder<Record<string, unknown>>
  suspended_at?: Date | null
  suspended_reason?: string | null
}

interface TenantChange {
  columns: TenantColumns
  action: AuditAction
  /** The changes for the audit log; undefined if it names none of them. */
  changes: { before: Changed | null; after: Changed } | undefined
  /** The name of the tenant in the audit log; if missing, its id. */
  name?: string
}

/** The expression for the settings with these values replacing those of the same names. */
export const mergedSettings = (values: Record<string, unknown>): RawBuilder<Record<string, unknown>> =>
  sql`settings || ${JSON.stringify(values)}::jsonb`

/** Writes columns of the locked tenant. */
export async function updateTenant(
  tx: TenantTx,
  by: Recorded,
  { columns, action, changes, name = tx.tenant }: TenantChange,
): Promise<void> {
  await tx.updateTable('tenant').set(columns).where('id', '=', tx.tenant).execute()
  record(tx, [
    changes
      ? { type: 'TenantChanged', tenantId: tx.tenant, tenantName: name, action, by, ...changes }
      : { type: 'TenantSaved' },
  ])
}

/** Locks the tenant, and rejects a change to settings that is based on a version other than the stored one. */
export async function expectSettings(
  tx: TenantTx,
  version: number | undefined,
  stored: (tx: TenantTx) => Promise<object>,
): Promise<void> {
  if (version === undefined) return
  await tx.selectFrom('tenant').select('id').where('id', '=', tx.tenant).forNoKeyUpdate().execute()
  expectCurrent(versionOf(await stored(tx)), version, 'these settings')
}

/** Marks the tenant as being removed: its users have no access any more. */
export async function beginTenantRemoval(tx: TenantTx, now: Date): Promise<void> {
  await tx.updateTable('tenant').set({ removal_began_at: now }).where('id', '=', tx.tenant).execute()
}

/** Deletes the locked tenant, which has no rows any more. */
export async function deleteTenant(tx: TenantTx): Promise<void> {
  await tx.deleteFrom('tenant').where('id', '=', tx.tenant).execute()
}
