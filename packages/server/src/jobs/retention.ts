import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { dropPartitions } from '../postgres/partitions.ts'
import type { Db } from '../postgres/pool.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { inTenant } from '../postgres/tenant.ts'

const day = 86_400_000
/** Hours are kept five times as long as the readings they sum up. */
const hourlyFactor = 5
/** Rows deleted in one transaction at most, so that nobody waits long for one. */
const batch = 5000

const daysBefore = (now: Date, days: number) => new Date(now.getTime() - days * day)

/** Removes telemetry that is older than the settings keep it. Returns what went. */
export async function forgetTelemetry(
  { config, db, owner }: Pick<Context, 'config' | 'db' | 'owner'>,
  now = new Date(),
): Promise<{ partitions: string[]; hours: number }> {
  const partitions = await dropPartitions(owner, daysBefore(now, config.telemetryDays))
  const oldest = daysBefore(now, config.telemetryDays * hourlyFactor)
  let hours = 0
  for (const tenant of await tenants(db)) hours += await forgetHours(db, tenant, oldest)
  return { partitions, hours }
}

async function forgetHours(db: Db, tenant: string, oldest: Date): Promise<number> {
  let gone = 0
  let after: number | undefined = 0
  while (after !== undefined) {
    const series: number[] = await inTenant(db, tenant, (tx) => nextSeries(tx, after!))
    if (series.length) gone += await inBatches(() => inTenant(db, tenant, (tx) => deleteHours(tx, series, oldest)))
    after = series.at(-1)
  }
  return gone
}

/** Series by series: there is no index by time alone, and none is worth its cost to the writers. */
async function nextSeries(tx: TenantTx, after: number): Promise<number[]> {
  const rows = await tx
    .selectFrom('series')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '>', after)
    .orderBy('id')
    .limit(500)
    .execute()
  return rows.map((row) => row.id)
}

async function deleteHours(tx: TenantTx, series: number[], oldest: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from hourly where tenant_id = ${tx.tenant} and (series_id, hour) in (
      select series_id, hour from hourly
      where tenant_id = ${tx.tenant} and series_id = any(${series}::bigint[]) and hour < ${oldest} limit ${batch})`.execute(
    tx,
  )
  return Number(numAffectedRows)
}

/** Removes what is kept for a while only: bad messages, errors of browsers, leavings of sign-ins. Returns how many rows. */
export async function tidy(
  { db, owner, idp }: Pick<Context, 'db' | 'owner' | 'idp'>,
  now = new Date(),
): Promise<number> {
  let gone = 0
  const aDay = daysBefore(now, 1)
  for (const tenant of await tenants(db))
    gone += await inBatches(() => inTenant(db, tenant, (tx) => deleteBadMessages(tx, aDay)))
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

/** Behind the wall of each tenant in turn: the owner of the tables need not be able to pass it. */
async function tenants(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('tenant').select('id').orderBy('id').execute()
  return rows.map((row) => row.id)
}

async function inBatches(deleteSome: () => Promise<number>): Promise<number> {
  let gone = 0
  for (;;) {
    const count = await deleteSome()
    gone += count
    if (count < batch) return gone
  }
}
