import { sql } from 'kysely'
import { makeDue, tenantsDue } from './due.ts'
import type { Db } from './pool.ts'
import type { TenantTx } from './tenant.ts'
import { inTenant } from './tenant.ts'
import type { Work } from './work.ts'

/**
 * Tables of files that a worker writes for a user. Each row is claimed by one worker at a time; the claim expires
 * when the worker dies.
 */
type Written = 'report_run' | 'tenant_export'

/** How long a claim lasts, and the claimant number by which others know that its process is alive. */
export interface Claim {
  until: Date
  claimant?: number | null | undefined
}

/** Claims the oldest row that is unclaimed or whose claim has expired; returns its id. */
export async function claimOldest(
  tx: TenantTx,
  table: Written,
  now: Date,
  { until, claimant = null }: Claim,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    update ${sql.table(table)}
    set state = 'running', claimed_until = ${until}, claimant = ${claimant}, attempts = attempts + 1, rows_written = 0
    where tenant_id = ${tx.tenant} and id = (
      select id from ${sql.table(table)}
      where tenant_id = ${tx.tenant} and finished_at is null and (claimed_until is null or claimed_until <= ${now})
      order by asked_at, id limit 1 for update skip locked)
    returning id`.execute(tx)
  return rows[0]?.id
}

/** Releases the claims of dead processes; returns how many. */
export async function releaseWritten(
  tx: TenantTx,
  table: Written,
  claimants: readonly number[],
  now: Date,
): Promise<number> {
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} set claimed_until = ${now}, claimant = null
    where tenant_id = ${tx.tenant} and finished_at is null and claimant = any(${claimants}::int[])`.execute(tx)
  return Number(numAffectedRows)
}

/**
 * Releases claims of dead processes early in each tenant that has such work, and makes the work due; returns how many
 * were released.
 */
export async function releaseClaims(
  db: Db,
  { work, claimedFor }: { work: Work; claimedFor: number },
  release: (tx: TenantTx, now: Date) => Promise<number>,
): Promise<number> {
  const now = new Date()
  let released = 0
  for (const tenant of await tenantsDue(db, work, new Date(+now + claimedFor)))
    released += await inTenant(db, tenant, async (tx) => {
      const many = await release(tx, now)
      if (many) await makeDue(tx, work, now)
      return many
    })
  return released
}

/** Runs claimed work and renews its claim at the given interval in ms, one renewal at a time. */
export async function whileRenewing<T>(
  every: number,
  renew: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  let renewing: Promise<unknown> | undefined
  const timer = setInterval(() => {
    renewing ??= renew()
      .catch(() => undefined)
      .finally(() => (renewing = undefined))
  }, every)
  try {
    return await work()
  } finally {
    clearInterval(timer)
    await renewing
  }
}
