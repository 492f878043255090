import type { AuditAction } from '@caretaker/rules/audit/audit.ts'
import type { Audited } from './audit.ts'

/** A change to the client's single sign-on or to the roles that its groups grant; the audit log names the client. */
export interface SignInSettingsChanged extends Audited {
  type: 'SignInSettingsChanged'
  action: AuditAction
  tenantId: string
  tenantName: string
}
/** The DNS record of a domain was looked up, with the time of the next check; null if it is not checked daily. */
export interface DomainRecordChecked {
  type: 'DomainRecordChecked'
  nextCheckAt: Date | null
}

export type SignInEvent = SignInSettingsChanged | DomainRecordChecked
