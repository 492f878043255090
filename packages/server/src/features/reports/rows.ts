import { CompiledQuery, sql } from 'kysely'
import { productsWithRecords, withoutRecords } from '@caretaker/rules/boilers/compliance.ts'
import type { ComplianceState } from '@caretaker/rules/compliance/due.ts'
import type { DeviceStatus, DisplayGroup } from '@caretaker/rules/devices/status.ts'
import { displayGroup, hasFailed, severityOf } from '@caretaker/rules/devices/status.ts'
import { areaOf, productCodes } from '@caretaker/rules/devices/products.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hasLevel, isLimited } from '@caretaker/rules/identity/actor.ts'
import { levels } from '@caretaker/rules/identity/roles.ts'
import type { ComponentStates } from '@caretaker/rules/lighting/tests.ts'
import type {
  ComplianceRow,
  DampRow,
  FailedRow,
  GasRow,
  OverviewRow,
  WarmthRow,
} from '@caretaker/rules/reports/columns.ts'
import { gasWord } from '@caretaker/rules/reports/columns.ts'
import type { HomeFigures, RoomFigures } from '@caretaker/rules/reports/figures.ts'
import { Warmth, warmthWords } from '@caretaker/rules/reports/figures.ts'
import { displayGroupWords } from '@caretaker/rules/devices/status.ts'
import { dampLevelWords } from '@caretaker/rules/properties/damp.ts'
import type { ReportType } from '@caretaker/rules/reports/kinds.ts'
import type { Month } from '@caretaker/rules/reports/months.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { dueRulesOf } from '../compliance/figures.ts'
import { visible } from '../devices/visible.ts'
import { dayAfter } from '@caretaker/rules/calendar/days.ts'
import { monthsAfter } from '@caretaker/rules/compliance/due.ts'
import { breachState } from '@caretaker/rules/properties/awaabs-breaches.ts'
import { caseNumberText, latenessOf } from '@caretaker/rules/properties/awaabs-deadlines.ts'
import { deadlineState } from '@caretaker/rules/properties/awaabs-words.ts'
import type { LawRow } from '@caretaker/rules/reports/law-columns.ts'
import { zoneOf } from '../../lists/read.ts'
import { casesInPeriod } from '../properties/breaches.ts'
import { monthKey } from './months.ts'

/** The user of a report, and its filters. */
export interface Scope {
  actor: Actor
  /** The month of a monthly report. */
  month: Month | null
  /** Ids of access rights tags; empty for everything that the user sees. */
  tagIds: readonly string[]
}

/** A row of a report, and what it adds to the counts of the chart. */
export interface Counted<Row> {
  row: Row
  counts: readonly (readonly [word: string, count: number])[]
}

const rowsAtOnce = 500

const seenProducts = (actor: Actor): Product[] =>
  productCodes.filter((code) => hasLevel(actor, areaOf(code), levels.read))

/** The rows of a table with a tag that the scope may see and covers; `table` never comes from a caller. */
function covers({ actor, tagIds }: Scope, table: 'device' | 'home') {
  const tag = sql.ref(`${table}.access_rights_tag_id`)
  const own = isLimited(actor) ? sql<boolean>`${tag} = any(${[...actor.tags]}::uuid[])` : sql<boolean>`true`
  const wanted = tagIds.length ? sql<boolean>`${tag} = any(${[...tagIds]}::uuid[])` : sql<boolean>`true`
  return sql<boolean>`(${own} and ${wanted})`
}

/** Visible devices without a property or building, counted by status group. */
export async function unplacedDevices(tx: TenantTx, actor: Actor): Promise<Map<string, number>> {
  const rows = await visible(tx.selectFrom('device'), actor)
    .where('property_id', 'is', null)
    .where('building_id', 'is', null)
    .where('product', 'in', seenProducts(actor))
    .select(['status', sql<number>`count(*)::int`.as('count')])
    .groupBy('status')
    .execute()
  const counts = new Map<string, number>()
  for (const { status, count } of rows) {
    const group = displayGroup(status)
    if (group) counts.set(displayGroupWords[group], (counts.get(displayGroupWords[group]) ?? 0) + count)
  }
  return counts
}

