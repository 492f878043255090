import { sql } from 'kysely'
import type { LatestTest } from '@caretaker/contract/equipment.ts'
import type { EmergencyTest, TestSeries } from '@caretaker/contract/lighting.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { TestPoint } from '@caretaker/rules/lighting/tests.ts'
import { minutesOf, seriesSeen, testSeries, testSeriesIds } from '@caretaker/rules/lighting/tests.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { thin } from '@caretaker/rules/telemetry/thin.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

/** Points of a test's curve in an answer; a light may have sent ten times as many. */
const mostPoints = 200

const lasted = sql<number | null>`(
  select max((point ->> 'seconds')::float8) from jsonb_array_elements(test.series) as point)`.as('lasted')

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
      'device.name',
      'device.status',
      'device.building_name',
      'equipment.battery_voltage',
      lasted,
    ])
    .where('test.tenant_id', '=', tx.tenant)
}

type TestRow = Awaited<ReturnType<ReturnType<typeof testRows>['execute']>>[number] & { series?: TestPoint[] }

function asTest(row: TestRow, actor: Actor): EmergencyTest {
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
    toldResult: row.told_result,
    corrected:
      row.corrected_at && row.judged
        ? { at: row.corrected_at.toISOString(), by: row.corrected_by ?? '', was: row.judged }
        : null,
    series: seriesOf(row.series ?? [], actor),
  }
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

/** The newest test of each type, the longest type first. */
export async function latestTests(tx: TenantTx, deviceId: string): Promise<LatestTest[]> {
  const rows = await tx
    .selectFrom('emergency_test as test')
    .distinctOn('test_type')
    .select(['event_id', 'test_type', 'started_at', 'result', 'reason', 'component_states', lasted])
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .orderBy('test_type')
    .orderBy('started_at', 'desc')
    .orderBy('event_id')
    .execute()
  return rows
    .map((row) => ({
      eventId: row.event_id,
      testType: row.test_type,
      testDate: row.started_at.toISOString(),
      result: row.result,
      reason: row.reason,
      componentStates: row.component_states,
      lasted: row.lasted,
    }))
    .sort((a, b) => minutesOf[b.testType] - minutesOf[a.testType])
}

/** What was measured, as far as the actor sees it, with no more points than a chart can show. */
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
