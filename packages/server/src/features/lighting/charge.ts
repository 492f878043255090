import { sql } from 'kysely'
import { severityOf } from '@caretaker/rules/devices/status.ts'
import { putInBy } from '@caretaker/rules/lighting/runs.ts'
import { fullBy, supplyOf } from '@caretaker/rules/lighting/supply.ts'
import { minutesOf, testTypes } from '@caretaker/rules/lighting/tests.ts'
import { zoneOf } from '../../lists/read.ts'
import { doDue } from '../../postgres/due.ts'
import type { Db } from '../../postgres/pool.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { happened } from '../conditions/store.ts'
import { batteryPutIn } from '../devices/battery.ts'

const [minute, day] = [60_000, 86_400_000]
/** Minimum time between checks, in ms: the lights tested in one night become full one after another. */
const apart = 15 * minute

/**
 * In all tenants, records a condition for each light whose battery is not full after a day of charging; returns how
 * many.
 */
export async function watchCharge(db: Db, now = new Date()): Promise<number> {
  return doDue(db, {
    work: 'watch charge',
    now,
    run: (tenant) => inTenant(db, tenant, (tx) => recordUncharged(tx, now)),
    next: (tx) => nextCharge(tx, now),
  })
}

async function recordUncharged(tx: TenantTx, now: Date): Promise<number> {
  const uncharged = async () =>
    (await charging(tx)).flatMap(({ id, by }) => (by !== undefined && by <= +now ? [{ id, by }] : []))
  const over = new Set((await uncharged()).map(({ id }) => id))
  await tx
    .selectFrom('device')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${[...over]}::uuid[])`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  // Their state now that they are locked.
  const confirmed = (await uncharged()).filter(({ id }) => over.has(id))
  await happened(
    tx,
    confirmed.map(({ id, by }) => ({ deviceId: id, occurrence: { what: 'battery not full', at: by } })),
  )
  return confirmed.length
}

/**
 * When the next light should be full. For lights about which nothing is known yet, something may be known by tomorrow.
 */
async function nextCharge(tx: TenantTx, now: Date): Promise<Date | null> {
  const times = (await charging(tx)).map(({ by }) => by ?? +now + day)
  return times.length ? new Date(Math.max(+now + apart, Math.min(...times))) : null
}

/**
 * Lights that report a battery that is not full and have no condition yet, and when each should be full; undefined if
 * unknown, in stock or under test.
 */
async function charging(tx: TenantTx): Promise<{ id: string; by: number | undefined }[]> {
  const { rows } = await sql<{
    id: string
    reported: Record<string, unknown>
    waits: boolean
    installed: string | null
    tested: Date | null
  }>`
    select device.id, device.reported, ${batteryPutIn(tx)} as installed,
      severity = ${severityOf('Inventory')} or jsonb_typeof(reported -> 'runningTest') is not distinct from 'string' as waits, (
        select max(test.started_at + lasts.minutes * interval '1 minute') from emergency_test as test
        join unnest(${testTypes as readonly string[]}::text[], ${testTypes.map((type) => minutesOf[type])}::int[])
          as lasts (test_type, minutes) on lasts.test_type = test.test_type
        where test.tenant_id = ${tx.tenant} and test.device_id = device.id
      ) as tested
    from device left join emergency_equipment as equipment
      on equipment.tenant_id = ${tx.tenant} and equipment.device_id = device.id
    where device.tenant_id = ${tx.tenant} and listing = 'EmergencyLights' and reported -> 'batteryFull' = 'false'
      and not exists (
        select from condition where condition.tenant_id = ${tx.tenant} and condition.device_id = device.id
          and kind = 'batteryNotFull' and ended_at is null)`.execute(tx)
  const zone = rows.length ? await zoneOf(tx) : ''
  return rows.map(({ id, reported, waits, installed, tested }) => {
    const putIn = installed ? putInBy(installed, zone) : undefined
    return { id, by: waits ? undefined : fullBy(supplyOf(reported), [tested ? +tested : undefined, putIn]) }
  })
}
