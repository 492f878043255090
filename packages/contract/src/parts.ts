import { z } from 'zod'
import { viewLimits } from '@caretaker/rules/lists/filters.ts'
import { lightParts } from '@caretaker/rules/conditions/parts.ts'
import { Filter } from './lists.ts'
import { TenantId, Timestamp, text } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import * as calls from './calls/parts.ts'

export { mostLightsToRepair } from './calls/parts.ts'

/** The lights, selected with the filters of the listing EmergencyLights. */
const lightQuery = z.strictObject({
  tenant: TenantId,
  filters: z.array(Filter).max(viewLimits.filters).default([]),
  search: text(viewLimits.text).default(''),
})

const Known = z.string().nullable()

export const PartsRow = z
  .object({
    buildingId: Known,
    building: Known,
    part: z.enum(lightParts),
    /** Null when not entered. */
    model: Known,
    /** The number of parts, not of lights. */
    quantity: z.number().int(),
    lights: z.array(
      z.object({
        deviceId: z.string(),
        name: z.string(),
        serial: z.string(),
        buildingId: Known,
        building: Known,
        floor: Known,
        room: Known,
        /** The part and the test that found it failed: 'Battery T180'. */
        reason: z.string(),
      }),
    ),
  })
  .meta({ id: 'PartsRow' })
export type PartsRow = z.infer<typeof PartsRow>

export const getPartsList = route({
  ...calls.getPartsList,
  summary:
    'The failed parts of the emergency lights that match the filters: a row for each building, part and model. Repaired lights are left out, even before a test has proven the repair.',
  body: lightQuery,
  reply: envelope(
    z.object({
      rows: z.array(PartsRow),
      /** The number of lights in the list, and whether there are more. */
      lights: z.number().int(),
      hasMore: z.boolean(),
      at: Timestamp,
    }),
  ),
})

export const exportPartsList = route({
  ...calls.exportPartsList,
  summary:
    'The parts list as an Excel workbook: one sheet with each light that needs a part, and one with the parts of all buildings.',
  body: lightQuery,
})
