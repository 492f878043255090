import { sql } from 'kysely'
import { accessActions } from '@caretaker/rules/audit/audit.ts'
import type { Context } from '../context.ts'
import { deletedAtOnce, doDue, inBatches } from '../postgres/due.ts'
import { openDb } from '../postgres/pool.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { inTenant } from '../postgres/tenant.ts'

/**
 * Deletes old audit entries without a portal user, such as those of devices provisioned by a script, and old entries
 * about sign-ins and refusals; returns how many. People's changes are kept. Runs as the owner, because the application
 * role can only add entries.
 */
export async function forgetAudit(
  { config, owner }: Pick<Context, 'config' | 'owner'>,
  now = new Date(),
): Promise<number> {
  const db = openDb(owner)
  const keptFor = config.eventDays * 86_400_000
  const oldest = new Date(now.getTime() - keptFor)
  return doDue(db, {
    work: 'forget audit',
    now,
    run: (tenant) => inBatches(() => inTenant(db, tenant, (tx) => deleteBefore(tx, oldest))),
    next: async (tx) => {
      const { first } = await tx
        .selectFrom('audit_entry')
        .select((eb) => eb.fn.min<Date | null>('at').as('first'))
        .where('tenant_id', '=', tx.tenant)
        .where((eb) => eb.or([eb('person_id', 'is', null), eb('action', 'in', accessActions)]))
        .executeTakeFirstOrThrow()
      return first && new Date(first.getTime() + keptFor)
    },
  })
}

async function deleteBefore(tx: TenantTx, oldest: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from audit_entry where tenant_id = ${tx.tenant} and id in (
      select id from audit_entry where tenant_id = ${tx.tenant} and at <= ${oldest}
        and (person_id is null or action = any(${[...accessActions]}::text[]))
      limit ${deletedAtOnce})`.execute(tx)
  return Number(numAffectedRows)
}
