import { sql } from 'kysely'
import type { ResultChange } from '@caretaker/rules/lighting/decisions.ts'
import type { TestResult } from '@caretaker/rules/lighting/tests.ts'
import { minutesOf, worstResults } from '@caretaker/rules/lighting/tests.ts'
import { litOf, verdictOf } from '@caretaker/rules/lighting/verdict.ts'
import { auditAll } from '../../audit/audit.ts'
import { changed } from '../../changes/changed.ts'
import { doDue } from '../../postgres/due.ts'
import type { Db } from '../../postgres/pool.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { recomputeTestConditions } from '../conditions/store.ts'
import { keepLastTests } from './ingest.ts'

/** Tests that are read in one transaction. */
const atOnce = 200

/** The results that an earlier version may have stored although the evidence shows less. */
const favourable = ['Passed', 'Degraded'] as const

/**
 * Judges the stored tests of all tenants by their evidence, once after the upgrade from a version that stored the
 * light's own report. Only a worse verdict replaces a result, and never one decided by a user. Returns how many
 * results changed.
 */
export async function judgeStoredTests(db: Db, now = new Date()): Promise<number> {
  return doDue(db, {
    work: 'judge stored tests',
    now,
    run: async (tenant) => {
      let changes = 0
      let after: string | undefined
      do {
        const batch = await inTenant(db, tenant, (tx) => judgeSome(tx, after, now))
        changes += batch.changes
        after = batch.last
      } while (after !== undefined)
      return changes
    },
    next: () => Promise.resolve(null),
  })
}

/** Judges the next tests in the order of their ids; `last` is undefined once there are no more. */
async function judgeSome(
  tx: TenantTx,
  after: string | undefined,
  now: Date,
): Promise<{ last: string | undefined; changes: number }> {
  const found = await tx
    .selectFrom('emergency_test as test')
    .select(['test.event_id', 'test.device_id'])
    .where('test.tenant_id', '=', tx.tenant)
    .where('test.result', 'in', favourable)
    .where('test.lit', 'is', null)
    .where('test.changes', 'is', null)
    .where('test.corrected_at', 'is', null)
    .$if(after !== undefined, (rest) => rest.where('test.event_id', '>', after!))
    .orderBy('test.event_id')
    .limit(atOnce)
    .execute()
  if (!found.length) return { last: undefined, changes: 0 }
  // Lock order: lights before their tests.
  await tx
    .selectFrom('device')
    .select('device.id')
    .where('device.tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device.id = any(${[...new Set(found.map(({ device_id }) => device_id))]}::uuid[])`)
    .orderBy('device.id')
    .forNoKeyUpdate()
    .execute()
  const rows = await tx
    .selectFrom('emergency_test as test')
    .innerJoin('device', (join) =>
      join.on('device.tenant_id', '=', tx.tenant).onRef('device.id', '=', 'test.device_id'),
    )
    .leftJoin('emergency_equipment as equipment', (join) =>
      join.on('equipment.tenant_id', '=', tx.tenant).onRef('equipment.device_id', '=', 'test.device_id'),
    )
    .select(['test.event_id', 'test.device_id', 'test.test_type', 'test.result', 'test.told_result', 'test.series'])
    .select([
      'test.started_at',
      'device.serial',
      'test.component_states',
      'test.status_bits',
      'equipment.battery_voltage',
      'equipment.battery_type',
    ])
    .where('test.tenant_id', '=', tx.tenant)
    .where(sql<boolean>`test.event_id = any(${found.map(({ event_id }) => event_id)}::uuid[])`)
    .where('test.result', 'in', favourable)
    .where('test.changes', 'is', null)
    .execute()
  const changedLights = new Set<string>()
  const records: Parameters<typeof auditAll>[3][number][] = []
  for (const row of rows) {
    const evidence = {
      ...{ testType: row.test_type, word: row.told_result ?? row.result, componentStates: row.component_states },
      ...{ series: row.series, nominalVoltage: row.battery_voltage, batteryType: row.battery_type },
      failureStatus: row.status_bits?.failure,
      emergencyStatus: row.status_bits?.emergency,
      durationResult: row.status_bits?.durationResult,
    }
    const { seconds, end } = litOf(evidence)
    const lit = seconds === undefined || minutesOf[row.test_type] === 0 ? null : JSON.stringify({ seconds, end })
    const verdict = verdictOf(evidence)
    const isWorse = verdict.kind === 'result' && rank(verdict.result) < rank(row.result)
    if (!isWorse && lit === null) continue
    await tx
      .updateTable('emergency_test')
      .set({
        lit,
        ...(isWorse && {
          ...{ result: verdict.result, reason: verdict.reason },
          component_states: JSON.stringify(verdict.componentStates),
          changes: JSON.stringify([changeOf(row.result, verdict.result, now)]),
        }),
      })
      .where('tenant_id', '=', tx.tenant)
      .where('event_id', '=', row.event_id)
      .execute()
    if (!isWorse) continue
    changedLights.add(row.device_id)
    const which = { testType: row.test_type, startedAt: row.started_at.toISOString() }
    records.push({
      subject: { type: 'device', id: row.device_id, name: row.serial },
      before: { ...which, result: row.result },
      after: { ...which, result: verdict.result, reason: verdict.reason },
    })
  }
  await auditAll(tx, caretaker, 'test result judged again', records)
  await keepLastTests(
    tx,
    [...changedLights].map((deviceId) => ({ deviceId })),
  )
  await recomputeTestConditions(tx, [...changedLights], {
    by: caretaker,
    note: 'Re-evaluated from its readings',
  })
  await changed(tx, 'device tests', [...changedLights])
  return { last: found.at(-1)!.event_id, changes: records.length }
}

/** Lower is worse. */
const rank = (result: TestResult) => worstResults.indexOf(result)

const caretaker = { id: null, name: 'Caretaker' } as const

const changeOf = (was: TestResult, now: TestResult, at: Date): ResultChange => ({
  ...{ kind: 'judged', at: at.toISOString(), by: caretaker.name },
  ...{ reason: 'The readings do not show the result that the light reported', was, now },
})
