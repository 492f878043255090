import { z } from 'zod'
import type { ScheduleWeek as Week } from '@caretaker/rules/properties/schedule.ts'
import { scheduleParts, setPointBounds, setPoints, weekDays } from '@caretaker/rules/properties/schedule.ts'
import { route } from './route.ts'
import { Id, TenantId } from './scalars.ts'
import * as calls from './calls/schedules.ts'

const { time, temp } = setPointBounds

/** Minutes after midnight, and the °C from then on. */
const SetPoint = z.tuple([z.number().int().min(0).max(time.max), z.number().min(temp.min).max(temp.max)])
const days = <T extends z.ZodType>(day: T) =>
  Object.fromEntries(weekDays.map((one) => [one, day])) as Record<keyof Week, T>

/** A schedule as it is sent. */
const ScheduleWeek = z.strictObject(
  days(
    z
      .array(SetPoint)
      .max(setPoints.length)
      .refine((points) => points.every(([at], index) => index === 0 || at > points[index - 1]![0]), {
        message: 'must be set points in the order of their times, each of another time',
      }),
  ),
)
/** A schedule as a device reports it; it may have values that the product would refuse to send. */
const ReportedWeek = z.object(days(z.array(z.tuple([z.number(), z.number()])))).nullable()
const Schedules = z.object(
  Object.fromEntries(scheduleParts.map((part) => [part, ReportedWeek])) as Record<
    (typeof scheduleParts)[number],
    typeof ReportedWeek
  >,
)

export const ThermostatSchedules = z
  .object({
    /** Whether the firmware of the V-Stat takes schedules. */
    takesSchedules: z.boolean(),
    /** What was asked for last; null where nothing is asked for. */
    desired: Schedules,
    /** What the V-Stat reports; null where it reports none. */
    reported: Schedules,
  })
  .meta({ id: 'ThermostatSchedules' })
export type ThermostatSchedules = z.infer<typeof ThermostatSchedules>

const params = z.object({ tenant: TenantId, deviceId: Id })

export const getThermostatSchedules = route({
  ...calls.getThermostatSchedules,
  summary: 'The schedules of a V-Stat: those that were asked for, and those that it reports.',
  params,
  reply: ThermostatSchedules,
})

export const sendThermostatSchedule = route({
  ...calls.sendThermostatSchedule,
  summary:
    'Stores a schedule for a V-Stat and sends it, where its firmware takes schedules; temperatures from 5 to 35 °C. The command is in the answer.',
  params,
  body: z.strictObject({ part: z.enum(scheduleParts), week: ScheduleWeek }),
  reply: z.object({ status: z.literal('queued'), commandId: z.string() }),
})
