import { sql } from 'kysely'
import type { TenantTx } from '../postgres/tenant.ts'
import type { Columns } from '../postgres/update-each.ts'
import { updateEach } from '../postgres/update-each.ts'
import { recordEach } from './record.ts'

/** Adds imported properties, each with its `id`; returns the ids of those whose references are not taken. */
export async function addImportedProperties(tx: TenantTx, rows: readonly Columns[]): Promise<string[]> {
  if (!rows.length) return []
  // Kysely takes the union of the columns of all rows, with the default where a row has none.
  const created = await tx
    .insertInto('property')
    .values(rows.map((row) => ({ ...row, tenant_id: tx.tenant })) as never)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute()
  const ids = created.map(({ id }) => id)
  recordEach(tx, 'PropertyAdded', ids)
  return ids
}

/** Writes the fields that a list states for locked properties. */
export async function updateImportedProperties(
  tx: TenantTx,
  properties: { ids: readonly string[]; rows: readonly Columns[]; types: Readonly<Record<string, string>> },
): Promise<void> {
  await updateEach(tx, { table: 'property', ...properties, always: [sql`version = property.version + 1`] })
  recordEach(tx, 'PropertyChanged', properties.ids)
}

/** Removes properties that an import added and that nothing refers to. */
export async function removeImportedProperties(tx: TenantTx, ids: readonly string[]): Promise<void> {
  await tx.deleteFrom('property').where('tenant_id', '=', tx.tenant).where('id', 'in', ids).execute()
  recordEach(tx, 'PropertyRemoved', ids)
}
