import type { Call } from '../call.ts'

export const getPropertyAudit = {
  method: 'GET',
  path: '/api/tenants/{tenant}/audits',
  may: 'see property audit',
} as const satisfies Call
