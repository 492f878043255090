import { sql } from 'kysely'
import type { WorkCase, WorkDevice, Worklist } from '@caretaker/contract/dashboard.ts'
import type { Day } from '@caretaker/rules/calendar/days.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { DeviceCaseName, WorkCaseName } from '@caretaker/rules/dashboard/worklist.ts'
import { deviceCases, deviceView, subjectOf, workCasesFor } from '@caretaker/rules/dashboard/worklist.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import type { Filter, Sort } from '@caretaker/rules/lists/filters.ts'
import type { HomeCaseName } from '@caretaker/rules/properties/attention.ts'
import { homeCaseView } from '@caretaker/rules/properties/attention.ts'
import type { Wanted } from '../../lists/read.ts'
import { rowsWanted, zoneOf } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { reasonsOf } from '../conditions/store.ts'
import { deviceList } from '../devices/list.ts'
import { worstHomes } from '../properties/attention.ts'
import { propertyList } from '../properties/list.ts'

/** The items that need attention among those the actor may see. */
export async function worklistOf(tx: TenantTx, actor: Actor): Promise<Worklist> {
  const today = dayAt(Date.now(), await zoneOf(tx))
  const views = new Map(workCasesFor(actor).map((name) => [name, viewOf(name, today, actor)]))
  const { counts, needing } = await countCases(tx, actor, views)
  const cases: WorkCase[] = []
  for (const [name, view] of views) cases.push(await caseOf(tx, actor, { name, view, count: counts.get(name)! }))
  return { cases, needing }
}

/** The list and filters of a case: the server counts these rows, and the link opens them. */
interface View {
  listing: WorkCase['listing']
  viewId: string | null
  filters: Filter[]
  sorts: Sort[]
  columns: readonly string[] | null
}

function viewOf(name: WorkCaseName, today: Day, actor: Actor): View {
  const view = isOfDevices(name)
    ? deviceView(name, today, actor)
    : { listing: 'Properties' as const, ...homeCaseView(name, today) }
  return { viewId: null, columns: null, ...view }
}

interface Counted {
  name: WorkCaseName
  view: View
  count: number
}

async function caseOf(tx: TenantTx, actor: Actor, { name, view, count }: Counted): Promise<WorkCase> {
  const { listing, filters, sorts } = view
  const wanted = { filters, sorts, search: '' }
  if (listing === 'Properties') {
    const { late, worst } = await worstHomes(tx, actor, { name: name as HomeCaseName, wanted, count })
    const homes = worst.map((home) => ({ kind: 'home' as const, ...home }))
    return { case: name, count, late, ...view, worst: homes } as WorkCase
  }
  const worst = count === 0 ? [] : await oldestOf(tx, actor, name as DeviceCaseName, { listing, ...wanted })
  return { case: name, count, late: null, ...view, worst } as WorkCase
}

const isOfDevices = (name: WorkCaseName): name is DeviceCaseName => (deviceCases as readonly string[]).includes(name)

/** How many properties need attention. Counted without the worst of each case, because every page shows it. */
export async function countHomesNeeding(tx: TenantTx, actor: Actor): Promise<number> {
  const names = workCasesFor(actor).filter((name) => !isOfDevices(name))
  if (names.length === 0) return 0
  const today = dayAt(Date.now(), await zoneOf(tx))
  const { needing } = await countCases(tx, actor, new Map(names.map((name) => [name, viewOf(name, today, actor)])))
  return needing.homes
}

/**
 * The number of rows of each case, and of different rows of all cases of a subject. One statement, in which the rows of
 * each case are found once.
 */
async function countCases(
  tx: TenantTx,
  actor: Actor,
  views: ReadonlyMap<WorkCaseName, View>,
): Promise<{ counts: Map<WorkCaseName, number>; needing: Worklist['needing'] }> {
  const names = [...views.keys()]
  const needing = { homes: 0, lights: 0, gateways: 0, boilers: 0 }
  if (!names.length) return { counts: new Map(), needing }
  const idsOf = async ({ listing, filters, sorts }: View) => {
    const wanted = { filters, sorts, search: '' }
    return listing === 'Properties'
      ? (await rowsWanted(propertyList, tx, actor, { listing, ...wanted })).select('property.id')
      : (await rowsWanted(deviceList, tx, actor, { listing, ...wanted })).select('device.id')
  }
  const rowsOf = (name: WorkCaseName) => sql.ref(`rows_${names.indexOf(name)}`)
  const found = []
  for (const [name, view] of views) found.push(sql`${rowsOf(name)} as materialized (${await idsOf(view)})`)
  const counts = names.map((name) => sql`(select count(*)::int from ${rowsOf(name)})`)
  const subjects = Map.groupBy(names, subjectOf)
  const different = [...subjects.values()].map((of) =>
    of.length > 1
      ? sql`(select count(*)::int from (${sql.join(
          of.map((name) => sql`select id from ${rowsOf(name)}`),
          sql` union `,
        )}) as needing)`
      : sql`(select count(*)::int from ${rowsOf(of[0]!)})`,
  )
  const { rows } = await sql<{ counts: number[]; different: number[] }>`
    with ${sql.join(found)}
    select array[${sql.join(counts)}] as counts, array[${sql.join(different)}] as different`.execute(tx)
  const [row] = rows
  for (const [at, subject] of [...subjects.keys()].entries()) needing[subject] = row!.different[at]!
  return { counts: new Map(names.map((name, at) => [name, row!.counts[at]!])), needing }
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
