import { z } from 'zod'
import { boilerFaultSources } from '@caretaker/rules/faults/faults.ts'
import { DeviceId, Instant, TenantId, Timestamp } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import * as calls from './calls/faults.ts'

/** A fault of a boiler or of a connected autofill. */
export const BoilerFault = z
  .object({
    faultId: z.string(),
    faultCode: z.string(),
    /** The description that the device sends. */
    description: z.string().nullable(),
    /** When the fault began. */
    timestamp: Timestamp,
    faultSource: z.enum(boilerFaultSources),
    isResettable: z.boolean(),
    /** The device that reported it. */
    deviceId: z.string(),
    serialNumber: z.string(),
    /** Null while the fault is active. */
    endedAt: Timestamp.nullable(),
    /** Whether a reset ended it, and who requested the reset. */
    endedByReset: z.boolean(),
    resetBy: z.string().nullable(),
    /** The number of resets requested while it was active. */
    resets: z.number().int(),
  })
  .meta({ id: 'BoilerFault' })
export type BoilerFault = z.infer<typeof BoilerFault>

export const getBoilerFaults = route({
  ...calls.getBoilerFaults,
  summary:
    'Faults of a boiler and its autofills that overlap a range, newest first: for each device the active faults and the last 500 ended ones. Without `from`, the range starts with the first fault; without `to`, it ends now.',
  body: z
    .object({ tenant: TenantId, deviceId: DeviceId, from: Instant.optional(), to: Instant.optional() })
    .refine(({ from, to }) => !from || !to || from < to, { path: ['to'], message: 'must be after from' }),
  reply: envelope(z.array(BoilerFault)),
})
