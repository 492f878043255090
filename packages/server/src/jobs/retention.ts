import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { dropPartitions } from '../postgres/partitions.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { inTenant } from '../postgres/tenant.ts'
import { seriesOf, tenantIds } from './walk.ts'

const day = 86_400_000
/** Hours and days are kept five times as long as the readings they sum up. */
const rollUpFactor = 5
/** Rows deleted in one transaction at most, so that nobody waits long for one. */
const batch = 5000

const daysBefore = (now: Date, days: number) => new Date(now.getTime() - days * day)

/** Removes telemetry that is older than the settings keep it. Returns what went. */
export async function forgetTelemetry(
  { config, db, owner }: Pick<Context, 'config' | 'db' | 'owner'>,
  now = new Date(),
): Promise<{ partitions: string[]; hours: number; days: number }> {
  const partitions = await dropPartitions(owner, daysBefore(now, config.telemetryDays))
  const oldest = daysBefore(now, config.telemetryDays * rollUpFactor)
  let [hours, days] = [0, 0]
  for (const tenant of await tenantIds(db))
    for await (const series of seriesOf(db, tenant)) {
      hours += await inBatches(() => inTenant(db, tenant, (tx) => deleteRollUps(tx, 'hourly', 'hour', series, oldest)))
      days += await inBatches(() => inTenant(db, tenant, (tx) => deleteRollUps(tx, 'daily', 'day', series, oldest)))
    }
  return { partitions, hours, days }
}

async function deleteRollUps(
  tx: TenantTx,
  table: 'hourly' | 'daily',
  column: 'hour' | 'day',
  series: number[],
  oldest: Date,
): Promise<number> {
  const [from, at] = [sql.table(table), sql.ref(column)]
  const { numAffectedRows } = await sql`
    delete from ${from} where tenant_id = ${tx.tenant} and (series_id, ${at}) in (
      select series_id, ${at} from ${from}
      where tenant_id = ${tx.tenant} and series_id = any(${series}::bigint[]) and ${at} < ${oldest}
      limit ${batch})`.execute(tx)
  return Number(numAffectedRows)
}

/** Removes what is kept for a while only: bad messages, mails, bulk actions, errors of browsers, leavings of sign-ins. Returns how many rows. */
export async function tidy(
  { db, owner, idp }: Pick<Context, 'db' | 'owner' | 'idp'>,
  now = new Date(),
): Promise<number> {
  let gone = 0
  const aDay = daysBefore(now, 1)
  for (const tenant of await tenantIds(db))
    gone +=
      (await inBatches(() => inTenant(db, tenant, (tx) => deleteBadMessages(tx, aDay)))) +
      (await inBatches(() => inTenant(db, tenant, (tx) => deleteMails(tx, daysBefore(now, 90))))) +
      (await inTenant(db, tenant, (tx) => deleteBulkActions(tx, daysBefore(now, 90))))
  const others: [pool: typeof owner, statement: string, before: Date][] = [
    [owner, 'delete from client_error where at < $1', daysBefore(now, 90)],
    [idp, 'delete from idp.payload where expires_at < $1', now],
    [idp, 'delete from idp.failed_attempt where at < $1', aDay],
  ]
  for (const [pool, statement, before] of others) gone += (await pool.query(statement, [before])).rowCount ?? 0
  return gone
}

async function deleteBadMessages(tx: TenantTx, oldest: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from bad_message where tenant_id = ${tx.tenant} and id in (
      select id from bad_message where tenant_id = ${tx.tenant} and at < ${oldest} limit ${batch})`.execute(tx)
  return Number(numAffectedRows)
}

async function deleteMails(tx: TenantTx, oldest: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from mail where tenant_id = ${tx.tenant} and id in (
      select id from mail where tenant_id = ${tx.tenant} and at < ${oldest} limit ${batch})`.execute(tx)
  return Number(numAffectedRows)
}

/** They go with the outcome of each of their devices. */
async function deleteBulkActions(tx: TenantTx, oldest: Date): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('bulk_action')
    .where('tenant_id', '=', tx.tenant)
    .where('finished_at', '<', oldest)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

async function inBatches(deleteSome: () => Promise<number>): Promise<number> {
  let gone = 0
  for (;;) {
    const count = await deleteSome()
    gone += count
    if (count < batch) return gone
  }
}
