import type { AuditAction, AuditSubject, Changed } from '@caretaker/rules/audit/audit.ts'

/** Who caused it, with the name at that time: people may change their names, the record does not change. */
export interface Recorded {
  /** Null for the operator, who is not a user of the portal. */
  id: string | null
  name: string
}

/** One entry of the audit log. */
export interface AuditEntry {
  person: Recorded
  action: AuditAction
  subject: { type: AuditSubject; id: string; name: string }
  /** The changed fields only; null if there was nothing before or is nothing after. */
  before?: Changed | null
  after?: Changed | null
}

/** A person's change with the changed fields, for the audit log. */
export interface Audited {
  by: Recorded
  before: Changed | null
  after: Changed | null
}

/** A change to a subject that has no events of its own yet. */
export interface SubjectAudited extends AuditEntry {
  type: 'SubjectAudited'
}
export type AuditEvent = SubjectAudited
