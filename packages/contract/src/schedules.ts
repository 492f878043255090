import { z } from 'zod'
import type { ScheduleWeek as Week } from '@caretaker/rules/properties/schedule.ts'
import { scheduleParts, setPointBounds, setPoints, weekDays } from '@caretaker/rules/properties/schedule.ts'
import { route } from './route.ts'
import { Id, TenantId } from './scalars.ts'
import * as calls from './calls/schedules.ts'

const { time, temp } = setPointBounds

/** Minutes after midnight, and the temperature in °C from then on. */
const SetPoint = z.tuple([z.number().int().min(0).max(time.max), z.number().min(temp.min).max(temp.max)])
const days = <T extends z.ZodType>(day: T) =>
  Object.fromEntries(weekDays.map((one) => [one, day])) as Record<keyof Week, T>

/** A schedule in a request. */
const ScheduleWeek = z.strictObject(
  days(
    z
      .array(SetPoint)
      .max(setPoints.length)
      .refine((points) => points.every(([at], index) => index === 0 || at > points[index - 1]![0]), {
        message: 'must be set points in the order of their times, each at a different time',
      }),
  ),
)
/** A schedule that a device reports. It can contain values that Caretaker would not send. */
const ReportedWeek = z.object(days(z.array(z.tuple([z.number(), z.number()])))).nullable()
const Schedules = z.object(
  Object.fromEntries(scheduleParts.map((part) => [part, ReportedWeek])) as Record<
    (typeof scheduleParts)[number],
    typeof ReportedWeek
  >,
)

export const ThermostatSchedules = z
  .object({
    /** Whether the firmware of the V-Stat supports schedules. */
    takesSchedules: z.boolean(),
    /** The last requested schedules; null when none is requested. */
    desired: Schedules,
    /** The reported schedules; null when none is reported. */
    reported: Schedules,
  })
  .meta({ id: 'ThermostatSchedules' })
export type ThermostatSchedules = z.infer<typeof ThermostatSchedules>

const params = z.object({ tenant: TenantId, deviceId: Id })

export const getThermostatSchedules = route({
  ...calls.getThermostatSchedules,
  summary: 'The requested and the reported schedules of a V-Stat.',
  params,
  reply: ThermostatSchedules,
})

export const sendThermostatSchedule = route({
  ...calls.sendThermostatSchedule,
  summary:
    'Stores a schedule for a V-Stat and sends it, if its firmware supports schedules; temperatures from 5 to 35 °C. Returns the command.',
  params,
  body: z.strictObject({ part: z.enum(scheduleParts), week: ScheduleWeek }),
  reply: z.object({ status: z.literal('queued'), commandId: z.string() }),
})
