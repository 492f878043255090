import type { Call } from '../call.ts'

export const auditPageSize = 50

export const getAudit = { method: 'GET', path: '/api/tenants/{tenant}/audit', may: 'see audit' } as const satisfies Call
