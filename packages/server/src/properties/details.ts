import type { InsertObject, UpdateObject } from 'kysely'
import type { Database } from '../postgres/database.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { recordEach } from './record.ts'

export type PropertyColumns = UpdateObject<Database, 'property'>

/** The database's error code if another property has the reference. */
export const uniqueViolation = '23505'

/** Adds a property. Throws a database error with the code `uniqueViolation`. */
export async function createProperty(
  tx: TenantTx,
  values: Omit<InsertObject<Database, 'property'>, 'tenant_id' | 'id'> & { id: string },
): Promise<void> {
  await tx
    .insertInto('property')
    .values({ ...values, tenant_id: tx.tenant })
    .execute()
  recordEach(tx, 'PropertyAdded', [values.id])
}

/** Writes fields of a locked property and raises its version. Throws a database error with the code `uniqueViolation`. */
export async function updateProperty(
  tx: TenantTx,
  { id, version }: { id: string; version: number },
  next: PropertyColumns,
): Promise<void> {
  await tx
    .updateTable('property')
    .set({ ...next, version: version + 1 })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .execute()
  recordEach(tx, 'PropertyChanged', [id])
}

/** Removes an access rights tag from all properties that have it. */
export async function removeAccessRightsTag(tx: TenantTx, tagId: string): Promise<void> {
  const rows = await tx
    .updateTable('property')
    .set({ access_rights_tag_id: null })
    .where('tenant_id', '=', tx.tenant)
    .where('access_rights_tag_id', '=', tagId)
    .returning('id')
    .execute()
  recordEach(
    tx,
    'PropertyAccessRightsTagRemoved',
    rows.map(({ id }) => id),
  )
}
