import { sql } from 'kysely'
import type { AuditAction, AuditSubject, Changed } from '@caretaker/rules/audit/audit.ts'
import { accessActions } from '@caretaker/rules/audit/audit.ts'
import { changed } from '../changes/changed.ts'
import { makeDue } from '../postgres/due.ts'
import type { TenantTx } from '../postgres/tenant.ts'

/** Whoever has the command line, and is no person of the portal. */
export const operator = { id: null, name: 'Operator' } as const

/** Who did it, with the name of that moment: people may change theirs, the record does not. */
export interface Recorded {
  id: string | null
  name: string
}

interface Change {
  person: Recorded
  action: AuditAction
  subject: { type: AuditSubject; id: string; name: string }
  /** The changed fields only; null where there was nothing, or nothing is left. */
  before?: Changed | null
  after?: Changed | null
}

/** Writes a change into the tenant's record, in the transaction of the change itself: neither is there without the other. */
export async function audit(tx: TenantTx, { person, action, subject, before, after }: Change): Promise<void> {
  await tx
    .insertInto('audit_entry')
    .values({
      tenant_id: tx.tenant,
      person_id: person.id,
      person_name: person.name,
      action,
      subject_type: subject.type,
      subject_id: subject.id,
      subject_name: subject.name,
      before: before ? JSON.stringify(before) : null,
      after: after ? JSON.stringify(after) : null,
    })
    .execute()
  await recorded(tx, person, action)
}

async function recorded(tx: TenantTx, person: Recorded, action: AuditAction): Promise<void> {
  await changed(tx, 'audit', null)
  // What people changed is kept.
  if (!person.id || (accessActions as readonly AuditAction[]).includes(action)) await makeDue(tx, 'forget audit')
}

/** The same for one action on many things, in one statement. */
export async function auditAll(
  tx: TenantTx,
  person: Recorded,
  action: AuditAction,
  changes: readonly Pick<Change, 'subject' | 'before' | 'after'>[],
): Promise<void> {
  if (!changes.length) return
  const json = (record: Changed | null | undefined) => (record ? JSON.stringify(record) : null)
  await sql`
    insert into audit_entry (tenant_id, person_id, person_name, action, subject_type, subject_id, subject_name, before, after)
    select ${tx.tenant}, ${person.id}::uuid, ${person.name}, ${action}, type, id, name, before, after
    from unnest(
      ${changes.map(({ subject }) => subject.type)}::text[], ${changes.map(({ subject }) => subject.id)}::text[],
      ${changes.map(({ subject }) => subject.name)}::text[],
      ${changes.map(({ before }) => json(before))}::jsonb[], ${changes.map(({ after }) => json(after))}::jsonb[]
    ) as change (type, id, name, before, after)
    on conflict do nothing`.execute(tx)
  await recorded(tx, person, action)
}

/** Whether the record tells of this action on this thing; who deletes something twice is told so by it. */
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
