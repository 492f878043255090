import { sql } from 'kysely'
import type { WorkCase, WorkDevice, Worklist } from '@caretaker/contract/dashboard.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { DeviceCaseName, WorkCaseName, WorkSubject } from '@caretaker/rules/dashboard/worklist.ts'
import { deviceCases, deviceView, subjectOf, workCasesFor } from '@caretaker/rules/dashboard/worklist.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import type { Filter, Sort } from '@caretaker/rules/lists/filters.ts'
import { homeCaseView } from '@caretaker/rules/properties/attention.ts'
import type { Wanted } from '../../lists/read.ts'
import { countRows, rowsWanted, zoneOf } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { reasonsOf } from '../conditions/store.ts'
import { deviceList } from '../devices/list.ts'
import { homesNeeding } from '../properties/attention.ts'
import { propertyList } from '../properties/list.ts'

/** The items that need attention among those the actor may see. */
export async function worklistOf(tx: TenantTx, actor: Actor): Promise<Worklist> {
  const cases: WorkCase[] = []
  for (const name of workCasesFor(actor)) cases.push(await caseOf(tx, actor, name))
  const of = (subject: WorkSubject) => needing(tx, actor, cases, subject)
  const needed = {
    ...{ homes: await of('homes'), lights: await of('lights') },
    ...{ gateways: await of('gateways'), boilers: await of('boilers') },
  }
  return { cases, needing: needed }
}

async function caseOf(tx: TenantTx, actor: Actor, name: WorkCaseName): Promise<WorkCase> {
  if (!isOfDevices(name)) {
    const { worst, ...found } = await homesNeeding(tx, actor, name)
    const homes = worst.map((home) => ({ kind: 'home' as const, ...home }))
    // The contract's filters are mutable lists.
    return { ...found, listing: 'Properties', viewId: null, worst: homes } as WorkCase
  }
  const today = dayAt(Date.now(), await zoneOf(tx))
  const { listing, viewId = null, filters, sorts, columns = null } = deviceView(name, today, actor)
  const wanted = { listing, filters, sorts, search: '' }
  const count = await countRows(deviceList, tx, actor, wanted)
  const worst = count === 0 ? [] : await oldestOf(tx, actor, name, wanted)
  return { case: name, count, late: null, listing, viewId, filters, sorts, columns, worst } as WorkCase
}

const isOfDevices = (name: WorkCaseName): name is DeviceCaseName => (deviceCases as readonly string[]).includes(name)

/** How many properties need attention. Counted without the cases and their worst, because every page shows it. */
export async function countHomesNeeding(tx: TenantTx, actor: Actor): Promise<number> {
  const names = workCasesFor(actor).filter((name) => !isOfDevices(name))
  if (names.length === 0) return 0
  const today = dayAt(Date.now(), await zoneOf(tx))
  const views = names.map((name) => homeCaseView(name, today))
  return countDifferent(
    tx,
    actor,
    views.map((view) => ({ listing: 'Properties' as const, ...view })),
  )
}

/** How many different properties or devices the cases of a subject have. */
async function needing(tx: TenantTx, actor: Actor, cases: readonly WorkCase[], subject: WorkSubject): Promise<number> {
  const some = cases.filter((one) => subjectOf(one.case) === subject && one.count > 0)
  return some.length < 2 ? (some[0]?.count ?? 0) : countDifferent(tx, actor, some)
}

async function countDifferent(
  tx: TenantTx,
  actor: Actor,
  some: readonly { listing: WorkCase['listing']; filters: readonly Filter[]; sorts: readonly Sort[] }[],
): Promise<number> {
  const parts = []
  for (const { listing, filters, sorts } of some) {
    const wanted = { filters, sorts, search: '' }
    parts.push(
      listing === 'Properties'
        ? (await rowsWanted(propertyList, tx, actor, { listing, ...wanted })).select('property.id')
        : (await rowsWanted(deviceList, tx, actor, { listing, ...wanted })).select('device.id'),
    )
  }
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (${sql.join(parts, sql` union `)}) as needing`.execute(tx)
  return rows[0]!.count
}

/** How the two oldest of a case are found. */
const since: Record<DeviceCaseName, keyof typeof sqlOf> = {
  'failed lights': 'status_at',
  'failed boilers': 'status_at',
  'lights overdue': 'tested_at',
  'missed tests': 'tested_at',
  'no full test': 'full_tested_at',
  'lights in no group': 'status_at',
  'gas checks': 'gas_due_at',
  'boilers without treatment': 'water_due_at',
  'gateways offline': 'connection_at',
}

const sqlOf = {
  status_at: sql<Date>`device.status_at`,
  connection_at: sql<Date>`coalesce(device.connection_at, device.status_at)`,
  tested_at: sql<Date>`coalesce(device.last_test_at, device.status_at)`,
  full_tested_at: sql<Date>`coalesce(device.last_full_test_at, device.status_at)`,
  // A device that failed and never passed has no date: it has been waiting since its installation.
  gas_due_at: sql<Date>`coalesce(device.gas_due_at, device.status_at)`,
  water_due_at: sql<Date>`coalesce(device.water_due_at, device.status_at)`,
}

async function oldestOf(
  tx: TenantTx,
  actor: Actor,
  name: DeviceCaseName,
  wanted: Wanted<ListingName>,
): Promise<WorkDevice[]> {
  const at = sqlOf[since[name]]
  const cases = await rowsWanted(deviceList, tx, actor, wanted)
  const oldest = cases.select('device.id').orderBy(at).orderBy('device.serial').limit(2)
  // The two are chosen by index; only then are their rows read in full.
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
    kind: 'device',
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
