import { sql } from 'kysely'
import type { LatestTest } from '@caretaker/contract/equipment.ts'
import type { EmergencyTest, TestSeries } from '@caretaker/contract/lighting.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { ComponentStates, TestPoint, TestType } from '@caretaker/rules/lighting/tests.ts'
import { ruledOutBy } from '@caretaker/rules/lighting/decisions.ts'
import { minutesOf, sameBattery, seriesSeen, testSeries, testSeriesIds } from '@caretaker/rules/lighting/tests.ts'
import type { EvidenceEnd } from '@caretaker/rules/lighting/verdict.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { thin } from '@caretaker/rules/telemetry/thin.ts'
import { zoneOf } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { batterySince } from '../devices/battery.ts'

/** Maximum number of points of a test's curve in an answer; a light may have sent ten times as many. */
const mostPoints = 200

/** Seconds for which the lamp was lit; for tests stored before that was judged, the length of the curve. */
export const litSeconds = sql<number | null>`coalesce((test.lit ->> 'seconds')::float8, (
  select max((point ->> 'seconds')::float8) from jsonb_array_elements(test.series) as point))`
const lasted = litSeconds.as('lasted')
const evidenceEnd = sql<EvidenceEnd | null>`test.lit ->> 'end'`.as('evidence_end')

function testRows(tx: TenantTx) {
  return tx
    .selectFrom('emergency_test as test')
    .innerJoin('device', (join) =>
      join.on('device.tenant_id', '=', tx.tenant).onRef('device.id', '=', 'test.device_id'),
    )
    .leftJoin('emergency_equipment as equipment', (join) =>
      join.on('equipment.tenant_id', '=', tx.tenant).onRef('equipment.device_id', '=', 'test.device_id'),
    )
    .select([
      'test.event_id',
      'test.device_id',
      'test.test_type',
      'test.started_at',
      'test.result',
      'test.reason',
      'test.component_states',
      'test.told_result',
      'test.judged',
      'test.corrected_at',
      'test.corrected_by',
      'test.changes',
      'test.disputed',
      'test.status_bits',
      'device.name',
      'device.status',
      'device.building_name',
      'equipment.battery_voltage',
      lasted,
      evidenceEnd,
      'test.reported_start_at',
    ])
    .where('test.tenant_id', '=', tx.tenant)
}

type TestRow = Awaited<ReturnType<ReturnType<typeof testRows>['execute']>>[number] & { series?: TestPoint[] }

function asTest(row: TestRow, actor: Actor): EmergencyTest {
  const changes = row.changes ?? []
  return {
    eventId: row.event_id,
    deviceId: row.device_id,
    deviceName: row.name,
    deviceBatteryVoltage: row.battery_voltage,
    deviceCurrentStatus: row.status,
    buildingName: row.building_name,
    testDate: row.started_at.toISOString(),
    testType: row.test_type,
    result: row.result,
    reason: row.reason,
    componentStates: row.component_states,
    lasted: row.lasted,
    evidenceEnd: row.evidence_end,
    reportedStart: row.reported_start_at?.toISOString() ?? null,
    reportedResult: row.told_result,
    corrected:
      row.corrected_at && row.judged
        ? {
            at: row.corrected_at.toISOString(),
            by: row.corrected_by ?? '',
            reason: changes.findLast(({ kind }) => kind === 'corrected')?.reason ?? '',
            was: row.judged,
          }
        : null,
    disputed: disputeOf(row),
    changes,
    ruledOut: row.series
      ? ruledOutBy({
          ...{ testType: row.test_type, series: row.series, bits: row.status_bits },
          nominalVoltage: row.battery_voltage,
        })
      : null,
    series: seriesOf(row.series ?? [], actor),
  }
}

/** The undecided dispute of a result. */
function disputeOf({ changes, disputed }: Pick<TestRow, 'changes' | 'disputed'>): EmergencyTest['disputed'] {
  const dispute = changes?.findLast(({ kind }) => kind === 'disputed')
  if (!disputed || !dispute) return null
  const { at, by, reason } = dispute
  return { at, by, reason, countsAs: disputed.result }
}

/** The tests of one emergency light, newest first, at most 500. */
export async function listTests(tx: TenantTx, actor: Actor, deviceId: string): Promise<EmergencyTest[]> {
  const rows = await testRows(tx)
    .select('test.series')
    .where('test.device_id', '=', deviceId)
    .orderBy('test.started_at', 'desc')
    .orderBy('test.event_id')
    .limit(500)
    .execute()
  return rows.map((row) => asTest(row, actor))
}

