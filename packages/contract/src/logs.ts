import { z } from 'zod'
import { logCategories } from '@caretaker/rules/logs/logs.ts'
import { DeviceId, Instant, TenantId, text, Timestamp } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import * as calls from './calls/logs.ts'

/** An event in the history of a device. */
export const LogEntry = z
  .object({
    id: z.string(),
    category: z.enum(logCategories),
    description: z.string(),
    /** Details for programs: the command and its status, the condition, or the changed fields. */
    data: z.record(z.string(), z.unknown()),
    /** The user who did it; null when the device or the server did. */
    user: z.string().nullable(),
    /** In UTC. */
    timestamp: Timestamp,
  })
  .meta({ id: 'LogEntry' })
export type LogEntry = z.infer<typeof LogEntry>

export const logPageSize = 50

export const getDeviceLogs = route({
  ...calls.getDeviceLogs,
  looksAt: { of: 'home', as: 'page', name: 'Device log', fields: ['description'] },
  summary: 'The history of a device, newest first, 50 entries a page. `before` is the last entry of the previous page.',
  body: z.object({
    tenant: TenantId,
    deviceId: DeviceId,
    category: z.enum(logCategories).optional(),
    before: z.object({ timestamp: Instant, id: text(100) }).optional(),
  }),
  reply: envelope(
    z.object({
      entries: z.array(LogEntry),
      /** Whether there are earlier entries. */
      hasMore: z.boolean(),
    }),
  ),
})
