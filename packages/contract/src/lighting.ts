import { z } from 'zod'
import { testResults, testTypes } from '@caretaker/rules/lighting/tests.ts'
import { commandStatuses } from '@caretaker/rules/commands/commands.ts'
import { ComponentStates } from './equipment.ts'
import { DeviceId, Id, TenantId, Timestamp } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'

export const EmergencyTest = z
  .object({
    eventId: z.string(),
    deviceId: z.string(),
    testDate: Timestamp,
    testType: z.enum(testTypes),
    result: z.enum(testResults),
    reason: z.string(),
    componentStates: ComponentStates,
    series: z.array(z.object({ seconds: z.number(), batteryVoltage: z.number() })),
  })
  .meta({ id: 'EmergencyTest' })
export type EmergencyTest = z.infer<typeof EmergencyTest>

export const getAllDeviceTests = route({
  method: 'POST',
  path: '/api/GetAllDeviceTests',
  may: 'see lighting',
  summary: 'The test results of one emergency light, newest first.',
  body: z.object({ tenant: TenantId, deviceId: DeviceId }),
  reply: envelope(z.array(EmergencyTest)),
})

export const runT0Test = route({
  method: 'POST',
  path: '/api/RunT0Test',
  may: 'flick test',
  summary: 'Stores a flick test for one emergency light and sends it to the device.',
  /** `bulkActionId` makes it a part of a bulk action that the page began. */
  form: z.object({ tenant: TenantId, deviceId: DeviceId, bulkActionId: Id.optional() }),
  reply: envelope(z.object({ status: z.enum(['queued', 'failed']), commandId: z.string() })),
})

export const Command = z
  .object({
    commandId: z.string(),
    name: z.string(),
    args: z.record(z.string(), z.unknown()),
    status: z.enum(commandStatuses),
    message: z.string().nullable(),
    /** Who asked for it; null when the server itself did. */
    requestedBy: z.string().nullable(),
    createdAt: Timestamp,
    sentAt: Timestamp.nullable(),
    answeredAt: Timestamp.nullable(),
    expiresAt: Timestamp,
    /** Since when, and by whom, it is no longer wanted: withdrawn before it was sent, or given up after it came to nothing. */
    takenBackAt: Timestamp.nullable(),
    takenBackBy: z.string().nullable(),
    /** What the device answered, then, to a command that had expired or was withdrawn. */
    lateAnswer: z.enum(['confirmed', 'failed']).nullable(),
  })
  .meta({ id: 'Command' })
export type Command = z.infer<typeof Command>

export const getDeviceCommands = route({
  method: 'POST',
  path: '/api/GetDeviceCommands',
  may: 'see device',
  summary:
    'The last 50 commands of a device, and of each kind the last, with how far each has come and who asked for it; newest first.',
  body: z.object({ tenant: TenantId, deviceId: DeviceId }),
  reply: envelope(z.array(Command)),
})

export const takeBackCommand = route({
  method: 'POST',
  path: '/api/TakeBackCommand',
  may: 'see device',
  summary:
    'Takes back a command that one may ask for: one that was not sent yet is withdrawn, one that was refused or has expired is no longer wanted.',
  body: z.strictObject({ tenant: TenantId, deviceId: DeviceId, commandId: Id }),
  reply: envelope(Command),
})
