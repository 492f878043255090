import { z } from 'zod'
import { logCategories } from '@caretaker/rules/logs/logs.ts'
import { DeviceId, Instant, TenantId, text, Timestamp } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import * as calls from './calls/logs.ts'

/** Something that happened to a device. */
export const LogEntry = z
  .object({
    id: z.string(),
    category: z.enum(logCategories),
    description: z.string(),
    /** What it is about, for programs: the command and its status, the condition, or the fields that changed. */
    data: z.record(z.string(), z.unknown()),
    /** Who did it; null when the device or the server did. */
    user: z.string().nullable(),
    /** In UTC. */
    timestamp: Timestamp,
  })
  .meta({ id: 'LogEntry' })
export type LogEntry = z.infer<typeof LogEntry>

export const logPageSize = 50

export const getDeviceLogs = route({
  ...calls.getDeviceLogs,
  summary: 'What happened to a device, newest first, 50 entries at a time: `before` is the last entry that is known.',
  body: z.object({
    tenant: TenantId,
    deviceId: DeviceId,
    category: z.enum(logCategories).optional(),
    before: z.object({ timestamp: Instant, id: text(100) }).optional(),
  }),
  reply: envelope(
    z.object({
      entries: z.array(LogEntry),
      /** Whether there are earlier ones. */
      hasMore: z.boolean(),
    }),
  ),
})
