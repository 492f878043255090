import type { AuditAction, AuditSubject } from '@caretaker/rules/audit/audit.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import type { AuditEntry, Recorded } from '../projections/events/audit.ts'
import { record } from '../projections/record.ts'

export type { Recorded } from '../projections/events/audit.ts'

/** The actor for commands at the command line, who is not a user of the portal. */
export const operator = { id: null, name: 'Operator' } as const

/**
 * Records a change to a subject that has no events of its own yet: the entry is written before the transaction commits.
 */
export async function audit(tx: TenantTx, entry: AuditEntry): Promise<void> {
  record(tx, [{ type: 'SubjectAudited', ...entry }])
}

/** Like `audit` for one action on many items. */
export async function auditAll(
  tx: TenantTx,
  person: Recorded,
  action: AuditAction,
  changes: readonly Pick<AuditEntry, 'subject' | 'before' | 'after'>[],
): Promise<void> {
  record(
    tx,
    changes.map((change) => ({ type: 'SubjectAudited', person, action, ...change })),
  )
}

/** Whether the audit log already has this action for this item, for example when an item is deleted twice. */
export async function isRecorded(
  tx: TenantTx,
  action: AuditAction,
  subject: AuditSubject,
  id: string,
): Promise<boolean> {
  const found = await tx
    .selectFrom('audit_entry')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where('subject_type', '=', subject)
    .where('subject_id', '=', id)
    .where('action', '=', action)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}