/** Reads a query in batches of rows, so that memory use stays constant. */
async function* each<Row>(tx: TenantTx, query: { compile(db: TenantTx): CompiledQuery }): AsyncGenerator<Row[]> {
  const { sql: text, parameters } = query.compile(tx)
  await tx.executeQuery(CompiledQuery.raw(`declare reported no scroll cursor for ${text}`, [...parameters]))
  for (;;) {
    const { rows } = await sql<Row>`fetch ${sql.lit(rowsAtOnce)} from reported`.execute(tx)
    if (!rows.length) break
    yield rows
  }
  await tx.executeQuery(CompiledQuery.raw('close reported'))
}

interface Place {
  property_id: string | null
  reference: string | null
  address: string | null
  postcode: string | null
}
const placed = ({ reference, address, postcode }: Place) => ({ propertyReference: reference, address, postcode })

type Monthly = Scope & { month: Month }

async function* overview(tx: TenantTx, scope: Monthly): AsyncGenerator<Counted<OverviewRow>[]> {
  interface One extends Place {
    building_name: string | null
    device_id: string | null
    status: string | null
    is_connected: boolean | null
    hours_not_heard: number | null
    faults_begun: number | null
    tests_passed: number | null
    tests_failed: number | null
  }
  const key = monthKey(scope.month)
  const columns = sql`device.building_name, device.device_id, device.status, device.is_connected, device.hours_not_heard,
    device.faults_begun, device.tests_passed, device.tests_failed`
  const seen = sql`device.product = any(${seenProducts(scope.actor)}::text[]) and ${covers(scope, 'device')}`
  // A property without visible devices is included if the property itself is visible.
  const bare = can(scope.actor, 'see properties') ? covers(scope, 'home') : sql<boolean>`false`
  const query = sql<One>`
    select home.property_id, home.reference, home.address, home.postcode, ${columns}
    from report_home home
    left join report_device device on device.tenant_id = ${tx.tenant} and device.month = ${key}::date
      and device.property_id = home.property_id and ${seen}
    where home.tenant_id = ${tx.tenant} and home.month = ${key}::date and (device.device_id is not null or ${bare})
    union all
    select null, null, null, null, ${columns}
    from report_device device
    where device.tenant_id = ${tx.tenant} and device.month = ${key}::date and ${seen}
      and not exists (select from report_home home where home.tenant_id = ${tx.tenant} and home.month = ${key}::date
        and home.property_id = device.property_id)
    order by 2 nulls last, 1 nulls last, 5, 6`
  let place: One[] = []
  const isSame = (a: One, b: One) =>
    a.property_id === b.property_id && (a.property_id !== null || a.building_name === b.building_name)
  for await (const rows of each<One>(tx, query)) {
    const done: Counted<OverviewRow>[] = []
    for (const row of rows) {
      if (place.length && !isSame(place[0]!, row)) {
        done.push(ofPlace(place))
        place = []
      }
      place.push(row)
    }
    if (done.length) yield done
  }
  if (place.length) yield [ofPlace(place)]

  function ofPlace(some: readonly One[]): Counted<OverviewRow> {
    const devices = some.filter(({ device_id: id }) => id !== null)
    const groups: Partial<Record<DisplayGroup, number>> = {}
    let worst: string | null = null
    for (const { status } of devices) {
      const group = displayGroup(status!)
      if (group) groups[group] = (groups[group] ?? 0) + 1
      if (worst === null || severityOf(status!) > severityOf(worst)) worst = status
    }
    const sum = (value: (one: One) => number | null) => devices.reduce((total, one) => total + (value(one) ?? 0), 0)
    const row: OverviewRow = {
      ...placed(some[0]!),
      building: devices.find(({ building_name: name }) => name)?.building_name ?? null,
      devices: devices.length,
      groups,
      worst,
      connected: devices.filter((one) => one.is_connected).length,
      hoursNotHeard: Math.round(sum((one) => one.hours_not_heard) * 10) / 10,
      faultsBegun: sum((one) => one.faults_begun),
      testsPassed: sum((one) => one.tests_passed),
      testsFailed: sum((one) => one.tests_failed),
    }
    const counts = Object.entries(groups).map(
      ([group, count]) => [displayGroupWords[group as DisplayGroup], count] as const,
    )
    return { row, counts }
  }
}

