import { sql } from 'kysely'
import type { PropertyAuditEntry } from '@caretaker/contract/property-audit.ts'
import { describedChange, withoutCustomerData } from '@caretaker/rules/audit/audit.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { devicesOfHomes, findProperty } from './store.ts'

interface Wanted {
  propertyId: string
  page: number
  pageSize: number
}

/**
 * A page of the audit of a property and of those of its devices that the actor may see, newest first; refuses as
 * `findProperty` does.
 */
export async function auditOfProperty(
  tx: TenantTx,
  actor: Actor,
  { propertyId, page, pageSize }: Wanted,
): Promise<{ results: PropertyAuditEntry[]; total: number }> {
  const home = await findProperty(tx, actor, propertyId)
  const devices = (await devicesOfHomes(tx, actor, [home.id]).select('device.id').execute()).map(({ id }) => id)
  const found = tx
    .selectFrom('audit_entry')
    .where('tenant_id', '=', tx.tenant)
    .where((either) =>
      either.or([
        either.and([either('subject_type', '=', 'property'), either('subject_id', '=', home.id)]),
        either.and([
          either('subject_type', '=', 'device'),
          either(sql<string>`subject_id`, '=', sql<string>`any(${devices}::text[])`),
        ]),
      ]),
    )
  const { total } = await found.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await found
    .select(['id', 'at', 'person_id', 'person_name', 'action', 'subject_type', 'subject_name', 'before', 'after'])
    .orderBy('at', 'desc')
    .orderBy('id')
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute()
  const shown = (row: (typeof rows)[number], record: Record<string, unknown> | null) =>
    hidesPersonalData(actor) ? withoutCustomerData(row.subject_type, record) : record
  return {
    total,
    results: rows.map((row) => ({
      auditId: row.id,
      description: describedChange({
        ...{ action: row.action, type: row.subject_type, name: row.subject_name, after: row.after },
      }),
      dateTime: row.at.toISOString(),
      userId: row.person_id,
      userName: row.person_name,
      before: shown(row, row.before),
      after: shown(row, row.after),
    })),
  }
}
