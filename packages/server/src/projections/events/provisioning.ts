import type { Audited } from './audit.ts'

/** A user of the client's directory was added, changed or deleted. Changes to the member have their own events. */
export interface ProvisionedUserChanged {
  type: 'ProvisionedUserChanged'
  provisionedId: string
}
export interface ProvisionedGroupChanged {
  type: 'ProvisionedGroupChanged'
  provisionedId: string
}

/** A change to a key of the client's directory; the audit log names the client. */
interface AuditedProvisioningKey extends Audited {
  provisioningKeyId: string
  tenantId: string
  tenantName: string
}
export interface ProvisioningKeyCreated extends AuditedProvisioningKey {
  type: 'ProvisioningKeyCreated'
}
export interface ProvisioningKeyRevoked extends AuditedProvisioningKey {
  type: 'ProvisioningKeyRevoked'
}

export type ProvisioningEvent =
  | ProvisionedUserChanged
  | ProvisionedGroupChanged
  | ProvisioningKeyCreated
  | ProvisioningKeyRevoked
