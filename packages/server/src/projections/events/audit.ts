import type { AuditAction, AuditSubject, Changed } from '@caretaker/rules/audit/audit.ts'

/** Who did it, with the name at that moment: people may change their names, the record does not change. */
export interface Recorded {
  /** Null for the operator, who is no person of the portal. */
  id: string | null
  name: string
}

/** One line of the audit trail. */
export interface AuditEntry {
  person: Recorded
  action: AuditAction
  subject: { type: AuditSubject; id: string; name: string }
  /** The changed fields only; null where there was nothing, or nothing is left. */
  before?: Changed | null
  after?: Changed | null
}

/** A change of a subject that has no events of its own yet. */
export interface SubjectAudited extends AuditEntry {
  type: 'SubjectAudited'
}
export type AuditEvent = SubjectAudited
