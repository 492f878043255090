import { sql } from 'kysely'
import type { Occurrence } from '@caretaker/rules/conditions/conditions.ts'
import { dayAfter, dayAt, startOfDay } from '@caretaker/rules/calendar/days.ts'
import { severityOf } from '@caretaker/rules/devices/status.ts'
import type { RequiredTest } from '@caretaker/rules/lighting/overdue.ts'
import { overdueAfterDays, overdueAt, requiredTests } from '@caretaker/rules/lighting/overdue.ts'
import { supplyOf } from '@caretaker/rules/lighting/supply.ts'
import { zoneOf } from '../../lists/read.ts'
import { doDue } from '../../postgres/due.ts'
import type { Db } from '../../postgres/pool.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { happened } from '../conditions/store.ts'
import { countedResult } from './counted.ts'

/** Maximum number of lights changed in one transaction. */
const atOnce = 1000

/**
 * Once a day in each tenant, records as conditions overdue tests and states that lights reported before they were
 * recorded. Returns the number of lights.
 */
export async function watchLights(db: Db, now = new Date()): Promise<number> {
  return doDue(db, {
    work: 'watch lights',
    now,
    run: async (tenant) => {
      let recorded = 0
      for (const look of [...requiredTests.map(overdueOf), reportedStates]) {
        for (;;) {
          const some = await inTenant(db, tenant, (tx) => look(tx, now))
          recorded += some
          if (some < atOnce) break
        }
      }
      return recorded
    },
    next: async (tx) => {
      const zone = await zoneOf(tx)
      return new Date(startOfDay(dayAfter(dayAt(+now, zone), 1), zone))
    },
  })
}

const inService = (tx: TenantTx) => sql`
  device.tenant_id = ${tx.tenant} and device.listing = 'EmergencyLights' and device.severity <> ${severityOf('Inventory')}`

const hasOpen = (tx: TenantTx, kind: string, key = '') => sql<boolean>`exists (
  select from condition where condition.tenant_id = ${tx.tenant} and condition.device_id = device.id
    and kind = ${kind} and key = ${key} and ended_at is null)`

/** Tests with a result, at a known time. */
const counts = sql`${countedResult} in ('Passed', 'Degraded', 'Failed')
  and (test.result <> 'Passed' or test.reported_start_at is null)`

/**
 * Lights whose last test of a type is too old; for a light that was never tested, its installation counts. A T180 is a
 * function test as well.
 */
const overdueOf = (type: RequiredTest) => async (tx: TenantTx, now: Date) => {
  const zone = await zoneOf(tx)
  // A test on this day or later is in time today.
  const inTime = new Date(startOfDay(dayAfter(dayAt(+now, zone), -overdueAfterDays[type]), zone))
  const isOfType = sql`(${type} = 'T0' or test.test_type = ${type})`
  const { rows } = await sql<{ id: string; last: Date }>`
    select * from (
      select device.id, coalesce((
          select max(test.started_at) from emergency_test as test
          where test.tenant_id = ${tx.tenant} and test.device_id = device.id and ${counts} and ${isOfType}
        ), (
          select max(began_at) from condition
          where condition.tenant_id = ${tx.tenant} and condition.device_id = device.id and kind = 'neverTested'
        ), device.created_at) as last
      from device
      where ${inService(tx)} and not ${hasOpen(tx, 'testOverdue', type)} and not exists (
        select from emergency_test as test
        where test.tenant_id = ${tx.tenant} and test.device_id = device.id and ${counts} and ${isOfType}
          and test.started_at >= ${inTime})
    ) as light where last < ${inTime} order by id limit ${atOnce}`.execute(tx)
  await lockDevices(tx, rows)
  await happened(
    tx,
    rows.map(({ id, last }) => ({
      deviceId: id,
      occurrence: { what: 'test overdue', at: overdueAt(type, +last, zone), testType: type },
    })),
  )
  return rows.length
}

async function lockDevices(tx: TenantTx, lights: readonly { id: string }[]): Promise<void> {
  await tx
    .selectFrom('device')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${lights.map(({ id }) => id)}::uuid[])`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

/** Lights that reported a state before it was recorded as a condition. */
async function reportedStates(tx: TenantTx, now: Date): Promise<number> {
  const { rows } = await sql<{ id: string; reported: Record<string, unknown>; inhibited: boolean; dark: boolean }>`
    select * from (
      select device.id, device.reported,
        reported -> 'inhibited' = 'true' and not ${hasOpen(tx, 'inhibited')} as inhibited,
        reported -> 'mains' = 'false' and not ${hasOpen(tx, 'noMains')} as dark
      from device where ${inService(tx)} and (reported -> 'inhibited' = 'true' or reported -> 'mains' = 'false')
    ) as light where inhibited or dark order by id limit ${atOnce}`.execute(tx)
  await lockDevices(tx, rows)
  await happened(
    tx,
    rows.flatMap(({ id, reported, inhibited, dark }) => {
      const since = Math.min(supplyOf(reported).mainsSince ?? +now, +now)
      const occurrences: Occurrence[] = [
        ...(inhibited ? [{ what: 'reported', kind: 'inhibited', holds: true, at: +now } as const] : []),
        ...(dark ? [{ what: 'reported', kind: 'noMains', holds: true, at: since } as const] : []),
      ]
      return occurrences.map((occurrence) => ({ deviceId: id, occurrence }))
    }),
  )
  return rows.length
}