async function* damp(tx: TenantTx, scope: Monthly): AsyncGenerator<Counted<DampRow>[]> {
  const key = monthKey(scope.month)
  const query = sql`
    select home.property_id, home.reference, home.address, home.postcode, device.room, device.serial, device.figures
    from report_device device
    left join report_home home on home.tenant_id = ${tx.tenant} and home.month = ${key}::date
      and home.property_id = device.property_id
    where device.tenant_id = ${tx.tenant} and device.month = ${key}::date and device.figures is not null
      and device.product = any(${seenProducts(scope.actor)}::text[]) and ${covers(scope, 'device')}
    order by home.reference nulls last, home.property_id, device.room, device.serial`
  for await (const rows of each<Place & { room: string | null; serial: string; figures: RoomFigures }>(tx, query))
    yield rows.map((one) => ({
      row: { ...placed(one), room: one.room, serial: one.serial, ...one.figures },
      counts: [[dampLevelWords[one.figures.risk], 1]],
    }))
}

async function* warmth(tx: TenantTx, scope: Monthly): AsyncGenerator<Counted<WarmthRow>[]> {
  const key = monthKey(scope.month)
  const { rows: groups } = await sql<{ epc: string | null; architype: string | null; sum: number; count: number }>`
    select epc_rating as epc, architype, sum((figures ->> 'meanTemperature')::float8) as sum, count(*)::int as count
    from report_home
    where tenant_id = ${tx.tenant} and month = ${key}::date and figures ->> 'meanTemperature' is not null
    group by 1, 2`.execute(tx)
  const known = new Warmth(groups.map(({ epc, architype, sum, count }) => ({ epcRating: epc, architype, sum, count })))
  const query = sql`
    select home.property_id, home.reference, home.address, home.postcode, home.epc_rating, home.architype, home.figures
    from report_home home
    where home.tenant_id = ${tx.tenant} and home.month = ${key}::date and home.figures is not null and exists (
      select from report_device device
      where device.tenant_id = ${tx.tenant} and device.month = ${key}::date and device.property_id = home.property_id
        and device.product = any(${seenProducts(scope.actor)}::text[]) and ${covers(scope, 'device')})
    order by home.reference, home.property_id`
  interface One extends Place {
    epc_rating: string | null
    architype: string | null
    figures: HomeFigures
  }
  for await (const rows of each<One>(tx, query))
    yield rows.map((one) => {
      const home = { epcRating: one.epc_rating, architype: one.architype }
      const { figures } = one
      return {
        row: { ...placed(one), ...home, ...figures, ...known.of(home, figures.meanTemperature) },
        counts: [[warmthWords[figures.level], 1]],
      }
    })
}

/** Visible emergency lights in their current state. */
const lights = (tx: TenantTx, { actor }: Scope) =>
  visible(tx.selectFrom('device'), actor)
    .where('device.product', 'in', ['EM', 'EL'])
    .where(({ or, eb }) => or([eb('device.property_id', 'is not', null), eb('device.building_id', 'is not', null)]))
    .orderBy('device.building_name')
    .orderBy('device.floor_number')
    .orderBy('device.room')
    .orderBy('device.serial')
    .select(['device.id', 'device.serial', 'device.name', 'device.building_name', 'device.floor_name', 'device.room'])
    .select(['device.status', 'device.status_at', 'device.status_reason'])

interface Light {
  id: string
  serial: string
  name: string
  building_name: string | null
  floor_name: string | null
  room: string | null
  status: DeviceStatus
  status_at: Date
  status_reason: string | null
}
const placeOf = (one: Light) => ({
  ...{ serial: one.serial, name: one.name, building: one.building_name, floor: one.floor_name, room: one.room },
})

