import { sql } from 'kysely'
import { deletedAtOnce, doDue, inBatches } from '../postgres/due.ts'
import type { Db } from '../postgres/pool.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { inTenant } from '../postgres/tenant.ts'
import { mailsKeptFor } from './mail.ts'

/** Deletes old e-mails; returns how many. */
export async function forgetMails(db: Db, now = new Date()): Promise<number> {
  const oldest = new Date(now.getTime() - mailsKeptFor)
  return doDue(db, {
    work: 'forget mails',
    now,
    run: (tenant) => inBatches(() => inTenant(db, tenant, (tx) => deleteBefore(tx, oldest))),
    next: async (tx) => {
      const { first } = await tx
        .selectFrom('mail')
        .select((eb) => eb.fn.min('at').as('first'))
        .where('tenant_id', '=', tx.tenant)
        .executeTakeFirstOrThrow()
      return first && new Date(first.getTime() + mailsKeptFor)
    },
  })
}

async function deleteBefore(tx: TenantTx, oldest: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from mail where tenant_id = ${tx.tenant} and id in (
      select id from mail where tenant_id = ${tx.tenant} and at <= ${oldest} limit ${deletedAtOnce})`.execute(tx)
  return Number(numAffectedRows)
}

/** Deletes all e-mails to an address, given in lower case, whether sent or not; returns how many. */
export async function deleteMailsTo(tx: TenantTx, address: string): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    delete from mail where tenant_id = ${tx.tenant} and lower(recipient) = ${address} returning id`.execute(tx)
  const ids = rows.map(({ id }) => id)
  if (ids.length) await tx.deleteFrom('mail_outbox').where('mail_id', 'in', ids).execute()
  return ids.length
}
