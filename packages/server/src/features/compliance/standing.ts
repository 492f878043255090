import { sql } from 'kysely'
import { dayAfter, dayAt, startOfDay } from '@caretaker/rules/calendar/days.ts'
import { recordTypesOf, withoutRecords } from '@caretaker/rules/boilers/compliance.ts'
import type { Check, ComplianceState } from '@caretaker/rules/compliance/due.ts'
import { nextTurn, standingOf, stateOn } from '@caretaker/rules/compliance/due.ts'
import { recordTypes } from '@caretaker/rules/compliance/records.ts'
import { monitoringIn } from '@caretaker/rules/devices/monitoring.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { changed } from '../../changes/changed.ts'
import { doDue, inBatches, makeDue } from '../../postgres/due.ts'
import type { Db } from '../../postgres/pool.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { columnsOf } from '../devices/compliance.ts'
import { reckoningOf } from './figures.ts'
import { dueByRecords, holdHomesOf } from './homes.ts'

interface Settled {
  id: string
  dueAt: string | null
  state: ComplianceState | null
}

/**
 * Writes on devices what their records come to by now: the only way in which that changes. Devices are held, in the order of
 * their ids, before their records are read, so that of two who add at once the later one sees both. It is told of.
 */
export async function settleCompliance(tx: TenantTx, deviceIds: readonly string[], now: Date): Promise<void> {
  if (!deviceIds.length) return
  const { zone, figures } = await reckoningOf(tx)
  const today = dayAt(+now, zone)
  const { rows: held } = await sql<{ id: string; product: Product; monitoring: string | null }>`
    select id, product, monitoring from device where tenant_id = ${tx.tenant} and id = any(${deviceIds}::uuid[])
    order by id for no key update`.execute(tx)
  const typesOf = new Map(
    held.map(({ id, product, monitoring }) => [id, recordTypesOf({ product, monitoring: monitoringIn(monitoring) })]),
  )
  const records = await tx
    .selectFrom('compliance_record')
    .select(['device_id', 'type', 'recorded_at', 'status'])
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`device_id = any(${deviceIds}::uuid[])`)
    .where('is_draft', '=', false)
    .orderBy('recorded_at')
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  const turns: number[] = []
  const concerned = new Set<string>()
  for (const type of recordTypes) {
    const of = Map.groupBy(
      records.filter((record) => record.type === type),
      (record) => record.device_id,
    )
    const settled = deviceIds.map((id): Settled => {
      // Of what it watches no more nothing is due, whatever was recorded.
      const own = typesOf.get(id)?.includes(type) ? of.get(id) : undefined
      const checks = (own ?? []).map(({ recorded_at, status }): Check => {
        return { day: dayAt(+recorded_at, zone), status }
      })
      const standing = standingOf(checks, figures[type])
      const turn = nextTurn(standing, today, figures[type])
      if (turn) turns.push(startOfDay(turn, zone))
      return {
        id,
        dueAt: standing.dueOn && new Date(startOfDay(standing.dueOn, zone)).toISOString(),
        state: checks.length ? stateOn(standing, today, figures[type]) : null,
      }
    })
    for (const id of await write(tx, columnsOf[type], settled)) concerned.add(id)
  }
  await changed(tx, 'device', concerned)
  await changed(tx, 'device records', deviceIds)
  if (turns.length) await makeDue(tx, 'turn compliance', new Date(Math.min(...turns)))
}

/** Writes what differs, and gives the devices of which anything did. */
async function write(tx: TenantTx, name: 'gas' | 'water', settled: readonly Settled[]): Promise<string[]> {
  const [dueAt, state] = [sql.ref(`${name}_due_at`), sql.ref(`${name}_state`)]
  const { rows } = await sql<{ id: string }>`
    update device set ${dueAt} = told.due_at, ${state} = told.state
    from unnest(
      ${settled.map(({ id }) => id)}::uuid[], ${settled.map((one) => one.dueAt)}::timestamptz[],
      ${settled.map((one) => one.state)}::text[]
    ) as told (id, due_at, state)
    where device.tenant_id = ${tx.tenant} and device.id = told.id
      and (device.${dueAt} is distinct from told.due_at or device.${state} is distinct from told.state)
    returning device.id`.execute(tx)
  return rows.map(({ id }) => id)
}

/** Devices settled in one transaction. */
const batch = 1000

