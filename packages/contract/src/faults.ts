import { z } from 'zod'
import { boilerFaultSources } from '@caretaker/rules/faults/faults.ts'
import { DeviceId, Instant, TenantId, Timestamp } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import * as calls from './calls/faults.ts'

/** A fault of a boiler or of an autofill that is connected to it. */
export const BoilerFault = z
  .object({
    faultId: z.string(),
    faultCode: z.string(),
    /** What it means, in the words of the device. */
    description: z.string().nullable(),
    /** Since when. */
    timestamp: Timestamp,
    faultSource: z.enum(boilerFaultSources),
    isResettable: z.boolean(),
    /** The device that reported it. */
    deviceId: z.string(),
    serialNumber: z.string(),
    /** Null while it lasts. */
    endedAt: Timestamp.nullable(),
    /** Whether a reset ended it, and who asked for that. */
    endedByReset: z.boolean(),
    resetBy: z.string().nullable(),
    /** Resets that were asked for while it lasted. */
    resets: z.number().int(),
  })
  .meta({ id: 'BoilerFault' })
export type BoilerFault = z.infer<typeof BoilerFault>

export const getBoilerFaults = route({
  ...calls.getBoilerFaults,
  summary:
    'Faults of a boiler and of its autofills that touch a range, newest first: of each device those that last and the last 500 that are over. Without `from` from the beginning, without `to` until now.',
  body: z
    .object({ tenant: TenantId, deviceId: DeviceId, from: Instant.optional(), to: Instant.optional() })
    .refine(({ from, to }) => !from || !to || from < to, { path: ['to'], message: 'must be after from' }),
  reply: envelope(z.array(BoilerFault)),
})
