import { sql } from 'kysely'
import type { WorkCase, WorkItem } from '@caretaker/contract/dashboard.ts'
import type { WorkCaseName } from '@caretaker/rules/dashboard/worklist.ts'
import { workCases, workView } from '@caretaker/rules/dashboard/worklist.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import type { Wanted } from '../../lists/read.ts'
import { countRows, rowsWanted, zoneOf } from '../../lists/read.ts'
import { reasonsOf } from '../conditions/store.ts'
import { deviceList } from '../devices/list.ts'

/** What needs the actor today, of the listings that they may see. */
export async function worklistOf(tx: TenantTx, actor: Actor): Promise<WorkCase[]> {
  const today = dayAt(Date.now(), await zoneOf(tx))
  const cases: WorkCase[] = []
  for (const name of workCases) {
    const { listing, viewId = null, filters, sorts, columns = null } = workView(name, today)
    if (!can(actor, listings[listing].may)) continue
    const wanted = { listing, filters, sorts, search: '' }
    const count = await countRows(deviceList, tx, actor, wanted)
    const oldest = count === 0 ? [] : await oldestOf(tx, actor, name, wanted)
    // The contract's filters are lists that can be written to.
    cases.push({ case: name, count, listing, viewId, filters, sorts, columns, oldest } as WorkCase)
  }
  return cases
}

/** By what the two oldest of a case are found. */
const since: Record<WorkCaseName, keyof typeof sqlOf> = {
  'failed lights': 'status_at',
  'failed boilers': 'status_at',
  'untested lights': 'tested_at',
  'gas checks': 'gas_due_at',
  'water treatments': 'water_due_at',
  'gateways offline': 'connection_at',
}

const sqlOf = {
  status_at: sql<Date>`device.status_at`,
  connection_at: sql<Date>`coalesce(device.connection_at, device.status_at)`,
  tested_at: sql<Date>`coalesce(device.last_test_at, device.status_at)`,
  // One that failed and never passed has no date: it has waited since it was installed.
  gas_due_at: sql<Date>`coalesce(device.gas_due_at, device.status_at)`,
  water_due_at: sql<Date>`coalesce(device.water_due_at, device.status_at)`,
}

async function oldestOf(
  tx: TenantTx,
  actor: Actor,
  name: WorkCaseName,
  wanted: Wanted<ListingName>,
): Promise<WorkItem[]> {
  const at = sqlOf[since[name]]
  const cases = await rowsWanted(deviceList, tx, actor, wanted)
  const oldest = cases.select('device.id').orderBy(at).orderBy('device.serial').limit(2)
  // The two are chosen among many by what the index of the listing holds; only they are read whole.
  const rows = await tx
    .selectFrom('device')
    .where('device.tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device.id = any(array(${oldest}))`)
    .select([
      'device.id',
      'device.product',
      'device.name',
      'building_name',
      'room',
      'location',
      'address',
      'property_reference',
      'fault_code',
      at.as('since'),
    ])
    .orderBy(at)
    .orderBy('device.serial')
    .execute()
  const reasons = await reasonsOf(
    tx,
    rows.map((row) => row.id),
  )
  const hidden = hidesPersonalData(actor)
  return rows.map((row) => ({
    deviceId: row.id,
    product: row.product,
    name: row.name,
    building: row.building_name,
    room: row.room ?? row.location,
    address: hidden ? null : row.address,
    propertyReference: row.property_reference,
    faultCode: row.fault_code,
    reason: reasons.get(row.id) ?? null,
    since: row.since.toISOString(),
  }))
}
