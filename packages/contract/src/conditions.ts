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

const CalendarDay = z.string().refine(isDay, 'must be a day in the format YYYY-MM-DD')

/** A cause of a device's status, open or ended. */
export const Condition = z
  .object({
    conditionId: z.string(),
    kind: z.enum(conditionKinds),
    /** The type of the test, or the source and code of the fault; empty for other kinds. */
    key: z.string(),
    /** The documented status that it causes while no worse condition is open. */
    status: z.enum(deviceStatuses),
    beganAt: Timestamp,
    /** The failed components, as of the last test. */
    states: ComponentStates.nullable(),
    /** The description of a fault, as the device sends it. */
    description: z.string().nullable(),
    /** The last emergency test that reported it. */
    testEventId: z.string().nullable(),
    /** The user who set it, and the note that they entered. */
    by: z.string().nullable(),
    note: z.string().nullable(),
    /** The interim measure until the fault is fixed, as entered by a user. */
    interimMeasure: z.object({ text: z.string(), by: z.string(), at: Timestamp }).nullable(),
    repairedBy: z.string().nullable(),
    repairedOn: z.string().nullable(),
    /** The last day of a condition that a user set. */
    until: z.string().nullable(),
    /** Whether the device already had this status before conditions were recorded. */
    carriedOver: z.boolean(),
    /** Null while the condition is open. */
    endedAt: Timestamp.nullable(),
    ending: z.enum(endings).nullable(),
    endedBy: z.string().nullable(),
    endNote: z.string().nullable(),
    /** Whether a user may end it with EndDeviceCondition. */
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
    "The causes of a device's status and their start: open conditions, worst first, and the last 100 that ended.",
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
    'Marks a device in service as broken, due for maintenance or isolated. This never outranks an open failure. An isolation requires a reason and a last day, and for a light an interim measure.',
  /** `until` is the last day of the condition, in the time zone of the client; today at the earliest. */
  body: z.object({
    ...ofDevice,
    condition: z.enum(settableKinds),
    note: Note.optional(),
    until: CalendarDay.optional(),
    /** The interim measure; required when a light is isolated. */
    interimMeasure: Note.optional(),
  }),
  reply: envelope(z.object({ status: z.enum(deviceStatuses) })),
})

export const endDeviceCondition = route({
  ...calls.endDeviceCondition,
  summary:
    'Ends a condition that a user set. Conditions found by tests or reported by the device cannot be ended manually.',
  body: z.object({ ...ofDevice, conditionId: Id, note: Note.optional() }),
  reply: envelope(z.object({ status: z.enum(deviceStatuses) })),
})

export const updateInterimMeasure = route({
  ...calls.updateInterimMeasure,
  summary:
    "Sets the interim measure for an open failure, fault or warning of a device, for the inspector's sheet. An empty text removes it.",
  body: z.object({ ...ofDevice, conditionId: Id, interimMeasure: Note }),
  reply: envelope(z.object({ conditionId: Id })),
})

export const recordDeviceRepair = route({
  ...calls.recordDeviceRepair,
  summary:
    'Records a repair: earlier failed tests no longer count, and the device counts as repaired but unproven until a test of the failed type passes. That test can be scheduled in the same call.',
  body: z.object({
    ...ofDevice,
    /** An id that the caller generates: repeated calls with the same id record one repair. */
    requestId: Id.optional(),
    part: z.enum(['equipment', 'device']),
    /** Replaced parts of a light. */
    parts: z.array(RepairPart).max(lightParts.length).default([]),
    repairedBy: line(100).refine((name) => name !== '', 'must not be empty'),
    /** Not before the fault and not in the future, in the time zone of the client. */
    repairedOn: CalendarDay,
    repairedTime: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time in the format HH:MM')
      .optional(),
    /** The day on which the battery was fitted, if later. */
    batteryFittedOn: CalendarDay.optional(),
    note: text(descriptionLength)
      .transform((value) => value.trim())
      .optional(),
    /**
     * The test that proves the repair of a light: a function test now, or a 3-hour test at a time in the client's time
     * zone.
     */
    provingTest: z.union([z.literal('function'), PlannedStart]).optional(),
    /** Confirms a test in daytime hours. Without confirmation, such a test is rejected. */
    isDayConfirmed: z.boolean().default(false),
  }),
  reply: envelope(
    z.object({ status: z.enum(deviceStatuses), repairId: z.string(), testStartsAt: Timestamp.nullable() }),
  ),
})
