import { z } from 'zod'
import { conditionKinds, endings, settableKinds } from '@caretaker/rules/conditions/conditions.ts'
import { isDay } from '@caretaker/rules/calendar/days.ts'
import { descriptionLength, lightParts } from '@caretaker/rules/maintenance/forms.ts'
import { deviceStatuses } from '@caretaker/rules/devices/status.ts'
import { DeviceId, Id, line, TenantId, text, Timestamp } from './scalars.ts'
import { envelope } from './refusal.ts'
import { ComponentStates } from './equipment.ts'
import { PlannedStart } from './lighting.ts'
import { route } from './route.ts'
import * as calls from './calls/conditions.ts'

export { noteText } from './calls/conditions.ts'

const CalendarDay = z.string().refine(isDay, 'must be a day as YYYY-MM-DD')

/** Why a device has its status: something that is so since a time, or was so until another. */
export const Condition = z
  .object({
    conditionId: z.string(),
    kind: z.enum(conditionKinds),
    /** Type of the test, or source and code of the fault; '' for other kinds. */
    key: z.string(),
    /** The documented status that it gives, as long as nothing worse is open. */
    status: z.enum(deviceStatuses),
    beganAt: Timestamp,
    /** What failed, as the last test told. */
    states: ComponentStates.nullable(),
    /** What a fault means, in the words of the device. */
    description: z.string().nullable(),
    /** The emergency test that told of it last. */
    testEventId: z.string().nullable(),
    /** Who said it, and what with it. */
    by: z.string().nullable(),
    note: z.string().nullable(),
    /** What is done until it is put right, as somebody has said. */
    interimMeasure: z.object({ text: z.string(), by: z.string(), at: Timestamp }).nullable(),
    repairedBy: z.string().nullable(),
    repairedOn: z.string().nullable(),
    /** The last day of what a person set. */
    until: z.string().nullable(),
    /** It was so before reasons were kept. */
    carriedOver: z.boolean(),
    /** Null while it is open. */
    endedAt: Timestamp.nullable(),
    ending: z.enum(endings).nullable(),
    endedBy: z.string().nullable(),
    endNote: z.string().nullable(),
    /** Whether a person may end it by the call for that. */
    mayBeEnded: z.boolean(),
  })
  .meta({ id: 'Condition' })
export type Condition = z.infer<typeof Condition>

/** A part of a light that was replaced. */
export const RepairPart = z
  .object({
    part: z.enum(lightParts),
    model: line(100).optional(),
    quantity: z.number().int().min(1).max(20).default(1),
  })
  .meta({ id: 'RepairPart' })
export type RepairPart = z.infer<typeof RepairPart>

const ofDevice = { tenant: TenantId, deviceId: DeviceId }
const Note = text(calls.noteText).transform((value) => value.trim())

export const getDeviceConditions = route({
  ...calls.getDeviceConditions,
  summary:
    'Why a device has its status and since when: the open conditions, the worst first, and the last 100 that ended.',
  body: z.object(ofDevice),
  reply: envelope(
    z.object({
      status: z.enum(deviceStatuses),
      since: Timestamp,
      open: z.array(Condition),
      ended: z.array(Condition),
    }),
  ),
})

export const setDeviceCondition = route({
  ...calls.setDeviceCondition,
  summary:
    'A person says of a device in service that it is broken, due for maintenance or isolated. It never outranks an open failure; an isolation needs a reason and a last day, that of a light an interim measure.',
  /** `until` is the last day on which it is so, in the time zone of the client; today at the earliest. */
  body: z.object({
    ...ofDevice,
    condition: z.enum(settableKinds),
    note: Note.optional(),
    until: CalendarDay.optional(),
    /** What is done until then; required where a light is isolated. */
    interimMeasure: Note.optional(),
  }),
  reply: envelope(z.object({ status: z.enum(deviceStatuses) })),
})

export const endDeviceCondition = route({
  ...calls.endDeviceCondition,
  summary:
    'Ends what a person said of a device. What was found by tests or reported by the device is not ended by a person.',
  body: z.object({ ...ofDevice, conditionId: Id, note: Note.optional() }),
  reply: envelope(z.object({ status: z.enum(deviceStatuses) })),
})

export const updateInterimMeasure = route({
  ...calls.updateInterimMeasure,
  summary:
    "Says what is done until an open failure, fault or warning of a device is put right, for the inspector's sheet; an empty text takes it back.",
  body: z.object({ ...ofDevice, conditionId: Id, interimMeasure: Note }),
  reply: envelope(z.object({ conditionId: Id })),
})

export const recordDeviceRepair = route({
  ...calls.recordDeviceRepair,
  summary:
    'Records a repair: failed tests before it are over, and the device counts as repaired, not yet proven, until a test of the kind that failed has passed. That test is planned with it where it is asked for.',
  body: z.object({
    ...ofDevice,
    /** An id of the caller's own: what is sent once more under the same id is recorded once. */
    requestId: Id.optional(),
    part: z.enum(['equipment', 'device']),
    /** What was replaced in a light. */
    parts: z.array(RepairPart).max(lightParts.length).default([]),
    repairedBy: line(100).refine((name) => name !== '', 'must not be empty'),
    /** Not before the fault, and not in the future; by the clocks of the client. */
    repairedOn: CalendarDay,
    repairedTime: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time as HH:MM')
      .optional(),
    /** The day on which the battery was put in, where it is a later one. */
    batteryFittedOn: CalendarDay.optional(),
    note: text(descriptionLength)
      .transform((value) => value.trim())
      .optional(),
    /** The test that is to prove the repair of a light: a function test now, or a 3-hour test at a time by the clocks of the client. */
    provingTest: z.union([z.literal('function'), PlannedStart]).optional(),
    /** Whether a test by day is wanted: without it one is refused. */
    isDayConfirmed: z.boolean().default(false),
  }),
  reply: envelope(
    z.object({ status: z.enum(deviceStatuses), repairId: z.string(), testStartsAt: Timestamp.nullable() }),
  ),
})
