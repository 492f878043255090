import { z } from 'zod'
import { coldLevels, dampCellLevels, dampLevels } from '@caretaker/rules/properties/damp.ts'
import { route } from './route.ts'
import { Id, Instant, TenantId, Timestamp } from './scalars.ts'
import * as calls from './calls/damp.ts'

/** The likelihood of damp and mould in the rooms of a property, estimated from readings without an inspection. */
export const PropertyDamp = z
  .object({
    /**
     * The level of the worst room, for every caller: everyone responsible for a property has to know that it is damp.
     * No other data of sensors that the caller may not see is returned.
     */
    level: z.enum(dampLevels),
    /** Whether the worst room has a sensor that the caller may not see, so that it is missing from `rooms`. */
    isOfHiddenRoom: z.boolean(),
    /** The hour up to which rooms are assessed, once an hour; null when none is assessed. */
    assessedAt: Timestamp.nullable(),
    /** One entry for each air sensor that the user may see, worst first. */
    rooms: z.array(
      z.object({
        deviceId: z.string(),
        serialNumber: z.string(),
        /** The location of the sensor; null when not recorded. */
        room: z.string().nullable(),
        level: z.enum(dampLevels),
        reason: z.string(),
        /** The start of this level. */
        since: Timestamp,
        cold: z.enum(coldLevels).nullable(),
        coldReason: z.string().nullable(),
        /** °C and % over the last seven days; null when the room is not assessed. */
        meanTemperature: z.number().nullable(),
        meanHumidity: z.number().nullable(),
        /** VTT mould index, from 0 to 6. */
        index: z.number(),
      }),
    ),
    /**
     * The hours for which the weather is assumed, as text; null when the property measures all of it. The reason for
     * each room gives the assumed temperature.
     */
    assumed: z.string().nullable(),
  })
  .meta({ id: 'PropertyDamp' })
export type PropertyDamp = z.infer<typeof PropertyDamp>

export const getPropertyDamp = route({
  ...calls.getPropertyDamp,
  summary: 'An estimate of damp and mould for each room of a property, with the reason as text.',
  params: z.object({ tenant: TenantId, propertyId: Id }),
  reply: PropertyDamp,
})

/** The level of each room over a range, with the terms and limits of its assessment. */
export const PropertyDampCells = z
  .object({
    /** Hours in each cell; longer ranges have longer cells. */
    hours: z.number().int(),
    /** Relative humidity at a surface, in %, from which mould may grow if it lasts. */
    humidity: z.number(),
    /** The minimum days in seven at that humidity for a room to be watched, and for its risk to be high. */
    watchDays: z.number().int(),
    highDays: z.number().int(),
    /** One entry for each air sensor that the user may see, worst first. */
    rooms: z.array(
      z.object({
        deviceId: z.string(),
        serialNumber: z.string(),
        /** The location of the sensor; null when not recorded. */
        room: z.string().nullable(),
        /**
         * The level at the end of each cell, from the start of the range; null for a cell without readings, with too
         * few to assess the room, or in the future.
         */
        cells: z.array(z.enum(dampCellLevels).nullable()),
      }),
    ),
  })
  .meta({ id: 'PropertyDampCells' })
export type PropertyDampCells = z.infer<typeof PropertyDampCells>

/** The longest range, in days: a leap year and a day. */
const mostDays = 367

export const getPropertyDampCells = route({
  ...calls.getPropertyDampCells,
  summary:
    'The damp and mould level of each room of a property over a range of up to a year, in cells of several hours.',
  params: z.object({ tenant: TenantId, propertyId: Id }),
  query: z
    .strictObject({ from: Instant, to: Instant })
    .refine(({ from, to }) => from < to, { path: ['to'], message: 'must be after from' })
    .refine(({ from, to }) => +to - +from <= mostDays * 86_400_000, {
      path: ['to'],
      message: `must be within ${mostDays} days of from`,
    }),
  reply: PropertyDampCells,
})
