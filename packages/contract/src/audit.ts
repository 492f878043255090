import { z } from 'zod'
import { auditActions, auditSubjects } from '@caretaker/rules/audit/audit.ts'
import { TenantId, Timestamp, text } from './scalars.ts'
import { route } from './route.ts'
import * as calls from './calls/audit.ts'

export { auditPageSize, mostAuditCounted, mostAuditSearched } from './calls/audit.ts'

/** One change: who, what, what it was before and after, when. `before` and `after` hold the changed fields only. */
export const AuditEntry = z
  .object({
    id: z.string(),
    at: Timestamp,
    userName: z.string(),
    action: z.enum(auditActions),
    /** The name of what was changed; empty where it is a customer's and hidden. */
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
  summary: 'The record of changes, newest first, 50 a page. Filters search the newest 100,000 entries of the range.',
  params: z.object({ tenant: TenantId }),
  query: z.object({
    page: z.coerce
      .number()
      .int()
      .min(1)
      .max(calls.mostAuditCounted / calls.auditPageSize)
      .default(1),
    /** Part of the name of who made the change. */
    user: text(100).optional(),
    action: z.enum(auditActions).optional(),
    /** Part of the name, kind or id of what was changed. */
    subject: text(200).optional(),
    /** From this instant on, and before that one. */
    from: z.iso.datetime({ offset: true }).optional(),
    to: z.iso.datetime({ offset: true }).optional(),
  }),
  reply: z.object({
    results: z.array(AuditEntry),
    /** 10,001 means more than 10,000. For the entries before them, set `to` one millisecond after the oldest one and skip known ids. */
    total: z.number().int(),
    /** The time of the oldest entry that the filter has searched; null where it has searched all of the range. */
    searchedFrom: Timestamp.nullable(),
    actions: z.array(z.enum(auditActions)),
  }),
})
