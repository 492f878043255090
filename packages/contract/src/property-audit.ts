import { z } from 'zod'
import { Id, TenantId, Timestamp } from './scalars.ts'
import { route } from './route.ts'
import * as calls from './calls/property-audit.ts'

/** A change to a property or to one of its devices (estate specification, section 3). */
export const PropertyAuditEntry = z
  .object({
    auditId: z.string(),
    description: z.string(),
    dateTime: Timestamp,
    /** Null for a change that no portal user made. */
    userId: z.string().nullable(),
    userName: z.string(),
    /** Only the changed fields. */
    before: z.record(z.string(), z.unknown()).nullable(),
    after: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'PropertyAuditEntry' })
export type PropertyAuditEntry = z.infer<typeof PropertyAuditEntry>

export const getPropertyAudit = route({
  ...calls.getPropertyAudit,
  looksAt: { of: 'home', as: 'page', name: 'Property audit' },
  summary: 'Changes to a property and to its devices that the user may see, newest first.',
  params: z.object({ tenant: TenantId }),
  query: z.strictObject({
    propertyId: Id,
    page: z.coerce.number().int().min(1).max(100_000).default(1),
    pageSize: z.coerce.number().int().min(1).max(100).default(25),
  }),
  reply: z.object({ results: z.array(PropertyAuditEntry), total: z.number().int() }),
})
