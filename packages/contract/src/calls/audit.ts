import type { Call } from '../call.ts'

export const auditPageSize = 50
/** The most entries that are counted and paged; a narrower range of days reaches older ones. */
export const mostAuditCounted = 10_000
/** A filter searches only the newest entries of the range, up to this number. */
export const mostAuditSearched = 100_000

export const getAudit = { method: 'GET', path: '/api/tenants/{tenant}/audit', may: 'see audit' } as const satisfies Call