interface LastTest {
  device_id: string
  test_type: string
  started_at: Date
  result: string
  reason: string
  component_states: ComponentStates
}

/** The last test of each light, of one type or of all. */
async function lastTests(tx: TenantTx, ids: readonly string[], type?: string): Promise<Map<string, LastTest>> {
  const { rows } = await sql<LastTest>`
    select last.* from unnest(${ids}::uuid[]) as light (id), lateral (
      select device_id, test_type, started_at, result, reason, component_states from emergency_test
      where tenant_id = ${tx.tenant} and device_id = light.id ${type ? sql`and test_type = ${type}` : sql``}
      order by started_at desc limit 1) last`.execute(tx)
  return new Map(rows.map((row) => [row.device_id, row]))
}

/** The test behind the open failure of each light. */
async function lastFailedTests(tx: TenantTx, ids: readonly string[]): Promise<Map<string, LastTest>> {
  const { rows } = await sql<LastTest>`
    select distinct on (test.device_id) test.device_id, test_type, started_at, result, reason, component_states
    from condition join emergency_test as test
      on test.tenant_id = ${tx.tenant} and test.event_id = (condition.evidence ->> 'eventId')::uuid
    where condition.tenant_id = ${tx.tenant} and condition.device_id = any(${ids}::uuid[]) and ended_at is null
      and kind in ('testFailed', 'deviceTestFailed') and test.device_id = condition.device_id
    order by test.device_id, started_at desc`.execute(tx)
  return new Map(rows.map((row) => [row.device_id, row]))
}

async function* failed(tx: TenantTx, scope: Scope): AsyncGenerator<Counted<FailedRow>[]> {
  for await (const rows of each<Light>(tx, lights(tx, scope))) {
    const lights = rows.filter(({ status }) => hasFailed(status))
    const tests = await lastFailedTests(
      tx,
      lights.map(({ id }) => id),
    )
    const found = lights.map((one): Counted<FailedRow> => {
      const test = tests.get(one.id)
      const states = test ? Object.entries(test.component_states) : []
      const parts = states.filter(([, state]) => state === 'Failed').map(([part]) => part)
      const row = {
        ...placeOf(one),
        ...{ status: one.status, failedSince: +one.status_at, reason: one.status_reason },
        test: test ? { type: test.test_type, at: +test.started_at, parts } : null,
      }
      return { row, counts: [[test?.test_type ?? 'No test', 1]] }
    })
    if (found.length) yield found
  }
}

async function* compliance(tx: TenantTx, scope: Scope): AsyncGenerator<Counted<ComplianceRow>[]> {
  for await (const rows of each<Light>(tx, lights(tx, scope))) {
    const ids = rows.map(({ id }) => id)
    const monthly = await lastTests(tx, ids, 'T0')
    const yearly = await lastTests(tx, ids, 'T180')
    const testOf = (test: LastTest | undefined) => (test ? { at: +test.started_at, result: test.result } : null)
    yield rows.map((one) => {
      const full = testOf(yearly.get(one.id))
      const word = !full ? 'None' : full.result === 'Passed' || full.result === 'Failed' ? full.result : 'Other'
      return { row: { ...placeOf(one), monthly: testOf(monthly.get(one.id)), yearly: full }, counts: [[word, 1]] }
    })
  }
}

