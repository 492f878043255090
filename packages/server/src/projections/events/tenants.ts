import type { AuditAction } from '@caretaker/rules/audit/audit.ts'
import type { Audited } from './audit.ts'

/** A person changed the tenant's own row: its name, a setting or whether it is suspended. */
export interface TenantChanged extends Audited {
  type: 'TenantChanged'
  tenantId: string
  tenantName: string
  action: AuditAction
}
/** The same without a change that the audit log names. */
export interface TenantSaved {
  type: 'TenantSaved'
}

export type TenantEvent = TenantChanged | TenantSaved