/** These tests, in this order. */
export async function testsById(
  tx: TenantTx,
  actor: Actor,
  ids: readonly string[],
  withSeries: boolean,
): Promise<EmergencyTest[]> {
  if (!ids.length) return []
  const rows: TestRow[] = await testRows(tx)
    .$if(withSeries, (query) => query.select('test.series'))
    .where(sql<boolean>`test.event_id in (select unnest(${ids}::uuid[]))`)
    .execute()
  const byId = new Map(rows.map((row) => [row.event_id, row]))
  return ids.flatMap((id) => (byId.has(id) ? [asTest(byId.get(id)!, actor)] : []))
}

/** The newest test of each type, the longest type first, with the earlier result of its battery. */
export async function latestTests(tx: TenantTx, deviceId: string): Promise<LatestTest[]> {
  const rows = await tx
    .selectFrom('emergency_test as test')
    .distinctOn('test_type')
    .select(['event_id', 'test_type', 'started_at', 'result', 'reason', 'component_states', lasted, evidenceEnd])
    .select(['changes', 'disputed'])
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .orderBy('test_type')
    .orderBy('started_at', 'desc')
    .orderBy('event_id')
    .execute()
  const sameBatteries = await readSameBatteries(tx, deviceId, rows)
  return rows
    .map((row) => ({
      eventId: row.event_id,
      testType: row.test_type,
      testDate: row.started_at.toISOString(),
      result: row.result,
      reason: row.reason,
      componentStates: row.component_states,
      lasted: row.lasted,
      evidenceEnd: row.evidence_end,
      disputed: disputeOf(row),
      sameBattery: sameBatteries.get(row.test_type) ?? null,
    }))
    .sort((a, b) => minutesOf[b.testType] - minutesOf[a.testType])
}

interface NewestTest {
  test_type: TestType
  started_at: Date
  component_states: ComponentStates
}

/** For worn batteries in the newest tests, the results of the same batteries in the tests before, by test type. */
async function readSameBatteries(tx: TenantTx, deviceId: string, newest: readonly NewestTest[]) {
  const sameBatteries = new Map<TestType, NonNullable<LatestTest['sameBattery']>>()
  // Nearly all lights have none, and their pages refresh every few seconds.
  if (newest.every(({ component_states: { Battery = 'Ok' } }) => Battery === 'Ok')) return sameBatteries
  const { rows: earlier } = await sql<NewestTest>`
    select test_type, started_at, component_states from (
      select *, row_number() over (partition by test_type order by started_at desc, event_id) as place
      from emergency_test where emergency_test.tenant_id = ${tx.tenant} and device_id = ${deviceId}) as test
    where place = 2`.execute(tx)
  const [installed, zone] = [await batterySince(tx, deviceId), await zoneOf(tx)]
  const asBatteryTest = ({ started_at, component_states: componentStates }: NewestTest) => ({
    day: dayAt(+started_at, zone),
    componentStates,
  })
  for (const before of earlier) {
    const test = newest.find(({ test_type }) => test_type === before.test_type)
    const state = test && sameBattery(asBatteryTest(test), asBatteryTest(before), installed)
    if (state) sameBatteries.set(before.test_type, { state, testDate: before.started_at.toISOString() })
  }
  return sameBatteries
}

/** The measured series that the actor may see, thinned to what a chart can show. */
function seriesOf(points: readonly TestPoint[], actor: Actor): TestSeries[] {
  const measured = testSeriesIds.filter((id) => points.some((point) => point[id] !== undefined))
  return seriesSeen(measured, can(actor, 'correct test results')).map((id) => ({
    dataSeriesId: id,
    ...testSeries[id],
    series: thinned(
      points.flatMap((point) => (point[id] === undefined ? [] : [{ seconds: point.seconds, value: point[id] }])),
    ),
  }))
}

function thinned(series: TestSeries['series']): TestSeries['series'] {
  if (series.length <= mostPoints) return series
  const points = series.toSorted((a, b) => a.seconds - b.seconds)
  const dates = points.map(({ seconds }) => seconds)
  const width = (dates.at(-1)! - dates[0]!) / (mostPoints / 2) || 1
  const values = points.map(({ value }) => value)
  return thin({ dates, values }, { width, silence: Infinity }).map(({ date, value }) => ({
    seconds: date,
    value: value!,
  }))
}

/** Deletes the test results of uninstalled lights. */
export async function deleteTestsOf(tx: TenantTx, deviceIds: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('emergency_test')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${deviceIds}::uuid[])`)
    .execute()
}