async function* gas(tx: TenantTx, scope: Scope): AsyncGenerator<Counted<GasRow>[]> {
  interface One extends Place {
    is_void: boolean
    state: ComplianceState | null
    last_on: string | null
    due_on: string | null
    failed_on: string | null
    certificate: string | null
    appliances: number
  }
  const { zone } = await dueRulesOf(tx)
  const day = (column: string) => sql`to_char(${sql.ref(column)}, 'YYYY-MM-DD')`
  const burning = sql`boiler.product = any(${productsWithRecords('GasSafety')}::text[])
    and (boiler.monitoring is null or boiler.monitoring <> all(${withoutRecords.GasSafety}::text[])) and boiler.severity > 1`
  const query = sql<One>`
    select home.id as property_id, home.reference, home.address, home.postcode, home.void_flag = 'Void' as is_void,
      home.gas_check_state as state, ${day('home.gas_last_on')} as last_on, ${day('home.gas_failed_on')} as failed_on,
      to_char(home.gas_check_due_at at time zone ${zone}, 'YYYY-MM-DD') as due_on, home.gas_certificate as certificate,
      (select count(*)::int from device as boiler
        where boiler.tenant_id = ${tx.tenant} and boiler.property_id = home.id and ${burning})
      + (select count(*)::int from home_appliance as entered
        where entered.tenant_id = ${tx.tenant} and entered.property_id = home.id and entered.removed_at is null) as appliances
    from property as home
    where home.tenant_id = ${tx.tenant} and home.archived_at is null and ${covers(scope, 'home')}
      and ${can(scope.actor, 'see properties')}
    order by home.gas_rank desc, home.gas_check_due_at nulls last, home.reference, home.id`
  for await (const rows of each<One>(tx, query))
    yield rows.map((one) => ({
      row: {
        ...placed(one),
        ...{ isVoid: one.is_void, state: one.state, lastOn: one.last_on, dueOn: one.due_on, failedOn: one.failed_on },
        ...{ certificate: one.certificate, appliances: one.appliances },
      },
      counts: [[gasWord(one.state), 1]],
    }))
}

/** Cases that were open in the month, with their deadlines in their current state. */
async function* law(tx: TenantTx, { actor, month, tagIds }: Monthly): AsyncGenerator<Counted<LawRow>[]> {
  const zone = await zoneOf(tx)
  const now = Date.now()
  const from = monthKey(month)
  const cases = await casesInPeriod(tx, actor, { from, to: dayAfter(monthsAfter(from, 1), -1), patches: tagIds })
  for (const one of cases) {
    const row = {
      ...{ propertyReference: one.reference, address: one.address, postcode: one.postcode, patch: one.patch },
      ...{ number: caseNumberText(one.number), hazard: one.hazard, isEmergency: one.emergency, status: one.status },
      aware: { on: one.aware_day, at: one.aware_at && +one.aware_at },
      ...{ closedOn: one.closed_day, closeReason: one.close_reason },
    }
    const rows = one.deadlines.map((deadline): Counted<LawRow> => {
      const state = breachState(deadline, now, zone)
      const word = deadlineState(state, deadline)
      const late = latenessOf(deadline, now, zone)
      return { row: { ...row, deadline: { ...deadline, state }, word, late }, counts: [[word, 1]] }
    })
    yield rows.length ? rows : [{ row: { ...row, deadline: null, word: null, late: undefined }, counts: [] }]
  }
}

/**
 * The rows of a month with the planner restrained: just after the insert it expects one row, and would scan all
 * devices once per property.
 */
async function* ofMonth<Row>(tx: TenantTx, rows: AsyncGenerator<Row>): AsyncGenerator<Row> {
  await sql`select set_config('enable_nestloop', 'off', true)`.execute(tx)
  yield* rows
}

/** The rows of a report in order; none for an unknown month. */
export function reportRows(tx: TenantTx, type: ReportType, scope: Scope): AsyncGenerator<Counted<never>[]> {
  const monthly = scope as Monthly
  const rows = {
    Overview: () => ofMonth(tx, overview(tx, monthly)),
    DampAndMould: () => ofMonth(tx, damp(tx, monthly)),
    FuelPoverty: () => ofMonth(tx, warmth(tx, monthly)),
    GasSafety: () => gas(tx, scope),
    AwaabsLaw: () => law(tx, monthly),
    FailedEmeredReport: () => failed(tx, scope),
    EmeredComplianceReport: () => compliance(tx, scope),
  }[type]()
  return rows as AsyncGenerator<Counted<never>[]>
}
