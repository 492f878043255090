import { z } from 'zod'
import { viewLimits } from '@caretaker/rules/lists/filters.ts'
import { lightParts } from '@caretaker/rules/conditions/parts.ts'
import { Filter } from './lists.ts'
import { TenantId, Timestamp, text } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'
import * as calls from './calls/parts.ts'

export { mostLightsToRepair } from './calls/parts.ts'

/** Which lights, as the listing EmergencyLights is asked for them. */
const asked = z.strictObject({
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
    /** Null where nobody has entered it. */
    model: Known,
    /** Of parts, not of lights. */
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
        /** The part and what showed that it failed: 'Battery T180'. */
        reason: z.string(),
      }),
    ),
  })
  .meta({ id: 'PartsRow' })
export type PartsRow = z.infer<typeof PartsRow>

export const getPartsList = route({
  ...calls.getPartsList,
  summary:
    'The parts that emergency lights need which meet the filters of their listing and have failed: a row for each building, part and model. Lights that were repaired are left out, also as long as no test has proven it.',
  body: asked,
  reply: envelope(
    z.object({
      rows: z.array(PartsRow),
      /** How many lights need a part, and whether there are others that are not among them. */
      lights: z.number().int(),
      hasMore: z.boolean(),
      at: Timestamp,
    }),
  ),
})

export const exportPartsList = route({
  ...calls.exportPartsList,
  summary:
    'The same as an Excel workbook: a sheet with each light that needs a part, and one with the parts of all buildings.',
  body: asked,
})
