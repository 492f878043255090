import { z } from 'zod'
import { auditActions, auditSubjects } from '@caretaker/rules/audit/audit.ts'
import { TenantId, Timestamp, text } from './scalars.ts'
import { route } from './route.ts'
import * as calls from './calls/audit.ts'

export { auditPageSize, mostAuditCounted, mostAuditSearched } from './calls/audit.ts'

/** One change. `before` and `after` contain only the changed fields. */
export const AuditEntry = z
  .object({
    id: z.string(),
    at: Timestamp,
    userName: z.string(),
    action: z.enum(auditActions),
    /** The name of the changed item; empty when it belongs to a resident and is hidden. */
    subject: z.string(),
    subjectType: z.enum(auditSubjects),
    subjectId: z.string(),
    before: z.record(z.string(), z.unknown()).nullable(),
    after: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'AuditEntry' })
export type AuditEntry = z.infer<typeof AuditEntry>

export const getAudit = route({
  ...calls.getAudit,
  looksAt: { of: 'home', as: 'list', name: 'Audit' },
  summary: 'The audit log, newest first, 50 entries a page. Filters search the newest 100,000 entries of the range.',
  params: z.object({ tenant: TenantId }),
  query: z.object({
    page: z.coerce
      .number()
      .int()
      .min(1)
      .max(calls.mostAuditCounted / calls.auditPageSize)
      .default(1),
    /** Part of the name of the user who made the change. */
    user: text(100).optional(),
    action: z.enum(auditActions).optional(),
    /** Part of the name, kind or id of the changed item. */
    subject: text(200).optional(),
    /** From is inclusive, to is exclusive. */
    from: z.iso.datetime({ offset: true }).optional(),
    to: z.iso.datetime({ offset: true }).optional(),
  }),
  reply: z.object({
    results: z.array(AuditEntry),
    /**
     * 10,001 means more than 10,000. To read earlier entries, set `to` to one millisecond after the oldest entry and skip known
     * ids.
     */
    total: z.number().int(),
    /** The time of the oldest entry that the filter searched; null when it searched the whole range. */
    searchedFrom: Timestamp.nullable(),
    actions: z.array(z.enum(auditActions)),
  }),
})
