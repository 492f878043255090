import type { Audited } from './audit.ts'

/** A change to an API key, with its name in the audit log. */
interface AuditedApiKey extends Audited {
  apiKeyId: string
  apiKeyName: string
}
export interface ApiKeyCreated extends AuditedApiKey {
  type: 'ApiKeyCreated'
}
export interface ApiKeyRevoked extends AuditedApiKey {
  type: 'ApiKeyRevoked'
}

export type ApiKeyEvent = ApiKeyCreated | ApiKeyRevoked