const batchByBatch = (db: Db, tenant: string, some: (tx: TenantTx) => Promise<number>) =>
  inBatches(() => inTenant(db, tenant, some), batch)

/** Settles the devices whose state is another one because a day has passed, in all tenants; returns how many. */
export async function turnCompliance(db: Db, now = new Date()): Promise<number> {
  return doDue(db, {
    work: 'turn compliance',
    now,
    run: (tenant) =>
      batchByBatch(db, tenant, async (tx) => {
        const ids = await turning(tx, now)
        await settleCompliance(tx, ids, now)
        return ids.length
      }),
    next: nextTurnIn,
  })
}

/**
 * Settles, in all tenants, devices that say how it stands with a record of what they do not watch, as versions before wrote; returns
 * how many. Each that is settled says so no more, so that a stop loses nothing.
 */
export async function settleUnwatched(db: Db, now = new Date()): Promise<number> {
  return doDue(db, {
    work: 'settle unwatched',
    now,
    run: (tenant) =>
      batchByBatch(db, tenant, async (tx) => {
        const ids = await unwatched(tx)
        const homes = await holdHomesOf(tx, ids)
        await settleCompliance(tx, ids, now)
        await dueByRecords(tx, (await reckoningOf(tx)).zone, { homes })
        await changed(tx, 'property', homes)
        return ids.length
      }),
    next: () => Promise.resolve(null),
  })
}

async function unwatched(tx: TenantTx): Promise<string[]> {
  const stale = recordTypes.map(
    (type) =>
      sql`(${sql.ref(`${columnsOf[type]}_state`)} is not null and monitoring = any(${withoutRecords[type]}::text[]))`,
  )
  const { rows } = await sql<{ id: string }>`
    select id from device where tenant_id = ${tx.tenant} and listing = 'Boilers' and (${sql.join(stale, sql` or `)})
    order by id limit ${batch}`.execute(tx)
  return rows.map(({ id }) => id)
}

/** Devices that say something else than is so by now. */
async function turning(tx: TenantTx, now: Date): Promise<string[]> {
  const { zone, figures } = await reckoningOf(tx)
  const today = dayAt(+now, zone)
  const ripe = recordTypes.map((type) => {
    const [dueAt, state] = [sql.ref(`${columnsOf[type]}_due_at`), sql.ref(`${columnsOf[type]}_state`)]
    const noticed = new Date(startOfDay(dayAfter(today, figures[type].notice), zone))
    const over = new Date(startOfDay(today, zone))
    return sql`(${state} = 'InDate' and ${dueAt} <= ${noticed}) or (${state} = 'Due' and ${dueAt} < ${over})`
  })
  const { rows } = await sql<{ id: string }>`
    select id from device
    where tenant_id = ${tx.tenant} and listing = 'Boilers' and (${sql.join(ripe, sql` or `)})
    order by id limit ${batch}`.execute(tx)
  return rows.map(({ id }) => id)
}

/** When the first device of the tenant says something else by itself. */
async function nextTurnIn(tx: TenantTx): Promise<Date | null> {
  const { zone, figures } = await reckoningOf(tx)
  const times: number[] = []
  for (const type of recordTypes) {
    const [dueAt, state] = [sql.ref(`${columnsOf[type]}_due_at`), sql.ref(`${columnsOf[type]}_state`)]
    const { rows } = await sql<{ state: ComplianceState; at: Date }>`
      select ${state} as state, min(${dueAt}) as at from device
      where tenant_id = ${tx.tenant} and listing = 'Boilers' and ${state} in ('InDate', 'Due')
      group by ${state}`.execute(tx)
    for (const row of rows) {
      const days = row.state === 'InDate' ? -figures[type].notice : 1
      times.push(startOfDay(dayAfter(dayAt(+row.at, zone), days), zone))
    }
  }
  return times.length ? new Date(Math.min(...times)) : null
}

/** Settles every device of the tenant that has records, because it counts by other figures or clocks now. Homes are held before devices. */
export async function settleAll(tx: TenantTx, now: Date): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select distinct device_id as id from compliance_record where tenant_id = ${tx.tenant} and not is_draft
    order by 1`.execute(tx)
  await holdHomesOf(
    tx,
    rows.map(({ id }) => id),
  )
  for (let at = 0; at < rows.length; at += batch)
    await settleCompliance(
      tx,
      rows.slice(at, at + batch).map(({ id }) => id),
      now,
    )
}
