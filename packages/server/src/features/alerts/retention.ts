import { sql } from 'kysely'
import { deletedAtOnce, doDue, inBatches } from '../../postgres/due.ts'
import type { Db } from '../../postgres/pool.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'

const day = 86_400_000
/** Ended intervals are kept as long as previews need them, one month and more; open ones stay. */
const spellsKeptFor = 60 * day
/** Sent alerts are kept as long as device events. */
const alertsKeptFor = 1100 * day

/** Deletes intervals and alerts that no rule needs any more, in all tenants; returns how many rows. */
export async function forgetAlerts(db: Db, now = new Date()): Promise<number> {
  const before = (kept: number) => new Date(+now - kept)
  return doDue(db, {
    work: 'forget alerts',
    now,
    run: async (tenant) =>
      (await inBatches(() => inTenant(db, tenant, (tx) => forgetSpells(tx, before(spellsKeptFor))))) +
      (await inBatches(() => inTenant(db, tenant, (tx) => forgetSpellsOfHomes(tx, before(spellsKeptFor))))) +
      (await inBatches(() => inTenant(db, tenant, (tx) => forgetClosed(tx, before(alertsKeptFor))))),
    // Checked once a day, so that changes need not schedule it.
    next: async (tx) => {
      const watched = await tx
        .selectFrom('alert_progress')
        .select('started_at')
        .where('tenant_id', '=', tx.tenant)
        .executeTakeFirst()
      return watched ? new Date(+now + day) : null
    },
  })
}

async function forgetSpells(tx: TenantTx, oldest: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from device_spell where tenant_id = ${tx.tenant} and (device_id, kind, key, seen_at) in (
      select device_id, kind, key, seen_at from device_spell
      where tenant_id = ${tx.tenant} and ended_at <= ${oldest} limit ${deletedAtOnce})`.execute(tx)
  return Number(numAffectedRows)
}

async function forgetSpellsOfHomes(tx: TenantTx, oldest: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from home_spell where tenant_id = ${tx.tenant} and (property_id, kind, key, about, seen_at) in (
      select property_id, kind, key, about, seen_at from home_spell
      where tenant_id = ${tx.tenant} and ended_at <= ${oldest} limit ${deletedAtOnce})`.execute(tx)
  return Number(numAffectedRows)
}

async function forgetClosed(tx: TenantTx, oldest: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from alert where tenant_id = ${tx.tenant} and id in (
      select id from alert where tenant_id = ${tx.tenant} and closed_at <= ${oldest} limit ${deletedAtOnce})`.execute(
    tx,
  )
  return Number(numAffectedRows)
}
