import type { InsertObject, UpdateObject } from 'kysely'
import { sql } from 'kysely'
import type { Changed } from '@caretaker/rules/audit/audit.ts'
import type { Database } from '../postgres/database.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import type { Recorded } from '../projections/events/audit.ts'
import { record } from '../projections/record.ts'

type NewRow<Table extends 'building' | 'floor'> = Omit<InsertObject<Database, Table>, 'tenant_id' | 'id'> & {
  id: string
}
type BuildingColumns = UpdateObject<Database, 'building'>
type FloorColumns = UpdateObject<Database, 'floor'>

/** A locked building. */
interface HeldBuilding {
  id: string
  name: string
}

/** The database's error code if another building has the name. */
export const uniqueViolation = '23505'

/** Adds a building with its floors, and records it in the audit log as `after`. Returns false if the name is taken. */
export async function createBuilding(
  tx: TenantTx,
  by: Recorded,
  building: NewRow<'building'> & { name: string },
  { floors, after }: { floors: readonly NewRow<'floor'>[]; after: Changed },
): Promise<boolean> {
  const created = await tx
    .insertInto('building')
    .values({ ...building, tenant_id: tx.tenant })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!created) return false
  await addFloors(tx, floors)
  record(tx, [{ type: 'BuildingAdded', buildingId: building.id, buildingName: building.name, by, before: null, after }])
  return true
}

async function addFloors(tx: TenantTx, floors: readonly NewRow<'floor'>[]): Promise<void> {
  if (!floors.length) return
  await tx
    .insertInto('floor')
    .values(floors.map((floor) => ({ ...floor, tenant_id: tx.tenant })))
    .execute()
}

async function updateFloor(tx: TenantTx, id: string, columns: FloorColumns): Promise<void> {
  await tx.updateTable('floor').set(columns).where('tenant_id', '=', tx.tenant).where('id', '=', id).execute()
}

export interface BuildingUpdate {
  columns: BuildingColumns
  floors: {
    removedIds: readonly string[]
    added: readonly NewRow<'floor'>[]
    changed: readonly { id: string; columns: FloorColumns }[]
  }
  /** The changes for the audit log; undefined if it names none of them. */
  changes: { before: Changed; after: Changed } | undefined
}

/**
 * Writes a locked building and its floors. Removed floors are empty. Throws a database error with the code
 * `uniqueViolation`.
 */
export async function saveBuilding(
  tx: TenantTx,
  by: Recorded,
  { id, name }: HeldBuilding,
  { columns, floors, changes }: BuildingUpdate,
): Promise<void> {
  if (floors.removedIds.length)
    await tx
      .deleteFrom('floor')
      .where('tenant_id', '=', tx.tenant)
      .where(sql<boolean>`id = any(${floors.removedIds}::uuid[])`)
      .execute()
  await addFloors(tx, floors.added)
  for (const floor of floors.changed) await updateFloor(tx, floor.id, floor.columns)
  await updateColumns(tx, id, columns)
  record(tx, [
    changes
      ? { type: 'BuildingChanged', buildingId: id, buildingName: name, by, ...changes }
      : { type: 'BuildingSaved', buildingId: id },
  ])
}

async function updateColumns(tx: TenantTx, id: string, columns: BuildingColumns): Promise<void> {
  await tx.updateTable('building').set(columns).where('tenant_id', '=', tx.tenant).where('id', '=', id).execute()
}

/** Writes the facts of the log book of a locked building. */
export async function setLogBook(
  tx: TenantTx,
  by: Recorded,
  { id, name }: HeldBuilding,
  {
    columns,
    changes,
  }: {
    columns: Pick<BuildingColumns, 'responsible_person' | 'completion_certificate' | 'central_battery'>
    changes: { before: Changed; after: Changed }
  },
): Promise<void> {
  await updateColumns(tx, id, columns)
  record(tx, [{ type: 'BuildingChanged', buildingId: id, buildingName: name, by, ...changes }])
}

/** A floor of a locked building. */
interface HeldFloor {
  id: string
  name: string
  revision: number
}

/** Writes the position of a floor and raises its revision. */
export async function moveFloor(
  tx: TenantTx,
  by: Recorded,
  { building, floor }: { building: HeldBuilding; floor: HeldFloor },
  { columns, changes }: { columns: FloorColumns; changes: { before: Changed; after: Changed } },
): Promise<void> {
  await updateFloor(tx, floor.id, { ...columns, revision: floor.revision + 1 })
  record(tx, [
    {
      ...{ type: 'FloorMoved', buildingId: building.id, buildingName: building.name, by },
      before: { floor: floor.name, ...changes.before },
      after: { floor: floor.name, ...changes.after },
    },
  ])
}

/** Replaces a floor's plan; `shape` is the floor's new shape, if it changes. */
export async function setFloorPlan(
  tx: TenantTx,
  by: Recorded,
  { building, floor }: { building: HeldBuilding; floor: HeldFloor & { plan: string | null } },
  {
    plan,
    shape,
  }: {
    plan: Omit<InsertObject<Database, 'floor_plan'>, 'tenant_id' | 'floor_id'> & { name: string }
    shape: FloorColumns | undefined
  },
): Promise<void> {
  await tx
    .insertInto('floor_plan')
    .values({ tenant_id: tx.tenant, floor_id: floor.id, ...plan })
    .onConflict((same) => same.columns(['tenant_id', 'floor_id']).doUpdateSet(plan))
    .execute()
  if (shape) await updateFloor(tx, floor.id, { ...shape, revision: floor.revision + 1 })
  record(tx, [
    {
      ...{ type: 'FloorPlanUploaded', buildingId: building.id, buildingName: building.name, by },
      before: floor.plan === null ? null : { floor: floor.name, floorPlan: floor.plan },
      after: { floor: floor.name, floorPlan: plan.name, ...shape },
    },
  ])
}
