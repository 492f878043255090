import { sql } from 'kysely'
import type { TenantTx } from '../postgres/tenant.ts'
import type { Columns } from '../postgres/update-each.ts'
import { updateEach } from '../postgres/update-each.ts'
import { record } from '../projections/record.ts'

/** Fields that a list states for locked buildings or floors. */
interface ImportedFields {
  ids: readonly string[]
  rows: readonly Columns[]
  types: Readonly<Record<string, string>>
}

function recordBuildings(tx: TenantTx, ids: readonly string[]): void {
  record(
    tx,
    ids.map((buildingId) => ({ type: 'BuildingImported', buildingId })),
  )
}

/** Adds buildings, each with its `id`; returns the ids of those whose names are not taken. */
export async function addImportedBuildings(tx: TenantTx, rows: readonly Columns[]): Promise<string[]> {
  if (!rows.length) return []
  // Kysely takes the union of the columns of all rows, with the default where a row has none.
  const created = await tx
    .insertInto('building')
    .values(rows.map((row) => ({ ...row, tenant_id: tx.tenant })) as never)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute()
  const ids = created.map(({ id }) => id)
  recordBuildings(tx, ids)
  return ids
}

export async function updateImportedBuildings(tx: TenantTx, fields: ImportedFields): Promise<void> {
  await updateEach(tx, { table: 'building', ...fields, always: [sql`revision = building.revision + 1`] })
  recordBuildings(tx, fields.ids)
}

/** Removes buildings that an import added and that nothing refers to. */
export async function removeImportedBuildings(tx: TenantTx, ids: readonly string[]): Promise<void> {
  await tx.deleteFrom('building').where('tenant_id', '=', tx.tenant).where('id', 'in', ids).execute()
  recordBuildings(tx, ids)
}

/** Adds floors, each with its `id`; returns the ids of those that did not exist. */
export async function addImportedFloors(tx: TenantTx, rows: readonly Columns[]): Promise<string[]> {
  if (!rows.length) return []
  const created = await tx
    .insertInto('floor')
    .values(rows.map((row) => ({ ...row, tenant_id: tx.tenant })) as never)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute()
  if (created.length) record(tx, [{ type: 'FloorsImported' }])
  return created.map(({ id }) => id)
}

export async function updateImportedFloors(tx: TenantTx, fields: ImportedFields): Promise<void> {
  await updateEach(tx, { table: 'floor', ...fields, always: [sql`revision = floor.revision + 1`] })
  record(tx, [{ type: 'FloorsImported' }])
}

/** Removes floors that an import added and that nothing refers to. */
export async function removeImportedFloors(tx: TenantTx, ids: readonly string[]): Promise<void> {
  await tx.deleteFrom('floor').where('tenant_id', '=', tx.tenant).where('id', 'in', ids).execute()
  record(
    tx,
    ids.map((floorId) => ({ type: 'FloorRemoved', floorId })),
  )
}

/** Sets the default floors that a list names, once the floors exist. Its buildings are already announced. */
export async function setImportedDefaultFloors(tx: TenantTx, importId: string): Promise<void> {
  await sql`
    update building set default_floor_id = floor.id from floor, data_import_item
    where building.tenant_id = ${tx.tenant} and floor.tenant_id = ${tx.tenant} and data_import_item.tenant_id = ${tx.tenant}
      and data_import_item.import_id = ${importId} and data_import_item.kind = 'building' and data_import_item.state = 'done'
      and building.id = data_import_item.target_id and floor.building_id = building.id
      and lower(floor.name) = lower(data_import_item.values ->> 'defaultFloor')`.execute(tx)
}
