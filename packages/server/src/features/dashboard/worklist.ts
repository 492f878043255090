import type { JoinBuilder, RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { WorkCase, WorkItem } from '@caretaker/contract/dashboard.ts'
import { faultSince } from '@caretaker/rules/devices/fault.ts'
import type { WorkCaseName } from '@caretaker/rules/dashboard/worklist.ts'
import { workCases, workView } from '@caretaker/rules/dashboard/worklist.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import type { Database } from '../../postgres/schema.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import type { Wanted } from '../../lists/read.ts'
import { countRows, rowsWanted, zoneOf } from '../../lists/read.ts'
import { deviceList } from '../devices/list.ts'

/** What needs the actor today, of the listings that they may see. */
export async function worklistOf(tx: TenantTx, actor: Actor): Promise<WorkCase[]> {
  const today = dayAt(Date.now(), await zoneOf(tx))
  const cases: WorkCase[] = []
  for (const name of workCases) {
    const { listing, viewId = null, filters, sorts } = workView(name, today)
    if (!can(actor, listings[listing].may)) continue
    const wanted = { listing, filters, sorts, search: '' }
    const count = await countRows(deviceList, tx, actor, wanted)
    const oldest = count === 0 ? [] : await oldestOf(tx, actor, name, wanted)
    // The contract's filters are lists that can be written to.
    cases.push({ case: name, count, listing, viewId, filters, sorts, oldest } as WorkCase)
  }
  return cases
}

/** By what the two oldest of a case are found. What a device says of its fault's time may be anything: only an instant of this century counts. */
const since: Record<WorkCaseName, RawBuilder<unknown>> = {
  'failed lights': sql`device.status_at`,
  'boiler faults': sql`coalesce(substring(device.reported #>> '{fault,timestamp}' from '^20\\d\\d-\\d\\d-\\d\\dT.*'),
    to_char(device.status_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS'))`,
  'untested lights': sql`coalesce(device.last_test_at, device.status_at)`,
  'gateways offline': sql`coalesce(device_link.heard_at, device.status_at)`,
}

const ofDevice = (tx: TenantTx) => (join: JoinBuilder<Database, 'device' | 'device_link'>) =>
  join.on('device_link.tenant_id', '=', tx.tenant).onRef('device_link.device_id', '=', 'device.id')

async function oldestOf(
  tx: TenantTx,
  actor: Actor,
  name: WorkCaseName,
  wanted: Wanted<ListingName>,
): Promise<WorkItem[]> {
  const cases = (await rowsWanted(deviceList, tx, actor, wanted)).leftJoin('device_link', ofDevice(tx))
  const oldest = cases.select('device.id').orderBy(since[name]).orderBy('device.serial').limit(2)
  // The two are chosen among many by what the index of the listing holds; only they are read whole.
  const rows = await tx
    .selectFrom('device')
    .leftJoin('device_link', ofDevice(tx))
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
      'reported',
      'status_at',
      'last_test_at',
      'heard_at',
    ])
    .orderBy(since[name])
    .orderBy('device.serial')
    .execute()
  const sinceOf: Record<WorkCaseName, (row: (typeof rows)[number]) => Date> = {
    'failed lights': (row) => row.status_at,
    'boiler faults': (row) => faultSince(row.reported) ?? row.status_at,
    'untested lights': (row) => row.last_test_at ?? row.status_at,
    'gateways offline': (row) => row.heard_at ?? row.status_at,
  }
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
    since: sinceOf[name](row).toISOString(),
  }))
}
