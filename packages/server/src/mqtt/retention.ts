import { sql } from 'kysely'
import { changed } from '../changes/changed.ts'
import { deletedAtOnce, doDue, inBatches } from '../postgres/due.ts'
import type { Db } from '../postgres/pool.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { inTenant } from '../postgres/tenant.ts'
import { badMessagesKeptFor } from './bad-messages.ts'

/** Deletes expired bad messages and their counts; returns how many. */
export async function forgetBadMessages(db: Db, now = new Date()): Promise<number> {
  const oldest = new Date(now.getTime() - badMessagesKeptFor)
  return doDue(db, {
    work: 'forget bad messages',
    now,
    run: async (tenant) => {
      const messages = await inBatches(() => inTenant(db, tenant, (tx) => deleteBefore(tx, oldest)))
      return messages + (await inTenant(db, tenant, (tx) => forgetRefusals(tx, oldest)))
    },
    next: async (tx) => {
      const messages = await tx
        .selectFrom('bad_message')
        .select((eb) => eb.fn.min('at').as('first'))
        .where('tenant_id', '=', tx.tenant)
        .executeTakeFirstOrThrow()
      const refusals = await tx
        .selectFrom('refused_message')
        .select((eb) => eb.fn.min('last_at').as('first'))
        .where('tenant_id', '=', tx.tenant)
        .executeTakeFirstOrThrow()
      const first = [messages.first, refusals.first].filter((at) => at !== null)
      return first.length ? new Date(Math.min(...first.map(Number)) + badMessagesKeptFor) : null
    },
  })
}

async function forgetRefusals(tx: TenantTx, oldest: Date): Promise<number> {
  const gone = await tx
    .deleteFrom('refused_message')
    .where('tenant_id', '=', tx.tenant)
    .where('last_at', '<=', oldest)
    .returning('device_id')
    .execute()
  await changed(
    tx,
    'device state',
    gone.map((row) => row.device_id),
  )
  return gone.length
}

async function deleteBefore(tx: TenantTx, oldest: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from bad_message where tenant_id = ${tx.tenant} and id in (
      select id from bad_message where tenant_id = ${tx.tenant} and at <= ${oldest} limit ${deletedAtOnce})`.execute(tx)
  return Number(numAffectedRows)
}
