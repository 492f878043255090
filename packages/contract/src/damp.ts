import { z } from 'zod'
import { coldLevels, dampCellLevels, dampLevels } from '@caretaker/rules/properties/damp.ts'
import { route } from './route.ts'
import { Id, Instant, TenantId, Timestamp } from './scalars.ts'
import * as calls from './calls/damp.ts'

/** How likely damp and mould are in the rooms of a home: an estimate from readings, of which nobody has looked at a wall. */
export const PropertyDamp = z
  .object({
    /**
     * Of the worst room, whoever asks: that a home is damp concerns everybody who answers for it. Of sensors that the person
     * does not see nothing else is told.
     */
    level: z.enum(dampLevels),
    /** Whether that is a room whose sensor the person does not see, so that it is none of those below. */
    isOfUnseen: z.boolean(),
    /** Up to which hour its rooms are assessed, which is done by the hour; null where none is. */
    assessedAt: Timestamp.nullable(),
    /** One for each sensor of air that the person may see, the worst first. */
    rooms: z.array(
      z.object({
        deviceId: z.string(),
        serialNumber: z.string(),
        /** Where the sensor is; null where nobody has said. */
        room: z.string().nullable(),
        level: z.enum(dampLevels),
        reason: z.string(),
        /** Since when it is at this level. */
        since: Timestamp,
        cold: z.enum(coldLevels).nullable(),
        coldReason: z.string().nullable(),
        /** °C and % of the last seven days; null where it is not assessed. */
        meanTemperature: z.number().nullable(),
        meanHumidity: z.number().nullable(),
        /** VTT mould index, from 0 to 6. */
        index: z.number(),
      }),
    ),
    /** Of which hours the weather is assumed, in words (how warm, the reasons of the rooms tell); null where the home measures all of it. */
    assumed: z.string().nullable(),
  })
  .meta({ id: 'PropertyDamp' })
export type PropertyDamp = z.infer<typeof PropertyDamp>

export const getPropertyDamp = route({
  ...calls.getPropertyDamp,
  summary: 'An estimate of damp and mould for each room of a home, with the reason in words.',
  params: z.object({ tenant: TenantId, propertyId: Id }),
  reply: PropertyDamp,
})

/** The level of each room over a range, by the words and bounds of its assessment. */
export const PropertyDampCells = z
  .object({
    /** For how many hours each cell stands: more for longer ranges. */
    hours: z.number().int(),
    /** % at a surface from which mould may grow where it lasts. */
    humidity: z.number(),
    /** On so many of seven days it is reached where a room is to be watched, and where its risk is high. */
    watchDays: z.number().int(),
    highDays: z.number().int(),
    /** One for each sensor of air that the person may see, the worst first. */
    rooms: z.array(
      z.object({
        deviceId: z.string(),
        serialNumber: z.string(),
        /** Where the sensor is; null where nobody has said. */
        room: z.string().nullable(),
        /**
         * The level at the end of each cell, from the beginning of the range on; null where nothing was measured in it, too little was
         * to assess the room, or it is still to come.
         */
        cells: z.array(z.enum(dampCellLevels).nullable()),
      }),
    ),
  })
  .meta({ id: 'PropertyDampCells' })
export type PropertyDampCells = z.infer<typeof PropertyDampCells>

/** Days of a range at most: a year and a day over. */
const mostDays = 367

export const getPropertyDampCells = route({
  ...calls.getPropertyDampCells,
  summary: 'The damp and mould level of each room of a home, in cells of some hours over a range of at most a year.',
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
