import { z } from 'zod'
import { inTenant } from './scalars.ts'
import { envelope } from './refusal.ts'
import { route } from './route.ts'

export const Building = z
  .object({
    /** Its id. */
    building: z.string(),
    name: z.string(),
    lat: z.number().nullable(),
    lng: z.number().nullable(),
    /** From the lowest up. */
    floors: z.array(z.object({ floor: z.string(), number: z.number().int(), name: z.string() })),
    /** The floor that is shown first: the ground floor, or the lowest above it. */
    defaultFloor: z.string().nullable(),
  })
  .meta({ id: 'Building' })
export type Building = z.infer<typeof Building>

const Count = z.number().int().min(0)
export const BuildingSummary = z
  .object({
    building: z.object({ building: z.string(), name: z.string() }),
    deviceCount: Count,
    failedDeviceCount: Count,
    warningDeviceCount: Count,
    offlineDeviceCount: Count,
  })
  .meta({ id: 'BuildingSummary' })
export type BuildingSummary = z.infer<typeof BuildingSummary>

export const getTenantBuildings = route({
  method: 'POST',
  path: '/api/GetTenantBuildings',
  may: 'see buildings',
  summary: 'The buildings of the client with their floors, by name.',
  body: inTenant,
  reply: envelope(z.array(Building)),
})

export const getTenantBuildingSummary = route({
  method: 'POST',
  path: '/api/GetTenantBuildingSummary',
  may: 'see buildings',
  summary: 'How many devices each building has, and how many of them failed, warn or are offline.',
  body: inTenant,
  reply: envelope(z.array(BuildingSummary)),
})
