import type { Call } from '../call.ts'

export const auditPageSize = 50
/** Entries that are counted and shown in pages; a narrower range of days shows older ones. */
export const mostAuditCounted = 10_000
/** The newest entries of the range in which a filter searches. */
export const mostAuditSearched = 100_000

export const getAudit = { method: 'GET', path: '/api/tenants/{tenant}/audit', may: 'see audit' } as const satisfies Call
