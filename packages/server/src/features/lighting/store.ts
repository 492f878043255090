import { sql } from 'kysely'
import type { LatestTest } from '@caretaker/contract/equipment.ts'
import type { EmergencyTest } from '@caretaker/contract/lighting.ts'
import { minutesOf } from '@caretaker/rules/lighting/tests.ts'
import { thin } from '@caretaker/rules/telemetry/thin.ts'
import type { TenantTx } from '../../postgres/tenant.ts'

/** Points of a test's curve in an answer; a light may have sent ten times as many. */
const mostPoints = 200

/** The tests of one emergency light, newest first, at most 500. */
export async function listTests(tx: TenantTx, deviceId: string): Promise<EmergencyTest[]> {
  const rows = await tx
    .selectFrom('emergency_test')
    .selectAll()
    .where('tenant_id', '=', tx.tenant)
    .where('device_id', '=', deviceId)
    .orderBy('started_at', 'desc')
    .orderBy('event_id')
    .limit(500)
    .execute()
  return rows.map((row) => ({
    eventId: row.event_id,
    deviceId: row.device_id,
    testDate: row.started_at.toISOString(),
    testType: row.test_type,
    result: row.result,
    reason: row.reason,
    componentStates: row.component_states,
    series: thinned(row.series),
  }))
}

/** The newest test of each type, the longest type first. */
export async function latestTests(tx: TenantTx, deviceId: string): Promise<LatestTest[]> {
  const rows = await tx
    .selectFrom('emergency_test')
    .distinctOn('test_type')
    .select([
      'event_id',
      'test_type',
      'started_at',
      'result',
      'reason',
      'component_states',
      sql<number | null>`(select max((point ->> 'seconds')::float8) from jsonb_array_elements(series) as point)`.as(
        'lasted',
      ),
    ])
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

function thinned(series: EmergencyTest['series']): EmergencyTest['series'] {
  if (series.length <= mostPoints) return series
  const points = series.toSorted((a, b) => a.seconds - b.seconds)
  const dates = points.map(({ seconds }) => seconds)
  const width = (dates.at(-1)! - dates[0]!) / (mostPoints / 2) || 1
  const values = points.map(({ batteryVoltage }) => batteryVoltage)
  return thin({ dates, values }, { width, silence: Infinity }).map(({ date, value }) => ({
    seconds: date,
    batteryVoltage: value!,
  }))
}
